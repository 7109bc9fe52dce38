"""Tell which blocks have a link: below some headings these only refer elsewhere."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from graphrag_tasks.parse.blocks import Block
from graphrag_tasks.parse.text import one_line

NO_LINK = re.compile(r"#?\s*\Z|(?:javascript|vbscript|data|about|blob):", re.IGNORECASE)
"""Targets that lead nowhere."""


class FoundLink(NamedTuple):
    """The text of a link of a page, or of a document without pages."""

    page: int | None
    text: str


def with_links(blocks: Sequence[Block], found: Iterable[FoundLink]) -> list[Block]:
    """Return the blocks; those have a link in which a link's text stands, the first free one."""
    on_page: dict[int | None, list[int]] = defaultdict(list)
    for number, block in enumerate(blocks):
        on_page[block.page].append(number)
    taken = Counter[tuple[int, str]]()
    for link in found:
        text = one_line(link.text)
        for number in on_page[link.page] if text else ():
            if blocks[number].text.count(text) > taken[number, text]:
                taken[number, text] += 1
                break
    linked = {number for number, _ in taken}
    return [replace(block, has_link=True) if number in linked else block for number, block in enumerate(blocks)]

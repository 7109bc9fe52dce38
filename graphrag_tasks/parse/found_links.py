"""Links whose page and text are known, put where the text stands in the blocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from graphrag_tasks.parse.blocks import Block, Link
from graphrag_tasks.parse.text import one_line


class FoundLink(NamedTuple):
    """A link of a page, or of a document without pages: its text, and what it refers to."""

    page: int | None
    text: str
    href: str


def with_links(blocks: Sequence[Block], found: Iterable[FoundLink]) -> list[Block]:
    """Return the blocks with the links that can be found in the texts of their pages.

    Each takes the first place of its text that no link before it has; one whose text is not
    there, as when a word is parted at the end of a line, is left out.
    """
    on_page: dict[int | None, list[int]] = defaultdict(list)
    for number, block in enumerate(blocks):
        on_page[block.page].append(number)
    links = {number: list(block.links) for number, block in enumerate(blocks)}
    for link in found:
        text = one_line(link.text)
        for number in on_page[link.page] if text else ():
            if span := _free(blocks[number].text, text, links[number]):
                links[number].append(Link(*span, link.href))
                break
    return [
        replace(block, links=tuple(sorted(links[number]))) for number, block in enumerate(blocks)
    ]


def _free(text: str, wanted: str, taken: Sequence[Link]) -> tuple[int, int] | None:
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not any(link.start < end and start < link.end for link in taken):
            return start, end
        start = text.find(wanted, end)
    return None

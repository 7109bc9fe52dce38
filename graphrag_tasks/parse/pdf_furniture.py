"""Lines at the edge of PDF pages that belong to no text: page numbers, running headers, footers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from graphrag_tasks.parse.blocks import Block

_PAGE_NUMBER = re.compile(
    r"(?:page |seite |[-\u2013] ?)?(?:\d{1,3}|[ivxl]{1,6})(?: ?[-\u2013]| ?/ ?\d+| of \d+)?",
    re.IGNORECASE,
)
_EDGE_LINES = 2.5  # heights from the first or last line of a page
_RUNNING_PAGES = 3
_RUNNING_SHARE = 0.5
_DIGITS = re.compile(r"\d+")


def without_furniture(lines: Sequence[Block]) -> list[Block]:
    """Return the lines without page numbers and without lines that most pages repeat.

    Only lines at the top or bottom edge of a page's text can go, and a line counts as repeated
    when it stands there on at least three pages and on half of them, whatever its digits.
    """
    edges = _edges(lines)
    pages = len({line.page for line in lines})
    counts = Counter({(line.page, _key(line)): 1 for line in lines if id(line) in edges}.keys())
    repeated = Counter(key for _, key in counts)
    least = max(_RUNNING_PAGES, _RUNNING_SHARE * pages)
    return [
        line
        for line in lines
        if id(line) not in edges
        or not (_PAGE_NUMBER.fullmatch(line.text) or repeated[_key(line)] >= least)
    ]


def _key(line: Block) -> str:
    return _DIGITS.sub("0", line.text)


def _edges(lines: Sequence[Block]) -> set[int]:
    """Return the identities of the lines at the edges; a page of one line has none."""
    by_page: dict[int | None, list[Block]] = defaultdict(list)
    for line in lines:
        by_page[line.page].append(line)
    edges: set[int] = set()
    for page in by_page.values():
        boxes = [line.box for line in page if line.box is not None]
        top, bottom = min(box.top for box in boxes), max(box.bottom for box in boxes)
        for line, box in zip(page, boxes, strict=True):
            reach = _EDGE_LINES * (box.bottom - box.top)
            if len(page) > 1 and (box.top < top + reach or box.bottom > bottom - reach):
                edges.add(id(line))
    return edges

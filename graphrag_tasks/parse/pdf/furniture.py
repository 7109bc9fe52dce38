"""Lines at the edge of PDF pages that belong to no text: page numbers, running headers, footers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from graphrag_tasks.parse.pdf.lines import Line

_PAGE_NUMBER = re.compile(
    r"(?:page |seite |[-\u2013] ?)?(?:\d{1,3}|\d{1,2}-\d{1,3}|[ivxl]{1,6})"
    r"(?: ?[-\u2013]| ?/ ?\d+| of \d+)?",
    re.IGNORECASE,
)
_EDGE_LINES = 2.5  # heights from the first or last line of a page
_RUNNING_PAGES = 3
_RUNNING_SHARE = 0.12  # of the pages: chapters have running headers of their own
_RUNNING_ENOUGH = 4  # pages, whatever their share
_NUMBERS = re.compile(r"\d+|\b[ivxl]+\b")


def without_furniture(lines: Iterable[Line]) -> list[Line]:
    """Return the lines without page numbers, what stands beside them, and what pages repeat.

    Only lines at the top or bottom edge of a page's text can go, and a line counts as repeated
    when it stands there on at least three pages, whatever its numbers. In a long document, four
    pages are enough: its chapters may have headers of their own, and even and odd pages differ.
    """
    lines = list(lines)
    edges = _edges(lines)
    pages = len({line.page for line in lines})
    seen = {(line.page, _key(line)) for line in lines if id(line) in edges}
    numbered = {(line.page, line.row) for line in lines if id(line) in edges and _is_number(line)}
    repeated = Counter(key for _, key in seen)
    least = max(_RUNNING_PAGES, min(_RUNNING_SHARE * pages, _RUNNING_ENOUGH))
    return [
        line
        for line in lines
        if id(line) not in edges
        or not ((line.page, line.row) in numbered or repeated[_key(line)] >= least)
    ]


def _is_number(line: Line) -> bool:
    return _PAGE_NUMBER.fullmatch(line.text) is not None


def _key(line: Line) -> str:
    return _NUMBERS.sub("0", line.text.lower())


def _edges(lines: Iterable[Line]) -> set[int]:
    """Return the identities of the lines at the edges; a page of one line has none."""
    by_page: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        by_page[line.page].append(line)
    return {id(line) for page in by_page.values() if len(page) > 1 for line in _page_edges(page)}


def _page_edges(page: Sequence[Line]) -> list[Line]:
    top = min(line.box.top for line in page)
    bottom = max(line.box.bottom for line in page)
    return [
        line
        for line in page
        if line.box.top < top + _EDGE_LINES * line.height
        or line.box.bottom > bottom - _EDGE_LINES * line.height
    ]

"""Remove page numbers, running headers and footers from PDF pages.

A row of lines is removed only if other pages confirm it:

* it stands at the top or bottom of its page's text and in no table, and the pages have other text;
* each of its lines repeats, digit for digit, at the same place and size on other pages, or is a
  page number, or stands beside one of these and is said elsewhere too.

Digits that change in any other way are data, such as those of invoices.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from graphrag_tasks.parse.blocks import Box
from graphrag_tasks.parse.pdf.lines import Line, body_of
from graphrag_tasks.parse.pdf.tables import contains

_NUMBER = re.compile(
    r"(?P<mark>(?:page|seite|p\.|s\.) ?|[-\u2013] ?)?(?P<section>(?:\d{1,2}|[A-Z])-)?"
    r"(?P<value>\d{1,4}|[ivxlc]{1,7})(?P<end> ?[-\u2013]| ?/ ?\d+| (?:of|von) \d+)?",
    re.IGNORECASE,
)
_APART = re.compile(r"\s*[\u00b7\u2022|]\s*|\s[\u2013\u2014-]\s|\s+(?=(?:page|seite) \d)", re.IGNORECASE)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_MAX_OFFSET = 999  # from the page's own number; years are beyond it


class PageNumber(NamedTuple):
    """A line that may be or contain a page number.

    Attributes:
        series: Its prefix, and whether it is roman.
        value: The number as an integer.
        beside: The rest of the line, set apart from the number.
        is_marked: Whether a word or a dash marks it as a page number.
    """

    page: int
    text: str
    series: str
    value: int
    beside: str
    is_marked: bool

    @property
    def offset(self) -> tuple[str, int]:
        """Series and offset from the page, shared by the page numbers of a series."""
        return self.series, self.value - self.page


def page_number(text: str, page: int) -> PageNumber | None:
    """Return the page number that a line may hold: as all, first or last part of it."""
    parts = _APART.split(text)
    places = [(parts[-1], parts[:-1])] + ([(parts[0], parts[1:])] if len(parts) > 1 else [])
    for part, others in [(text, []), *places]:
        found = _NUMBER.fullmatch(part)
        if found is None or (others and not any(map(str.isalpha, "".join(others)))):
            continue
        value = found["value"].lower()
        number = int(value) if value.isdecimal() else _decimal(value)
        if number - page <= _MAX_OFFSET:
            series = f"{found['section'] or ''}{'' if value.isdecimal() else 'roman'}"
            is_marked = any(found[name] for name in ("mark", "section", "end"))
            return PageNumber(page, part, series, number, " ".join(others), is_marked)
    return None


def are_page_numbers(found: Sequence[PageNumber]) -> bool:
    """Tell whether most numbers at one place grow with the pages, or are equal."""
    offsets = Counter(number.offset for number in _first_of_pages(found))
    texts = Counter(number.text for number in _first_of_pages(found))
    regular = sum(offsets[number.offset] > 1 or texts[number.text] > 1 for number in _first_of_pages(found))
    return regular >= 2 and 2 * regular >= len(found)


def _first_of_pages(found: Iterable[PageNumber]) -> list[PageNumber]:
    return list({number.page: number for number in found}.values())


def _decimal(roman: str) -> int:
    values = [_ROMAN[letter] for letter in roman]
    return sum(
        -value if any(later > value for later in values[index + 1 :]) else value for index, value in enumerate(values)
    )


_EDGE_LINES = 2.5  # heights from the first or last line of a page
_RUNNING_PAGES = 3  # at least, on which a running header stands
_RUNNING_SHARE = 0.12  # of the pages: chapters have running headers of their own
_RUNNING_ENOUGH = 4  # pages, whatever their share
_LARGE = 1.12  # sizes of the body beyond which a line is a title, which a few slides may share
_SAME_PLACE = 3.0  # points between the middles of lines
_SAME_SIZE = 1.1  # times: heights of letters of one running header differ by less
_FAR_FROM_TEXT = 1.5  # heights between the text and a page number that no other page confirms
_EMPTIED_SHARE = 0.25  # of the pages with other text: a blank page has its header too
_CHAPTER = re.compile(
    r"(?:chapter|part|appendix|section|kapitel|teil|anhang|abschnitt|chapitre|partie|annexe)"
    r" (?:\d[\d.]*|[A-Z]|[ivxl]+)(?:[.:]? .{,60}[^.!?;,])?",
    re.IGNORECASE,
)


def without_furniture(lines: Iterable[Line], tables: Mapping[int, Sequence[Box]] | None = None) -> list[Line]:
    """Return the lines of all pages without page numbers, running headers and footers.

    `tables` gives the tables of each page; their rows are data.
    """
    lines, tables = list(lines), tables or {}
    edges = _edges(lines, tables)
    at_edge = {id(line) for line in edges}
    inner = [line for line in lines if id(line) not in at_edge]
    known = _Known(edges, inner)
    running = _repeated(edges, inner) | _numbered(edges, lines, known)
    rows: dict[tuple[int, int], list[Line]] = defaultdict(list)
    for line in lines:
        rows[line.page, line.row].append(line)
    gone = {
        id(line)
        for row in rows.values()
        if any(id(line) in running for line in row)
        and all(id(line) in at_edge and (id(line) in running or line.text in known) for line in row)
        for line in row
    }
    left = {line.page for line in lines if id(line) not in gone}
    emptied = {line.page for line in lines} - left
    if len(emptied) > _EMPTIED_SHARE * len(left):
        gone = {id(line) for line in lines if id(line) in gone and line.page in left}
    return [line for line in lines if id(line) not in gone]


class _Known:
    """Words that also occur inside a page, or at the edges of several pages."""

    def __init__(self, edges: Iterable[Line], inner: Iterable[Line]) -> None:
        keys = [_key(line.text) for line in inner]
        self._inner = {*keys, *map("".join, pairwise(keys))}  # a long heading has two lines
        self._pages: dict[str, set[int]] = defaultdict(set)
        for line in edges:
            self._pages[_key(line.text)].add(line.page)
            if number := page_number(line.text, line.page):
                self._pages[_key(number.beside)].add(line.page)

    def __contains__(self, text: str) -> bool:
        key = _key(text)
        if not any(map(str.isalpha, key)):
            return False
        is_said = key in self._inner or len(self._pages[key]) > 1
        return is_said or _CHAPTER.fullmatch(text) is not None


def _key(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _repeated(edges: Sequence[Line], inner: Sequence[Line]) -> set[int]:
    pages = len({line.page for line in (*edges, *inner)})
    least = max(_RUNNING_PAGES, min(_RUNNING_SHARE * pages, _RUNNING_ENOUGH))
    body = body_of((*edges, *inner)).size
    elsewhere = Counter(line.text for line in inner)
    by_text: dict[str, list[Line]] = defaultdict(list)
    for line in edges:
        by_text[line.text].append(line)
    found: set[int] = set()
    for text, alike in by_text.items():
        on = len({line.page for line in alike})
        if on < least or elsewhere[text] >= len(alike):
            continue
        for group in _by_place(alike):
            is_title = group[0].size > _LARGE * body and 2 * on <= pages
            if len({line.page for line in group}) > 1 and not is_title:
                found.update(map(id, group))
    return found


def _numbered(edges: Sequence[Line], lines: Sequence[Line], known: _Known) -> set[int]:
    """Return the lines that are page numbers, or known words with a page number."""
    numbers: dict[int, PageNumber] = {}
    for line in edges:
        number = page_number(line.text, line.page)
        if number and (not number.beside or number.beside in known):
            numbers[id(line)] = number
    found: set[int] = set()
    for group in _by_place(line for line in edges if id(line) in numbers):
        if are_page_numbers([numbers[id(line)] for line in group]):
            found.update(map(id, group))
        elif len(group) == 1 and numbers[id(group[0])].is_marked and _is_apart(group[0], lines):
            found.add(id(group[0]))
    return found


def _is_apart(line: Line, lines: Iterable[Line]) -> bool:
    reach = _FAR_FROM_TEXT * line.height
    return all(
        other.box.top - line.box.bottom > reach or line.box.top - other.box.bottom > reach
        for other in lines
        if other is not line and other.page == line.page
    )


def _by_place(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Group lines by their height on the page and by size."""
    for group in _clusters(lines, lambda line: (line.box.top + line.box.bottom) / 2, _SAME_PLACE):
        yield from _clusters(group, lambda line: math.log(max(line.size, 0.1)), math.log(_SAME_SIZE))


def _clusters(lines: Iterable[Line], measure: Callable[[Line], float], reach: float) -> Iterator[list[Line]]:
    group: list[Line] = []
    for line in sorted(lines, key=measure):
        if group and measure(line) - measure(group[-1]) > reach:
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _edges(lines: Iterable[Line], tables: Mapping[int, Sequence[Box]]) -> list[Line]:
    """Return the edge lines outside tables; a page of one line has none."""
    by_page: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        by_page[line.page].append(line)
    return [
        line
        for number, page in by_page.items()
        if len(page) > 1
        for line in _page_edges(page)
        if not any(contains(box, line) for box in tables.get(number, ()))
    ]


def _page_edges(page: Sequence[Line]) -> list[Line]:
    top = min(line.box.top for line in page)
    bottom = max(line.box.bottom for line in page)
    return [
        line
        for line in page
        if line.box.top < top + _EDGE_LINES * line.height or line.box.bottom > bottom - _EDGE_LINES * line.height
    ]

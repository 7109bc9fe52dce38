"""Recognize page numbers at the edges of pages.

A number is a page number if it grows with the pages, up to a constant offset. Numbers of appendices (`A-4`) and
restarts are accepted if most numbers at the same place do so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

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

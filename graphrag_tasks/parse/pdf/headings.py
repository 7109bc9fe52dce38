"""Reject paragraphs that look like headings but are not, by their context.

Lengths are points from the top left of a page; factors are in line heights.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from graphrag_tasks.parse.pdf.labels import Label, is_numbered
from graphrag_tasks.parse.pdf.lines import Body, Line, is_capitals, join_lines
from graphrag_tasks.parse.pdf.paragraphs import DOT_LEADER

_LEADERS = 4  # lines with dot leaders that a table of contents has at least on a page
_LARGE = 1.12  # sizes of the body that a heading is told by
_PLAIN_HEADINGS = 3  # headings told by size or number, where terms are told from them
_TERM_GAP = 0.6  # between a term and what it means
_MIN_INDENT, _MAX_INDENT = 0.8, 8.0  # of what a term means, in sizes of the body
_PAGE_OF_ENTRY = re.compile(r"(?:\.\s?){2,}\s*[\divxl]+$")
_CHAPTER = re.compile(
    r"(?:(?:chapter|part|appendix|section|kapitel|teil|chapitre|partie)\s*)?"
    r"(?:\d{1,3}|[ivxl]{1,6}|[a-z]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twenty|thirty)(?:.?(?:one|two|three|four|five"
    r"|six|seven|eight|nine))?)[.:]?|chapter|part|appendix",
    re.IGNORECASE,
)


class Labelled(NamedTuple):
    """A paragraph and its label; certain if a bookmark names it."""

    lines: Sequence[Line]
    label: Label
    is_bookmark: bool = False

    @property
    def text(self) -> str:
        """Its lines joined as one text."""
        return join_lines(line.text for line in self.lines)


def has_plain_headings(paragraphs: Iterable[Labelled], body: Body) -> bool:
    """Tell whether a document has headings recognized by size, capitals or a number."""
    plain = sum(part.label is Label.HEADING and _is_plain(part, body) for part in paragraphs)
    return plain >= _PLAIN_HEADINGS


def in_context(page: Sequence[Labelled], body: Body, has_plain: bool) -> Iterator[Labelled]:
    """Yield a page's paragraphs; false headings become text.

    * lines of a table of contents, and the first of two;
    * a chapter number on a line of its own above its title;
    * bold terms in body size, each above its indented definition. If a document has no plain
      headings, as manuals that head indented text with bold lines, these stay headings.
    """
    contents = _contents(page)
    for number, (part, below) in enumerate(zip_longest(page, page[1:])):
        is_false = (
            part.label is Label.HEADING
            and not part.is_bookmark
            and (
                (number in contents and _is_entry(part, below))
                or _is_chapter_number(part, below)
                or (has_plain and _is_term(part, below, body))
            )
        )
        yield part._replace(label=Label.TEXT) if is_false else part


def _contents(page: Sequence[Labelled]) -> range:
    leaders = [number for number, part in enumerate(page) if any(DOT_LEADER.search(line.text) for line in part.lines)]
    return range(leaders[0], leaders[-1] + 1) if len(leaders) >= _LEADERS else range(0)


def _is_entry(part: Labelled, below: Labelled | None) -> bool:
    """Tell whether a paragraph is an entry of a table of contents, alone or with the next line."""
    if _PAGE_OF_ENTRY.search(part.text):
        return True
    if below is None or part.lines[-1].font.name != below.lines[0].font.name:
        return False
    return DOT_LEADER.search(below.lines[0].text) is not None


def _is_chapter_number(part: Labelled, below: Labelled | None) -> bool:
    is_followed = below is not None and below.label is Label.HEADING
    return is_followed and _CHAPTER.fullmatch(part.text) is not None


def _is_plain(part: Labelled, body: Body) -> bool:
    is_large = min(line.size for line in part.lines) >= _LARGE * body.size
    return is_large or is_capitals(part.text) or is_numbered(part.text)


def _is_term(part: Labelled, below: Labelled | None, body: Body) -> bool:
    if below is None or below.label is Label.HEADING or _is_plain(part, body):
        return False
    last, first = part.lines[-1], below.lines[0]
    indent = (first.box.left - part.lines[0].box.left) / body.size
    gap = (first.box.top - last.box.bottom) / body.size
    return _MIN_INDENT <= indent <= _MAX_INDENT and gap <= _TERM_GAP

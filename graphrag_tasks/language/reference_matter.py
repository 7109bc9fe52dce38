"""Detect reference matter among blocks: tables of contents, indexes, bibliographies.

Entries name things that are elsewhere and state nothing, yet parse as if they did. They are recognized by form: dots
and pages at the end of a line, a term with pages, authors with a year and a publisher. Doubtful entries are decided by
their neighbours; a heading alone never decides. The numbers below were set by hand on eleven manuals
(benchmarks/README.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import pairwise
from typing import Any, NamedTuple

_HEADINGS = ("title", "heading")
_NO_ENTRIES = ("table", "title")

_PAGE = r"(?:\d{1,4}|[ivxlc]{1,7}|[A-Z]-?\d{1,3})"
_PAGES = rf"{_PAGE}(?:\s?[-–]\s?{_PAGE})?"
_LEADER = re.compile(rf"(?:\.\s?|…\s?){{2,}}\s*{_PAGES}(?:,\s?{_PAGES})*$", re.IGNORECASE)
_LONG_LEADER = re.compile(rf"(?:(?:\.\s?){{5,}}|(?:…\s?){{2,}})\s*{_PAGES}(?:,\s?{_PAGES})*$", re.IGNORECASE)
"""Five dots or more: an ellipsis has three, or four with the full stop."""
_LONGEST_END = 80  # Characters at the end of a line that are examined: bounds the time for long leaders.
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,3})*\.?\s)?[^\W\d_].{0,100}\s\d{1,4}")
_NUMBERED_ROW = re.compile(r"(?=[^\n]*[^\W\d_])[^\n]{1,400}[\s|]\d{1,4}")
_LAST_NUMBER = re.compile(r"(\d{1,4})$")
_TERM = re.compile(
    r"[^\s,.;:!?][^,;:!?]{0,60}(?:, [^\d\s,;:!?][^,;:!?]{0,40}){0,2}"
    r"((?:, ?\d{1,4}(?: ?[-–] ?\d{1,4})?(?:ff?\.?|n)?)+)"
)
_LINE_END = re.compile(r"\n")
_TERM_END = re.compile(r"\n|(?<=\d) (?=[^\W\d])")  # End of a line, or of a term whose line was joined to the next.

_UPPER = "[A-ZÀ-ÖØ-Þ]"
_INITIALS = rf"{_UPPER}\.(?:[ -]?{_UPPER}\.){{0,3}}"
_WORD = rf"{_UPPER}[\w'’]+(?:-{_UPPER}?[\w'’]+)?"
_SURNAME = rf"(?:(?:van|von|de|der|den|du|da|di|la|le|ter|ten) ){{0,2}}{_WORD}"
_INITIALLED = rf"(?:{_INITIALS} ?{_SURNAME}|{_SURNAME},? {_INITIALS})"
_FULL = rf"{_WORD}(?: {_INITIALS}| {_WORD}){{0,2}} {_SURNAME}"
_NAME = rf"(?:{_INITIALLED}|{_FULL})"
_NEXT = r"(?:,? (?:and|und|et|&) |[,;] )"
_EDITORS = r"(?:,? et al\.?)?(?:,? \(?[Ee]ds?\.?\)?)?"
_MARK = r"(?:\[[\w+.:-]{1,12}\]|\(\d{1,3}\)|\d{1,3}\.)"
_YEAR = r"(?:1[5-9]|20)\d\d[a-z]?"
_TITLE = r"[\"“”‘'«A-ZÀ-ÖØ-Þ]"

_AUTHORS_AND_YEAR = re.compile(
    rf"(?:{_MARK} )?{_NAME}(?:{_NEXT}{_NAME}){{0,11}}{_EDITORS},? ?"
    rf"(?:\({_YEAR}\)[.,:]?|{_YEAR}[.,:]) ?{_TITLE}"
)
"""Authors, year and title, as in "D. M. Bates and D. G. Watts (1988), Nonlinear ..."."""
_AUTHORS_FIRST = re.compile(
    rf"(?:({_MARK} {_NAME}|{_INITIALLED})|{_FULL})(?:{_NEXT}{_NAME}){{0,11}}{_EDITORS}"
    rf"(?:[,.:]|(?<=\.)) ?{_TITLE}"
)
"""Authors and title; a mark or initials (the group) make it certain that these are authors."""
_MARKED = re.compile(rf"\[[\w+.:-]{{1,12}}\] {_TITLE}")
_YEAR_AT_END = re.compile(
    rf"(?:\({_YEAR}\)|\b{_YEAR})[.,;]?"
    r"(?: ?(?:pp?\.|pages) ?\d+(?: ?[-–] ?\d+)?[.,]?| ?(?:doi|DOI|ISBN|https?:|URL)\S*(?: \S+)?)?$"
)
_ANY_YEAR = re.compile(rf"\b{_YEAR}\b")
_PUBLISHED = re.compile(
    r"\b(?:press|publish(?:ers?|ing)|verlag|springer|wiley|elsevier|addison[- ]wesley|o['’]reilly|"
    r"chapman|hall|mcgraw|proceedings|proc\.|journal|transactions|trans\.|conference|symposium|"
    r"workshop|vol\.|volume|edition|technical report|thesis|lecture notes)(?!\w)"
    r"|\b(?:doi|isbn|issn|arxiv)\b|\bpp?\.\s?\d|\bpages \d|\d\s?\(\d+\)\s?[:,]\s?\d|\bno\. ?\d",
    re.IGNORECASE,
)
_PLACE_AT_END = re.compile(rf"[.,] {_WORD}(?: (?:& |and )?{_WORD}){{0,3}}, {_WORD}(?: {_WORD})?\.$")
"""A publisher and its place: "Penguin, London."."""
_FINITE = re.compile(r"\b(?:is|are|was|were|has|have|had|wrote|published|released|introduced)\b")
_MAX_REFERENCE = 600  # Longest reference; longer ones are annotated, and extracted.
_MIN_TERMS, _MIN_TERMS_UNHEADED = 3, 8  # Fewest terms of an index, with and without an index heading; chosen.
_MIN_NUMBERED = 4  # Fewest neighbours of an index, and of a table of contents without dots.
_SEVERAL_PAGES = 0.2  # Least share of terms with several pages in an index without heading.
_MIN_ORDERED, _IN_ORDER = 3, 0.8
"""Fewest lines that can be ordered, and least share of neighbours in order, as columns may be mixed."""
_MAX_GAP, _LONGEST_IN_GAP = 2, 120
"""Blocks between two entries that belong to them, and their length: an index letter, a first line."""
_MAX_HEADED_GAP = 20  # The same in a bibliography with a heading: marks may come before their texts.
_SENTENCE_END = re.compile(r"[.!?:;][)\]\"”’']{0,2}$")


class _Form(Enum):
    """A kind of reference matter, and its headings."""

    LEADER = re.compile(r"(?:.*\s)?(?:contents|index|list of \w+)", re.IGNORECASE)
    NUMBERED = re.compile(r"(?:.*\s)?contents", re.IGNORECASE)
    TERM = re.compile(r"(?:.*\s)?index", re.IGNORECASE)
    REFERENCE = re.compile(r"(?:.*\s)?(?:references|bibliography|literature(?: cited)?|works cited)", re.IGNORECASE)


class _Entry(NamedTuple):
    number: int
    form: _Form
    is_certain: bool
    is_headed: bool
    text: str


def reference_matter(blocks: Sequence[Mapping[str, Any]]) -> frozenset[int]:
    """Return the indexes of the blocks that are reference matter.

    The blocks are rows with `kind` and `text`, in reading order.
    """
    found: set[int] = set()
    for run in _runs(blocks):
        if _is_accepted(run):
            found.update(range(run[0].number, run[-1].number + 1))
    return frozenset(found)


def _runs(blocks: Sequence[Mapping[str, Any]]) -> Iterator[list[_Entry]]:
    """Yield runs of entries of one form."""
    run: list[_Entry] = []
    for entry in _entries(blocks):
        if run and (run[-1].form is not entry.form or not _goes_on(blocks, run[-1], entry)):
            yield run
            run = []
        run.append(entry)
    if run:
        yield run


def _goes_on(blocks: Sequence[Mapping[str, Any]], last: _Entry, entry: _Entry) -> bool:
    between = blocks[last.number + 1 : entry.number]
    is_headed = entry.form is _Form.REFERENCE and entry.is_headed
    return len(between) <= (_MAX_HEADED_GAP if is_headed else _MAX_GAP) and all(
        block["kind"] not in (*_NO_ENTRIES, "heading") and _may_belong(block["text"], entry.form, is_headed=is_headed)
        for block in between
    )


def _may_belong(text: str, form: _Form, *, is_headed: bool) -> bool:
    if form is not _Form.REFERENCE:
        return _is_part(text)
    if len(text) > _MAX_REFERENCE or _FINITE.search(text):
        return False
    return is_headed or _ANY_YEAR.search(text) is not None


def _entries(blocks: Sequence[Mapping[str, Any]]) -> Iterator[_Entry]:
    heading = ""
    for number, block in enumerate(blocks):
        kind, text = block["kind"], block["text"].strip()
        form = _form_of_rows(text) if kind == "table" else None
        if kind not in _NO_ENTRIES:
            form = _form(text)
        if form is not None:
            is_headed = form[0].value.fullmatch(heading) is not None
            yield _Entry(number, *form, is_headed, text)
        elif kind in _HEADINGS and len(text) > 1:  # not the letter of an index
            heading = text


def _form_of_rows(text: str) -> tuple[_Form, bool] | None:
    """Return the form of a table whose rows all end with a number."""
    is_numbered = all(map(_NUMBERED_ROW.fullmatch, _LINE_END.split(text)))
    return (_Form.NUMBERED, False) if is_numbered else None


def _form(text: str) -> tuple[_Form, bool] | None:
    """Return the form of a block's text, and whether it is certain."""
    lines = _LINE_END.split(text)
    leaders = [line for line in lines if _has_leader(line)]
    others = [line for line in lines if not _has_leader(line)]
    if 0 < len(leaders) >= len(others) and all(map(_is_part, others)):
        return _Form.LEADER, any(_LONG_LEADER.search(line[-_LONGEST_END:]) for line in leaders)
    if all(_TERM.fullmatch(term) for term in _TERM_END.split(text)):
        return _Form.TERM, False
    if all(_NUMBERED.fullmatch(line) for line in lines):
        return _Form.NUMBERED, False
    return _reference(" ".join(text.split()))


def _has_leader(line: str) -> bool:
    return _LEADER.search(line[-_LONGEST_END:]) is not None


def _is_part(line: str) -> bool:
    """Tell whether a line may stand among entries: a heading, or a first line of two."""
    return len(line) <= _LONGEST_IN_GAP and _SENTENCE_END.search(line) is None


def _reference(text: str) -> tuple[_Form, bool] | None:
    if len(text) > _MAX_REFERENCE:
        return None
    is_published = _PUBLISHED.search(text) or _PLACE_AT_END.search(text)
    if _AUTHORS_AND_YEAR.match(text):
        return _Form.REFERENCE, is_published is not None
    if _YEAR_AT_END.search(text) is None or _FINITE.search(text):
        return None
    if match := _AUTHORS_FIRST.match(text):
        return _Form.REFERENCE, is_published is not None and match[1] is not None
    return (_Form.REFERENCE, False) if is_published and _MARKED.match(text) else None


def _is_accepted(run: Sequence[_Entry]) -> bool:
    form, is_headed = run[0].form, run[0].is_headed
    ends = _TERM_END if form is _Form.TERM else _LINE_END
    lines = [line for entry in run for line in ends.split(entry.text)]
    is_certain = any(entry.is_certain for entry in run)
    if form is _Form.REFERENCE:
        return is_certain or (is_headed and len(run) > 1)
    if form is _Form.LEADER:
        initials = _initials(filter(_has_leader, lines))
        return is_certain and (is_headed or _are_ordered(initials) or _are_paged(lines))
    if form is _Form.NUMBERED:
        return is_headed and len(lines) >= _MIN_NUMBERED and _are_paged(lines)
    if len(lines) < (_MIN_TERMS if is_headed else _MIN_TERMS_UNHEADED):
        return False
    pages = [match[1].count(",") for match in map(_TERM.fullmatch, lines) if match]
    several = sum(count > 1 for count in pages) / len(lines)
    return _are_ordered(_initials(lines)) and (is_headed or several >= _SEVERAL_PAGES)


def _initials(lines: Iterable[str]) -> list[int]:
    return [ord(line.lstrip()[0].casefold()[0]) for line in lines]


def _are_paged(lines: Sequence[str]) -> bool:
    """Tell whether the page numbers of a table of contents ascend."""
    pages = [match[1] for match in map(_LAST_NUMBER.search, lines) if match]  # not Roman ones
    return _are_ordered([int(page) for page in pages])


def _are_ordered(values: Sequence[int]) -> bool:
    pairs = list(pairwise(values))
    is_long = len(values) >= _MIN_ORDERED
    return is_long and sum(a <= b for a, b in pairs) >= _IN_ORDER * len(pairs)

"""Label each paragraph of a PDF file: heading, list item, caption, code, footnote or text.

Without bookmarks, a heading is recognized by its looks: larger than the body, or bold where the body is not, or in
capitals, or numbered in a font of its own, and alone in its row. Sizes are letter heights, which differ a little within
one font.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median

from graphrag_tasks.parse.pdf.lines import Body, Line, is_capitals, join_lines
from graphrag_tasks.parse.pdf.paragraphs import BULLET, CAPTION, DOT_LEADER, NUMBER

_LARGE, _LARGER = 1.28, 1.12  # sizes of the body
_LARGE_IN_FONT = 1.2  # where the font is the body's: letters of one font differ in height
_MIN_BOLD = 0.9  # below, bold words are those of a drawing
_NO_DESCENDER = 0.76  # of the height, in fonts whose boxes are those of the letters
_SMALL = 0.86  # size of the body, below which text is a footnote's
_LOW = 0.7  # share of the page above footnotes
_MAX_LINES, _MAX_LENGTH = 4, 220  # lines and characters of any heading
_BOLD_LENGTH, _CAPITALS_LENGTH, _NUMBERED_LENGTH, _FONT_LENGTH = 140, 90, 90, 80
"""Longest heading, in characters, recognized by bold type, capitals, a number, or font."""

_SECTION_NUMBER = re.compile(
    r"(?:(?:chapter|section|part|appendix|annex|article)\s+[\dA-Z]+\b"
    r"|[A-Z]?\d{0,2}(?:\.\d+)+\.?\s|\d{1,2}\.?\s+(?=\S)|[IVX]+\.\s|[A-Z]\.(?:\d+\.?)*\s)",
    re.IGNORECASE,
)
_ITEM_NUMBER = re.compile(r"(?:\d+(?:\.\d+)*\.?|[A-Z]\.|[IVX]+\.)\s")
_PLAIN_NUMBER = re.compile(r"\d+(?:\.\d+)*\.?\s+[A-Z]")
_USUAL = re.compile(r"(?:abstract|introduction|references|conclusions?|acknowledge?ments?|contents)", re.IGNORECASE)
_FORMULA = re.compile(r"[=;{}<>]|\w\(\)|_\w+_|\\")
_DESCENDER = re.compile(r"[gjpqy(),;/]")
_NOTE_MARK = re.compile(r"[\d*†‡§¹²³]")
_LEADING_NUMBERING = re.compile(r"^[\W\d_]+")


class Label(Enum):
    """The kind of a paragraph."""

    HEADING = "heading"
    LIST_ITEM = "list_item"
    CAPTION = "caption"
    CODE = "code"
    FOOTNOTE = "footnote"
    TEXT = "text"


@dataclass(frozen=True)
class _Looks:
    text: str
    lines: Sequence[Line]
    ratio: float  # of its size to the body's
    bold: bool
    letters: int

    @property
    def ends_open(self) -> bool:
        return self.text[-1] not in ".,;"

    @property
    def is_tiny(self) -> bool:
        least = _MIN_BOLD if _DESCENDER.search(self.text) else _MIN_BOLD * _NO_DESCENDER
        return self.ratio < least

    @property
    def is_numbered(self) -> bool:
        return is_numbered(self.text)


def is_numbered(text: str) -> bool:
    """Tell whether the text begins with a section number."""
    return _SECTION_NUMBER.match(text) is not None


def heading_key(title: str) -> str:
    """Return the comparison key of a heading: no numbering, case or blank space."""
    return "".join(_LEADING_NUMBERING.sub("", title).casefold().split())


def bookmarked(lines: Sequence[Line], bookmarks: Mapping[str, int]) -> tuple[list[list[Line]], list[Line]]:
    """Take the headings that a page's bookmarks name out of its lines.

    `bookmarks` counts each heading key. Returned are the headings, of one or two lines each, and the other lines.
    """
    left = dict(bookmarks)
    headings: list[list[Line]] = []
    others: list[Line] = []
    skip = False
    for index, line in enumerate(lines):
        if skip:
            skip = False
            continue
        for group in (lines[index : index + 1], lines[index : index + 2]):
            key = heading_key(" ".join(member.text for member in group))
            if key and left.get(key, 0) > 0:
                left[key] -= 1
                headings.append(list(group))
                skip = len(group) > 1
                break
        else:
            others.append(line)
    return headings, others


def nested(levels: Iterable[int]) -> list[int]:
    """Return heading levels without gaps: each is at most one below its parent."""
    above: list[int] = []
    found: list[int] = []
    for level in levels:
        while above and above[-1] >= level:
            above.pop()
        above.append(level)
        found.append(len(above))
    return found


def label(paragraph: Sequence[Line], body: Body, page_height: float) -> Label:
    """Return the label of a paragraph."""
    text = join_lines(line.text for line in paragraph)
    looks = _Looks(
        text=text,
        lines=paragraph,
        ratio=median(line.size for line in paragraph) / body.size,
        bold=all(line.font.bold for line in paragraph) and not body.bold,
        letters=sum(map(str.isalpha, text)),
    )
    if _is_code(looks, body):
        return Label.CODE
    if CAPTION.match(text) and len(text) < 600:
        return Label.CAPTION
    if _is_heading(looks, body):
        return Label.HEADING
    if BULLET.match(text) or NUMBER.match(text):
        return Label.LIST_ITEM
    is_low = paragraph[0].box.top > _LOW * page_height
    if looks.ratio < _SMALL and is_low and _NOTE_MARK.match(text):
        return Label.FOOTNOTE
    return Label.TEXT


def _is_code(looks: _Looks, body: Body) -> bool:
    is_mono = all(line.font.mono for line in looks.lines) and not body.mono
    return is_mono and (len(looks.lines) > 1 or len(looks.text) > 3)


def _is_heading(looks: _Looks, body: Body) -> bool:
    text = looks.text
    printed = len(_LEADING_NUMBERING.sub("", text).replace(" ", ""))
    if looks.letters < 2 or looks.letters <= 0.4 * printed or DOT_LEADER.search(text):
        return False
    if len(looks.lines) > _MAX_LINES or len(text) > _MAX_LENGTH:
        return False
    if looks.ratio < _LARGE and not all(line.alone for line in looks.lines):
        return False
    if _FORMULA.search(text) and not looks.is_numbered:
        return False
    if (BULLET.match(text) or NUMBER.match(text)) and not _ITEM_NUMBER.match(text):
        return looks.bold and len(looks.lines) == 1 and looks.ratio >= 1 and looks.ends_open
    return _stands_out(looks, body) or _differs(looks, body)


def _stands_out(looks: _Looks, body: Body) -> bool:
    text, count = looks.text, len(looks.lines)
    if looks.ratio >= _LARGE:
        return True
    has_own_font = looks.lines[0].font.name != body.font
    if looks.ratio >= (_LARGER if has_own_font else _LARGE_IN_FONT) and looks.ends_open:
        return looks.bold or len(text) < 90
    if looks.bold and not looks.is_tiny and len(text) <= _BOLD_LENGTH and count <= 3:
        return looks.ends_open or looks.is_numbered
    is_shouted = is_capitals(text) and looks.letters >= 6 and count <= 2
    return is_shouted and len(text) <= _CAPITALS_LENGTH and text[-1] not in ".,;:"


def _differs(looks: _Looks, body: Body) -> bool:
    text, font = looks.text, looks.lines[0].font
    if _USUAL.fullmatch(text):
        return True
    if font.name == body.font or font.mono or text[-1] in ".,;:":
        return False
    if len(looks.lines) == 1 and len(text) <= _NUMBERED_LENGTH and _PLAIN_NUMBER.match(text):
        return True
    if font.italic and not (looks.is_numbered or (len(text) <= 40 and text.istitle())):
        return False
    is_short = len(looks.lines) <= 2 and 3 <= len(text) <= _FONT_LENGTH and len(text.split()) <= 9
    return is_short and looks.ratio >= 0.97 and text[0].isupper() and text[-1] not in ")-"

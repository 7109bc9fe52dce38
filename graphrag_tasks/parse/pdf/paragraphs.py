"""Group text lines of a PDF page into paragraphs, and label them: heading, list item, caption, footnote.

Lines are chained from top to bottom, each with its nearest neighbour, so that columns do not mix. A chain is cut where
a line is set apart, changes size or style, is indented, starts a list item, or begins with a word that would have
fitted on the line above.

Lengths are points from the top left of a page; factors are in line heights.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise, zip_longest
from statistics import median
from typing import NamedTuple

from graphrag_tasks.parse.pdf.lines import Body, Line, is_capitals, is_right_to_left, join_lines, union

_LINE_GAP = 0.9  # between two lines of a paragraph
_CODE_GAP = 1.2  # between two lines of code, whose letters are low
_OVERLAP = 0.5  # of two lines of a paragraph, which letters with accents may cause
_LOOSER = 0.45  # that a gap may be wider than is usual in its string of lines
_SIZE_RATIO = 1.4  # a line's height depends on its letters: only a clear step is another size
_FONT_RATIO = 1.15  # the same where the fonts differ as well
_SHARED_WIDTH = 0.1  # of the narrower of two lines that stand one below the other
_INDENT = 0.5  # beyond which a line begins a paragraph
_MAX_INDENT = 4.0  # beyond which a line belongs to something else
_ROOM = 1.1  # widths of the next word that a line must have left to have ended its paragraph
_LOOK_DOWN = 4.0  # how far below a line its neighbour is looked for
_LARGE = 1.12  # sizes of the body that headings are beyond
_SHORT_HEAD = 70  # characters of a line in a font of its own that may head the text below it

BULLET = re.compile(r"[•‣▪●○◦■□▶✓➢❖∙·∞*\uf0b7\uf0a7\u2013-]\s+(?=\S)")
NUMBER = re.compile(r"[(]?(?:\d{1,2}|[a-z]|[ivx]{2,4})[.)]\s+(?=\S)")
_BROKEN = re.compile(r"[^\W\d_][-\u2010\u00ad]\Z")
_NUMBERED = re.compile(r"[A-Z\d]{1,3}(?:\.\d+)+\.?\s")
CAPTION = re.compile(
    r"(?:fig(?:ure|ura|\.)?|abb(?:ildung|\.)|tab(?:le|elle|la|leau|\.)|exhibit|listing)"
    r"\s*(?:[A-Z]|\d+)(?:[.-]?\d+)*\s*[.:|]|[\[<(]?[图圖図表그표]림?\s?\d+(?:[.-]\d+)*[\]>).:\s]",
    re.IGNORECASE,
)
DOT_LEADER = re.compile(r"(?:\.\s?){4,}\s*[\divxl]+$")


def paragraphs(lines: Sequence[Line], body: Body) -> list[list[Line]]:
    """Return the lines of a page by paragraph, from top to bottom."""
    found = [part for string in _strings(lines, body) for part in _cut(string, body)]
    return sorted(found, key=lambda part: (part[0].box.top, part[0].box.left))


def _strings(lines: Sequence[Line], body: Body) -> Iterator[list[Line]]:
    ordered = sorted(lines, key=lambda line: (line.box.top, line.box.left))
    below = [_nearest_below(ordered, index, body) for index in range(len(ordered))]
    above: dict[int, int] = {}
    for upper, lower in enumerate(below):
        if lower is not None and (lower not in above or ordered[above[lower]].box.bottom < ordered[upper].box.bottom):
            above[lower] = upper
    following = {upper: lower for lower, upper in above.items()}
    for start in range(len(ordered)):
        if start in above:
            continue
        string, index = [ordered[start]], start
        while index in following:
            index = following[index]
            string.append(ordered[index])
        yield string


def _nearest_below(ordered: Sequence[Line], index: int, body: Body) -> int | None:
    line = ordered[index]
    for other in range(index + 1, len(ordered)):
        candidate = ordered[other]
        gap = candidate.box.top - line.box.bottom
        if gap > _LOOK_DOWN * max(line.height, body.size):
            return None
        is_below = candidate.box.top >= line.box.top + 0.4 * min(line.height, candidate.height)
        if is_below and _shared_width(line, candidate) > _SHARED_WIDTH:
            return other if gap <= _reach(line, candidate) else None
    return None


def _reach(upper: Line, lower: Line) -> float:
    is_code = upper.font.mono and lower.font.mono
    return (_CODE_GAP if is_code else _LINE_GAP) * max(upper.height, lower.height)


def _shared_width(first: Line, second: Line) -> float:
    shared = min(first.box.right, second.box.right) - max(first.box.left, second.box.left)
    return shared / min(first.width, second.width)


def _cut(string: Sequence[Line], body: Body) -> Iterator[list[Line]]:
    gaps = [lower.box.top - upper.box.bottom for upper, lower in pairwise(string)]
    usual = median(gaps) if len(gaps) > 1 else float("inf")
    current = [string[0]]
    for upper, lower in pairwise(string):
        apart = lower.box.top - upper.box.bottom > usual + _LOOSER * body.size
        if apart or not _takes(current, lower, body):
            yield current
            current = []
        current.append(lower)
    yield current


def _takes(current: Sequence[Line], line: Line, body: Body) -> bool:
    last = current[-1]
    gap = line.box.top - last.box.bottom
    if not -_OVERLAP * last.height <= gap <= _reach(last, line):
        return False
    if not 1 / _SIZE_RATIO <= line.size / last.size <= _SIZE_RATIO:
        return False
    is_title = _are_title(last, line, body)
    if (
        (not is_title and _changes_style(last, line) and not _is_wrapped_code(current, line))
        or _starts_something(line)
        or DOT_LEADER.search(last.text)
    ):
        return False
    if last.font.mono and line.font.mono and not body.mono:
        return True
    if _heads(last, line, body):
        return False
    if is_title:
        return not _had_room(current, line) and not _NUMBERED.match(line.text)
    is_broken = _BROKEN.search(last.text) is not None and line.text[:1].islower()
    return not _is_indented(current, line) and (is_broken or not _had_room(current, line))


def _are_title(last: Line, line: Line, body: Body) -> bool:
    """Tell whether both lines belong to one long heading, which may be indented or hold code."""
    is_bold = last.font.bold and line.font.bold and not body.bold
    return is_bold and min(last.size, line.size) >= _LARGE * body.size


def _is_wrapped_code(current: Sequence[Line], line: Line) -> bool:
    """Tell whether a sentence's line is filled by code names, continuing prose above."""
    first, last = current[0], current[-1]
    if first.font.mono or last.font.mono == line.font.mono or last.text[-1] in ".:;!?":
        return False
    if len(current) == 1 and not line.text.endswith("."):
        return False  # too little to tell how wide the paragraph is
    is_flush = abs(line.box.left - last.box.left) <= _INDENT * last.height
    return is_flush and not _had_room(current, line)


def _changes_style(last: Line, line: Line) -> bool:
    if last.font.name != line.font.name:
        pairs = (last.height, line.height), (last.size, line.size)
        is_step = all(max(pair) > _FONT_RATIO * min(pair) for pair in pairs)
        if last.font.mono != line.font.mono or is_step:
            return True
    return last.font.bold != line.font.bold and (line.font.bold or len(last.text) < 90)


def _starts_something(line: Line) -> bool:
    if BULLET.match(line.text) or NUMBER.match(line.text):
        return True
    return line.font.bold and CAPTION.match(line.text) is not None


def _heads(last: Line, line: Line, body: Body) -> bool:
    """Tell whether the upper line is a heading: short, in capitals or another font."""
    text = last.text
    if is_capitals(text) and not is_capitals(line.text) and len(text) < 60:
        return last.height >= 0.9 * line.height
    if last.font.name == line.font.name or line.font.name != body.font:
        return False
    is_short = len(text) <= _SHORT_HEAD and last.width < 0.75 * line.width
    return is_short and text[:1].isupper() and text[-1] not in ".,;:-"


def _is_indented(current: Sequence[Line], line: Line) -> bool:
    first, last = current[0], current[-1]
    indent = line.box.left - last.box.left
    if len(current) > 1 and indent > _INDENT * last.height:
        return not is_right_to_left(last.text)
    offset = min(
        abs(indent),
        abs(line.box.left - first.box.left),
        abs(line.box.right - last.box.right),
        abs(line.box.left + line.box.right - last.box.left - last.box.right) / 2,
    )
    return offset > _MAX_INDENT * last.height


def _had_room(current: Sequence[Line], line: Line) -> bool:
    last, around = current[-1].box, union(member.box for member in (*current, line))
    is_reversed = is_right_to_left(line.text)
    room = last.left - around.left if is_reversed else around.right - last.right
    word = len(line.text.split(maxsplit=1)[0]) + 1
    return room > _ROOM * line.width * word / (len(line.text) + 1)


# Label each paragraph of a PDF file: heading, list item, caption, code, footnote or text.

_LARGEST, _LARGER = 1.28, 1.12  # sizes of the body
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
    if looks.ratio < _LARGEST and not all(line.alone for line in looks.lines):
        return False
    if _FORMULA.search(text) and not looks.is_numbered:
        return False
    if (BULLET.match(text) or NUMBER.match(text)) and not _ITEM_NUMBER.match(text):
        return looks.bold and len(looks.lines) == 1 and looks.ratio >= 1 and looks.ends_open
    return _stands_out(looks, body) or _differs(looks, body)


def _stands_out(looks: _Looks, body: Body) -> bool:
    text, count = looks.text, len(looks.lines)
    if looks.ratio >= _LARGEST:
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


# Reject paragraphs that look like headings but are not, by their context.

_LEADERS = 4  # lines with dot leaders that a table of contents has at least on a page
_HEADING_SIZE = 1.12  # sizes of the body that a heading is told by
_PLAIN_HEADINGS = 3  # headings told by size or number, where terms are told from them
_TERM_GAP = 0.6  # between a term and what it means
_MIN_INDENT, _HEADING_INDENT = 0.8, 8.0  # of what a term means, in sizes of the body
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
    is_large = min(line.size for line in part.lines) >= _HEADING_SIZE * body.size
    return is_large or is_capitals(part.text) or is_numbered(part.text)


def _is_term(part: Labelled, below: Labelled | None, body: Body) -> bool:
    if below is None or below.label is Label.HEADING or _is_plain(part, body):
        return False
    last, first = part.lines[-1], below.lines[0]
    indent = (first.box.left - part.lines[0].box.left) / body.size
    gap = (first.box.top - last.box.bottom) / body.size
    return _MIN_INDENT <= indent <= _HEADING_INDENT and gap <= _TERM_GAP

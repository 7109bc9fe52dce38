"""Group text lines of a PDF page into paragraphs.

Lines are chained from top to bottom, each with its nearest neighbour, so that columns do not mix. A chain is cut where
a line is set apart, changes size or style, is indented, starts a list item, or begins with a word that would have
fitted on the line above.

Lengths are points from the top left of a page; factors are in line heights.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from graphrag_tasks.parse.pdf.lines import Body, Line, is_capitals, is_right_to_left, union

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

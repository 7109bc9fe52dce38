"""Read text pieces and boxes from docling-parse's output for a PDF page.

Words and lines come from its native page, not from Docling's page object, whose pydantic models for each word cost as
much time as everything else together, and most of the memory.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from math import atan2, degrees
from operator import itemgetter
from statistics import median_low
from typing import TYPE_CHECKING, Any

from docling.utils.font_style import parse_font_style, weight_class

from graphrag_tasks.parse.blocks import Box
from graphrag_tasks.parse.docling_blocks import decoder_of
from graphrag_tasks.parse.pdf.grids import in_columns
from graphrag_tasks.parse.pdf.lines import (
    Font,
    Line,
    body_of,
    corners_of,
    is_right_to_left,
    lines_of,
    rows_of,
    same_row,
    turn_of,
    turned,
    turned_back,
    union,
)
from graphrag_tasks.parse.text import raised

if TYPE_CHECKING:
    from docling.backend.docling_parse_backend import ThreadedDoclingParsePageBackend
    from docling.backend.pdf_backend import PdfPageBackend
    from docling_core.types.doc.base import BoundingBox, Size

_MAX_SHAPES = 4000  # of a page: maps and drawings have more, and no tables
_MAX_THICKNESS = 3.0  # points
_CODE_SHARE = 0.1  # of a line of code that may be in another font
_STRAIGHT = 0.5  # points that a line may lean
_LEAN = 0.13  # rise of a line that counts as upright, for each point ahead
_STEP = 15  # degrees between two angles of text that are told apart
_TOUCHING = 0.12  # between a word and a raised number, in its sizes
_SCRIPT_SIZE, _SHIFT = 0.8, 0.15  # of what is raised, at most, and of its baseline, at least
_HIGH = 20_000  # points; no page is
_ODD = 0.1  # points that heights differ by
_TOLD = 0.9  # of the usual height: some fonts tell half of theirs
_TALL = 1.5  # heights of a word, beyond which it may be made of two rows
_SUBSET = re.compile(r"^/?(?:[A-Z]{6}\+)?")
_MONO = re.compile(
    r"mono|nimbusmon|courier|cmtt|typewriter|consol|inconsol|fixed|sftt|txtt|xbtt|sourcecode|menlo", re.IGNORECASE
)
# Bold in the names of TeX fonts and in abbreviations that Docling does not know
_BOLD = re.compile(r"bold|-bd|black|heavy|demi|cmbx|bx1|-medi|xbtt", re.IGNORECASE)


def page_text(page: ThreadedDoclingParsePageBackend, symbols: Sequence[Line] = ()) -> tuple[list[Line], list[Line]]:
    """Return the words and lines of a page, each with its most frequent font.

    The parser joins the end of a word with the beginning of another right below it; such words and their lines are
    split. It takes `symbols`, given by the middles of their places, for letters.
    """
    native = decoder_of(page)
    number, size = page.page_no, page.get_size()
    words = _pieces(native.get_word_cells(), number, size)
    lines = _pieces(native.get_line_cells(), number, size)
    if symbols:
        letters = _pieces(native.get_char_cells(), number, size)
        spelling = _Spelling(letters, symbols, max(size.width, size.height))
        words, lines = [list(map(spelling.of, pieces)) for pieces in (words, lines)]
    usual = body_of(words).size
    tall = {(int(word.box.top), int(word.box.bottom)) for word in words if _is_tall(word, usual)}
    if tall:  # look only at letters beside such words: pages have thousands
        beside = {at for top, bottom in tall for at in range(max(top, 0), min(bottom, _HIGH) + 1)}
        cells = (cell for cell in native.get_char_cells() if int(size.height - (cell.r_y0 + cell.r_y2) / 2) in beside)
        placed = Placed(_pieces(cells, number, size))
        words = [part for word in words for part in split_word(word, placed, usual)]
        parts = Placed(words)
        lines = [part for line in lines for part in _split_line(line, parts, usual)]
    words = [word for group in by_turn(words).values() for word in in_columns(group)]
    return with_scripts(words), settled(lines, words, usual)


class Placed:
    """Index of the pieces of a page by the middle of their boxes."""

    def __init__(self, pieces: Iterable[Line]) -> None:
        numbered = enumerate(pieces)
        self._pieces = sorted((*_middle(piece.box), number, piece) for number, piece in numbered)
        self._heights = [height for height, *_ in self._pieces]

    def inside(self, box: Box) -> list[Line]:
        """Return the pieces whose middle lies in a box, in their original order."""
        near = slice(bisect_left(self._heights, box.top), bisect_right(self._heights, box.bottom))
        found = [(number, piece) for _, across, number, piece in self._pieces[near] if box.left <= across <= box.right]
        return [piece for _, piece in sorted(found, key=itemgetter(0))]


class _Spelling:
    """Puts symbols in the place of the letters that the parser takes them for."""

    def __init__(self, letters: Sequence[Line], symbols: Iterable[Line], page_side: float) -> None:
        said = Placed(symbols)
        self._symbols = {
            id(letter): one.text
            for letter in letters
            for one in said.inside(turned_back(letter.box, page_side))
            if one.text[0] != " " or one.text[1:] == letter.text
        }
        self._wrong = Placed(letter for letter in letters if id(letter) in self._symbols)
        self._letters = Placed(letters)

    def of(self, piece: Line) -> Line:
        """Return a piece with its symbols; unchanged where its letters are not known one by one."""
        if not self._wrong.inside(piece.box):
            return piece
        text, at = "", 0
        for letter in sorted(self._letters.inside(piece.box), key=lambda one: one.box.left):
            place = piece.text.find(letter.text, at)
            if place < 0:
                return piece
            text += piece.text[at:place] + self._symbols.get(id(letter), letter.text)
            at = place + len(letter.text)
        return replace(piece, text=" ".join((text + piece.text[at:]).split()))


def split_word(word: Line, letters: Placed, usual: float) -> list[Line]:
    """Split a tall word whose letters stand in several rows; else return it unchanged."""
    if not _is_tall(word, usual):
        return [word]
    rows = rows_of(letters.inside(word.box))
    parts = [line for row in rows for line in lines_of(row)]
    if not _are_stacked(rows) or not _same_letters([word], parts):
        return [word]
    return parts


def _are_stacked(rows: Sequence[Sequence[Line]]) -> bool:
    """Tell whether rows lie below each other; hanging commas do not count as a row."""
    boxes = [union(piece.box for piece in row) for row in rows]
    return len(boxes) > 1 and not any(map(same_row, boxes, boxes[1:]))


def settled(lines: Iterable[Line], words: Iterable[Line], usual: float) -> list[Line]:
    """Set each line's column and its most frequent font, and write its raised characters as such.

    The size of a line is that of most of its characters, of which one may be odd. The parser joins lines of two close
    columns; such a line is replaced by its words.
    """
    placed = Placed(words)
    found: list[Line] = []
    for line in lines:
        fonts: Counter[Font] = Counter()
        inside = placed.inside(line.box)
        for word in inside:
            fonts[word.font] += len(word.text)
        columns = {word.column for word in inside} or {0}
        if len(columns) > 1 and _same_letters([line], inside):
            found.extend(inside)
            continue
        font = _main_font(fonts) if len(fonts) > 1 else line.font
        whole = with_scripts(inside)
        if len(whole) < len(inside) and _same_letters([line], inside):
            line = replace(line, text=" ".join(word.text for word in whole))
        size = _usual_size(line, whole, usual)
        found.append(replace(line, font=font, column=min(columns), size=size))
    return found


def _usual_size(line: Line, words: Sequence[Line], usual: float) -> float:
    """Return the height of most characters of a line, unless their font understates it."""
    if all(word.size > line.size - _ODD for word in words):
        return line.size
    size = median_low(word.size for word in words for _ in word.text)
    return size if size >= _TOLD * usual else line.size


def with_scripts(words: Iterable[Line]) -> list[Line]:
    """Join numbers above or below the baseline to the word that they touch: 10⁶, H2O.

    Other raised text is a mark of a note, and stays a word, except the letters of an ordinal.
    """
    found: list[Line] = []
    is_open = False  # the last word ends in such a number
    for word in words:
        last, text = found[-1] if found else word, word.text
        shift = (last.box.bottom - word.box.bottom) / last.size
        if abs(word.box.left - last.box.right) > _TOUCHING * last.size:
            is_open = False
        elif word.size <= _SCRIPT_SIZE * last.size and _SHIFT <= abs(shift) < 1:
            text = raised(last.text, word.text, lowered=shift < 0)
            is_ordinal = last.text[-1:].isdigit() and len(text) > 1 and text.isalpha()
            is_open = shift < 0 or text != word.text or is_ordinal
        else:
            is_open = is_open and abs(shift) < _SHIFT
        if is_open:
            box = last.box._replace(right=word.box.right)
            found[-1] = replace(last, text=last.text + text, box=box)
        else:
            found.append(word)
    return found


def drawn_lines(page: PdfPageBackend, turn: int) -> list[Box]:
    """Return the drawn lines and thin boxes of a page as text of this turn has them."""
    if turn % 90:
        return []
    lines = page.get_shape_lines(tolerance=_STRAIGHT) or []
    boxes = page.get_thin_shape_boxes(max_thickness=_MAX_THICKNESS) or []
    found = [box_of(box) for box in (*lines, *boxes)][:_MAX_SHAPES]
    size = page.get_size()
    side = max(size.width, size.height)
    return [turned(corners_of(box), turn, side) for box in found] if turn else found


def box_of(box: BoundingBox) -> Box:
    """Convert a Docling box to ours, with the origin at the top left."""
    return Box(box.l, min(box.t, box.b), box.r, max(box.t, box.b))


def by_turn(words: Iterable[Line]) -> dict[int, list[Line]]:
    """Return the words of a page by the turn that sets them upright; those that stand so first."""
    found: dict[int, list[Line]] = defaultdict(list)
    for word in words:
        found[turn_of(word.box.top)].append(word)
    return dict(sorted(found.items()))


def _pieces(cells: Iterable[Any], page: int, page_size: Size) -> list[Line]:
    """Return native cells that have text as upright pieces, with the origin at the top left."""
    found: list[Line] = []
    page_height = page_size.height
    for cell in cells:
        text = cell.text
        if not text.strip():
            continue
        across = (cell.r_x0, cell.r_x1, cell.r_x2, cell.r_x3)
        up = (cell.r_y0, cell.r_y1, cell.r_y2, cell.r_y3)
        box = Box(min(across), page_height - max(up), max(across), page_height - min(up))
        ahead, rise = across[1] - across[0], up[1] - up[0]
        if abs(rise) > _LEAN * ahead:
            turn = round(degrees(atan2(rise, ahead)) / _STEP) * _STEP % 360
            corners = (complex(x, page_height - y) for x, y in zip(across, up, strict=True))
            box = turned(corners, turn, max(page_size.width, page_height))
        size = max(box.bottom - box.top, 0.1)
        found.append(Line(text, box, page, font_named(cell.font_name), size))
    return found


def _split_line(line: Line, words: Placed, usual: float) -> list[Line]:
    """Split a line whose words stand in several rows; else return it unchanged."""
    if not _is_tall(line, usual):
        return [line]
    inside = words.inside(line.box)
    tallest = max(inside, key=lambda word: word.height, default=line).box
    is_one = all(same_row(tallest, word.box) for word in inside)
    return [line] if is_one or not _same_letters([line], inside) else inside


def _is_tall(piece: Line, usual: float) -> bool:
    is_long = len(piece.text) > 1 and not is_right_to_left(piece.text)
    return is_long and piece.height > _TALL * usual


def _same_letters(first: Iterable[Line], second: Iterable[Line]) -> bool:
    return _letters(first) == _letters(second)


def _letters(pieces: Iterable[Line]) -> list[str]:
    return sorted("".join("".join(piece.text.split()) for piece in pieces))


def _main_font(fonts: Counter[Font]) -> Font:
    """Return the most frequent font; prose that is mostly inline code counts as prose."""
    prose = Counter({font: count for font, count in fonts.items() if not font.mono})
    is_code = prose.total() <= _CODE_SHARE * fonts.total()
    return (fonts if is_code else prose).most_common(1)[0][0]


def _middle(box: Box) -> tuple[float, float]:
    return (box.top + box.bottom) / 2, (box.left + box.right) / 2


@cache
def font_named(name: str) -> Font:
    """Return what a font's name says about its weight, slant and pitch."""
    style = parse_font_style(name)
    is_bold = style.known and weight_class(style.weight) >= 1
    return Font(
        name=_SUBSET.sub("", name),
        bold=is_bold or _BOLD.search(name) is not None,
        italic=style.italic,
        mono=_MONO.search(name) is not None,
    )

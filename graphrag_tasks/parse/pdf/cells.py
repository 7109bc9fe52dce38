"""What Docling reports of a PDF page as boxes and pieces of text."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from docling.utils.font_style import parse_font_style, weight_class
from docling_core.types.doc.page import PdfTextCell

from graphrag_tasks.parse.blocks import Box
from graphrag_tasks.parse.pdf.lines import Font, Line

if TYPE_CHECKING:
    from docling.backend.pdf_backend import PdfPageBackend
    from docling_core.types.doc.base import BoundingBox
    from docling_core.types.doc.page import TextCell

_MAX_SHAPES = 4000  # of a page: maps and drawings have more, and no tables
_MAX_THICKNESS = 3.0  # points
_CODE_SHARE = 0.1  # of a line of code that may be in another font
_STRAIGHT = 0.5  # points that a line may lean
_SUBSET = re.compile(r"^/?(?:[A-Z]{6}\+)?")
_MONO = re.compile(
    r"mono|courier|cmtt|typewriter|consol|inconsol|fixed|sftt|txtt|sourcecode|menlo", re.IGNORECASE
)
# Bold in the names of TeX fonts and in abbreviations that Docling does not know
_BOLD = re.compile(r"bold|-bd|black|heavy|demi|cmbx|bx1|-medi", re.IGNORECASE)


def pieces(cells: Iterable[TextCell], page: int) -> list[Line]:
    """Return the cells that hold text; their boxes must have their origin at the top left."""
    return [_piece(cell, page) for cell in cells if cell.text.strip()]


def settle_fonts(lines: Sequence[TextCell], words: Sequence[TextCell]) -> None:
    """Give each line the font of most of its letters; the parser gives it that of its first."""
    placed = sorted(
        ((*_middle(word), word) for word in words if word.text.strip()), key=lambda item: item[0]
    )
    heights = [height for height, _, _ in placed]
    for line in lines:
        box = box_of(line.rect.to_bounding_box())
        fonts: Counter[str] = Counter()
        near = slice(bisect(heights, box.top), bisect(heights, box.bottom))
        for _, across, word in placed[near]:
            if box.left <= across <= box.right:
                fonts[getattr(word, "font_name", "")] += len(word.text)
        if len(fonts) > 1 and isinstance(line, PdfTextCell):
            line.font_name = _main_font(fonts)


def drawn_lines(page: PdfPageBackend) -> list[Box]:
    """Return the drawn lines and thin boxes of a page; the backend must render, at any scale."""
    lines = page.get_shape_lines(tolerance=_STRAIGHT) or []
    boxes = page.get_thin_shape_boxes(max_thickness=_MAX_THICKNESS) or []
    return [box_of(box) for box in (*lines, *boxes)][:_MAX_SHAPES]


def box_of(box: BoundingBox) -> Box:
    """Return a box of Docling with its origin at the top left as ours."""
    return Box(box.l, min(box.t, box.b), box.r, max(box.t, box.b))


def _main_font(fonts: Counter[str]) -> str:
    """Return the most frequent font; a line of prose may be mostly code and is prose still."""
    prose = Counter({name: count for name, count in fonts.items() if not _font(name).mono})
    is_code = prose.total() <= _CODE_SHARE * fonts.total()
    return (fonts if is_code else prose).most_common(1)[0][0]


def _middle(cell: TextCell) -> tuple[float, float]:
    """Return where a cell's middle is, from the top and from the left."""
    rect = cell.rect
    return (rect.r_y0 + rect.r_y2) / 2, (rect.r_x0 + rect.r_x2) / 2


def _piece(cell: TextCell, page: int) -> Line:
    box = box_of(cell.rect.to_bounding_box())
    font = _font(getattr(cell, "font_name", ""))
    return Line(cell.text, box, page, font, max(box.bottom - box.top, 0.1))


@cache
def _font(name: str) -> Font:
    style = parse_font_style(name)
    is_bold = style.known and weight_class(style.weight) >= 1
    return Font(
        name=_SUBSET.sub("", name),
        bold=is_bold or _BOLD.search(name) is not None,
        italic=style.italic,
        mono=_MONO.search(name) is not None,
    )

"""What Docling reports of a PDF page as boxes and pieces of text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from docling.utils.font_style import parse_font_style, weight_class

from graphrag_tasks.parse.blocks import Box
from graphrag_tasks.parse.pdf.lines import Font, Line

if TYPE_CHECKING:
    from docling.backend.pdf_backend import PdfPageBackend
    from docling_core.types.doc.base import BoundingBox
    from docling_core.types.doc.page import TextCell

_MAX_SHAPES = 4000  # of a page: maps and drawings have more, and no tables
_MAX_THICKNESS = 3.0  # points
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


def drawn_lines(page: PdfPageBackend) -> list[Box]:
    """Return the drawn lines and thin boxes of a page; the backend must render, at any scale."""
    lines = page.get_shape_lines(tolerance=_STRAIGHT) or []
    boxes = page.get_thin_shape_boxes(max_thickness=_MAX_THICKNESS) or []
    return [box_of(box) for box in (*lines, *boxes)][:_MAX_SHAPES]


def box_of(box: BoundingBox) -> Box:
    """Return a box of Docling with its origin at the top left as ours."""
    return Box(box.l, min(box.t, box.b), box.r, max(box.t, box.b))


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

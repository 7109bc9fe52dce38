"""Pages with only heading lines, from which Docling infers heading levels by style."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from docling.datamodel.base_models import BasePageElement, Page
from docling_core.types.doc.base import BoundingBox, CoordOrigin, Size
from docling_core.types.doc.labels import DocItemLabel
from docling_core.types.doc.page import (
    BoundingRectangle,
    PdfCellRenderingMode,
    PdfPageBoundaryType,
    PdfPageGeometry,
    PdfTextCell,
    SegmentedPdfPage,
)

from graphrag_tasks.parse.pdf.lines import Line


def style_pages(
    pages: Iterable[Page], elements: Iterable[BasePageElement], lines: Mapping[int, Sequence[Line]]
) -> None:
    """Give each page the lines of its headings."""
    headings: dict[int, list[BoundingBox]] = defaultdict(list)
    for element in elements:
        if element.label == DocItemLabel.SECTION_HEADER:
            headings[element.page_no].append(element.cluster.bbox)
    for page in pages:
        if page.size is not None and page.page_no in headings:
            boxes = headings[page.page_no]
            inside = [line for line in lines[page.page_no] if any(_holds(box, line) for box in boxes)]
            page.parsed_page = SegmentedPdfPage(
                dimension=_geometry(page.size),
                textline_cells=[_cell(number, line) for number, line in enumerate(inside)],
                char_cells=[],
                word_cells=[],
            )


def _holds(box: BoundingBox, line: Line) -> bool:
    across, down = (line.box.left + line.box.right) / 2, (line.box.top + line.box.bottom) / 2
    return box.l <= across <= box.r and box.t <= down <= box.b


def _geometry(size: Size) -> PdfPageGeometry:
    around = BoundingBox(l=0, t=size.height, r=size.width, b=0, coord_origin=CoordOrigin.BOTTOMLEFT)
    return PdfPageGeometry(
        angle=0,
        rect=BoundingRectangle.from_bounding_box(around),
        boundary_type=PdfPageBoundaryType.CROP_BOX,
        art_bbox=around,
        bleed_bbox=around,
        crop_bbox=around,
        media_bbox=around,
        trim_bbox=around,
    )


def _cell(number: int, line: Line) -> PdfTextCell:
    left, top, right, bottom = line.box
    box = BoundingBox(l=left, t=top, r=right, b=bottom, coord_origin=CoordOrigin.TOPLEFT)
    return PdfTextCell(
        index=number,
        rect=BoundingRectangle.from_bounding_box(box),
        text=line.text,
        orig=line.text,
        font_key="",
        font_name=line.font.name,
        rendering_mode=PdfCellRenderingMode.FILL_TEXT,
        widget=False,
    )

"""Docling's native PDF pipeline with a layout: no model runs, nothing is fetched.

Docling does the reading order (columns, captions) and the heading levels (bookmarks, then
numbering, then style) by rules; what it needs for that, labelled elements instead of bare text
lines, is made here. All state of a document is in its `ConversionResult`.
"""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from docling.backend.pdf_backend import PdfDocumentBackend, PdfPageBackend
from docling.datamodel.base_models import (
    AssembledUnit,
    Page,
    Table,
    TableStructurePrediction,
    TextElement,
)
from docling.datamodel.document import ConversionResult
from docling.datamodel.pipeline_options import HeadingHierarchyOptions, NativePdfPipelineOptions
from docling.models.stages.heading_hierarchy.heading_hierarchy_model import HeadingHierarchyModel
from docling.pipeline.native_pdf_pipeline import NativePdfPipeline, _NativeBuildTimings
from docling_core.types.doc.items.text import SectionHeaderItem
from docling_core.types.doc.labels import DocItemLabel

from graphrag_tasks.parse.pdf.cells import box_of, drawn_lines, pieces, settle_fonts
from graphrag_tasks.parse.pdf.elements import table_element, text_element
from graphrag_tasks.parse.pdf.furniture import without_furniture
from graphrag_tasks.parse.pdf.labels import Label, bookmarked, heading_key, label, nested
from graphrag_tasks.parse.pdf.lines import Body, Line, body_of, with_fixed_pitch
from graphrag_tasks.parse.pdf.order import reading_order
from graphrag_tasks.parse.pdf.paragraphs import paragraphs
from graphrag_tasks.parse.pdf.rows import lines_of
from graphrag_tasks.parse.pdf.tables import contains, find_tables

_LABELS = {
    Label.HEADING: DocItemLabel.SECTION_HEADER,
    Label.LIST_ITEM: DocItemLabel.LIST_ITEM,
    Label.CAPTION: DocItemLabel.CAPTION,
    Label.CODE: DocItemLabel.CODE,
    Label.FOOTNOTE: DocItemLabel.FOOTNOTE,
    Label.TEXT: DocItemLabel.TEXT,
}
_FURNITURE = (DocItemLabel.PAGE_HEADER, DocItemLabel.PAGE_FOOTER)
_FIRST_TEXT = 100_000  # elements of a page are numbered: tables from 0, texts from here
_SIZE_TOLERANCE = 0.09  # between headings of one level
_MAX_LEVEL = 5
_MIN_TABLE_SIZE = 0.6  # of the body: smaller words are those of a drawing
# What geometry can raise on a page that is not as pages are; such a page keeps its text as lines
_LAYOUT_ERRORS = (ArithmeticError, LookupError, ValueError)

log = logging.getLogger(__name__)

Element = TextElement | Table


class LayoutPdfPipeline(NativePdfPipeline):
    """Text lines and rulings into headings, paragraphs, lists, tables and captions."""

    def __init__(self, options: NativePdfPipelineOptions) -> None:
        super().__init__(options)
        self._reading_order = reading_order()
        self._headings = HeadingHierarchyModel(
            HeadingHierarchyOptions(
                enabled=True, style_size_tolerance=_SIZE_TOLERANCE, max_level=_MAX_LEVEL
            )
        )

    def _build_document(self, conv_res: ConversionResult) -> ConversionResult:
        backend = conv_res.input._backend
        if isinstance(backend, PdfDocumentBackend):
            conv_res._pdf_outline = backend.get_document_outline()
        return super()._build_document(conv_res)

    def _parse_page(
        self,
        timings: _NativeBuildTimings,
        conv_res: ConversionResult,
        page_backend: PdfPageBackend,
    ) -> Page | None:
        """Find the tables while the words are there: keeping them takes most of the memory."""
        page = super()._parse_page(timings, conv_res, page_backend)
        if page is None or page.parsed_page is None or page.size is None:
            return page
        parsed, size = page.parsed_page, page.size
        settle_fonts(parsed.textline_cells, parsed.word_cells)
        words = pieces(parsed.word_cells, page.page_no)
        try:
            tables = find_tables(words, drawn_lines(page_backend), size.width, size.height)
        except _LAYOUT_ERRORS:
            log.warning("page %d: no tables could be found", page.page_no, exc_info=True)
            tables = []
        page.predictions.tablestructure = TableStructurePrediction(
            table_map={
                number: table_element(page, number, grid) for number, grid in enumerate(tables)
            }
        )
        parsed.word_cells, parsed.char_cells, parsed.shapes = [], [], []
        return page

    def _assemble_document(self, conv_res: ConversionResult) -> ConversionResult:
        elements = list(_elements(conv_res))
        body = [element for element in elements if element.label not in _FURNITURE]
        conv_res.assembled = AssembledUnit(elements=elements, body=body)
        conv_res.document = self._reading_order(conv_res)
        conv_res.document = self._headings(conv_res)
        headings = [item for item in conv_res.document.texts if isinstance(item, SectionHeaderItem)]
        for item, level in zip(headings, nested(item.level for item in headings), strict=True):
            item.level = level
        return conv_res


@dataclass(frozen=True)
class _Layout:
    """A document's lines by page, and what its pages need to know of each other.

    Attributes:
        body: What most of its text looks like.
        bookmarks: How often each heading key is a bookmark of a page.
        texts: Lines that belong to the text.
        furniture: Running headers, footers and page numbers.
        turned: Lines that run up or down the page; their order is not looked into.
    """

    body: Body
    bookmarks: dict[int, Counter[str]]
    texts: dict[int, list[Line]]
    furniture: dict[int, list[Line]]
    turned: dict[int, list[Line]]


def _elements(conv_res: ConversionResult) -> Iterator[Element]:
    cells = [
        piece
        for page in conv_res.pages
        if page.parsed_page is not None
        for piece in pieces(page.parsed_page.textline_cells, page.page_no)
    ]
    found = _by_page(with_fixed_pitch(cells))
    layout = _layout(found, conv_res)
    for page in conv_res.pages:
        if page.page_no not in found or page.size is None:
            continue
        try:
            yield from list(_page_elements(page, page.size.height, layout))
        except _LAYOUT_ERRORS:
            log.warning("page %d: its text is kept as lines", page.page_no, exc_info=True)
            yield from _plain(page, found[page.page_no])


def _layout(found: dict[int, list[Line]], conv_res: ConversionResult) -> _Layout:
    upright = {page: [piece for piece in on if piece.is_upright] for page, on in found.items()}
    lines = [line for on in upright.values() for line in lines_of(on)]
    kept = without_furniture(lines)
    keep = {id(line) for line in kept}
    return _Layout(
        body=body_of(piece for on in upright.values() for piece in on),
        bookmarks=_bookmarks(conv_res),
        texts=_by_page(kept),
        furniture=_by_page(line for line in lines if id(line) not in keep),
        turned=_by_page(piece for on in found.values() for piece in on if not piece.is_upright),
    )


def _bookmarks(conv_res: ConversionResult) -> dict[int, Counter[str]]:
    bookmarks: dict[int, Counter[str]] = defaultdict(Counter)
    for item in conv_res._pdf_outline or ():
        if item.page_no is not None:
            bookmarks[item.page_no][heading_key(item.title)] += 1
    return bookmarks


def _by_page(lines: Iterable[Line]) -> dict[int, list[Line]]:
    pages: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        pages[line.page].append(line)
    return pages


def _page_elements(page: Page, height: float, layout: _Layout) -> Iterator[Element]:
    numbers = count(_FIRST_TEXT)
    for line in layout.furniture[page.page_no]:
        is_high = line.box.top < height / 2
        kind = DocItemLabel.PAGE_HEADER if is_high else DocItemLabel.PAGE_FOOTER
        yield text_element(page, next(numbers), kind, [line])
    for line in layout.turned[page.page_no]:
        yield text_element(page, next(numbers), DocItemLabel.TEXT, [line])
    tables = _tables(page, layout.body)
    yield from tables
    boxes = [box_of(table.cluster.bbox) for table in tables]
    lines = [
        line for line in layout.texts[page.page_no] if not any(contains(box, line) for box in boxes)
    ]
    headings, lines = bookmarked(lines, layout.bookmarks[page.page_no])
    for heading in headings:
        yield text_element(page, next(numbers), DocItemLabel.SECTION_HEADER, heading)
    for paragraph in paragraphs(lines, layout.body):
        kind = _LABELS[label(paragraph, layout.body, height)]
        yield text_element(page, next(numbers), kind, paragraph)


def _plain(page: Page, found: Iterable[Line]) -> Iterator[Element]:
    for number, piece in enumerate(found, _FIRST_TEXT):
        yield text_element(page, number, DocItemLabel.TEXT, [piece])


def _tables(page: Page, body: Body) -> list[Table]:
    """Return the tables whose words are not as small as those of a drawing."""
    found = page.predictions.tablestructure
    if found is None:
        return []
    least = _MIN_TABLE_SIZE * body.size
    return [table for table in found.table_map.values() if _word_size(table) > least]


def _word_size(table: Table) -> float:
    return min(float(cell.bbox.height) for cell in table.table_cells if cell.bbox is not None)

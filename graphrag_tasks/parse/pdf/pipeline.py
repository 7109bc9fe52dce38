"""Docling's native PDF pipeline with rule-based layout: no model runs, nothing is fetched.

Docling finds reading order (columns, captions) and heading levels (bookmarks, then numbering, then style) by rules. The
labelled elements that it needs are made here. Each document takes a new pipeline, which is cheap.
"""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from docling.backend.docling_parse_backend import ThreadedDoclingParsePageBackend
from docling.backend.pdf_backend import PdfPageBackend
from docling.datamodel.base_models import AssembledUnit, Page, Table, TableStructurePrediction, TextElement
from docling.datamodel.document import ConversionResult
from docling.datamodel.pipeline_options import HeadingHierarchyOptions, NativePdfPipelineOptions
from docling.models.stages.heading_hierarchy.heading_hierarchy_model import HeadingHierarchyModel
from docling_core.types.doc.items.text import SectionHeaderItem
from docling_core.types.doc.labels import DocItemLabel

from graphrag_tasks.language.glyphs import is_unreadable
from graphrag_tasks.parse.blocks import Box
from graphrag_tasks.parse.docling_blocks import PdfPipeline, Timings, outline_of
from graphrag_tasks.parse.limits import current_allowance
from graphrag_tasks.parse.pdf.cells import box_of, by_turn, drawn_lines, page_text
from graphrag_tasks.parse.pdf.elements import TableWords, reading_order, style_pages, table_element, text_element
from graphrag_tasks.parse.pdf.furniture import without_furniture
from graphrag_tasks.parse.pdf.grids import Grid
from graphrag_tasks.parse.pdf.lines import Body, Line, Words, body_of, lines_of, turn_of, with_fixed_pitch
from graphrag_tasks.parse.pdf.paragraphs import (
    Label,
    Labelled,
    bookmarked,
    has_plain_headings,
    heading_key,
    in_context,
    label,
    nested,
    paragraphs,
)
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
_MAX_LEVEL = 5  # levels of headings that are told apart
_MIN_TABLE_SIZE = 0.6  # of the body: smaller words are those of a drawing
_FOR_JOINING = 0.5  # Share of the time that is kept for joining the pages. Chosen.
# What geometry can raise on a page that is not as pages are; such a page keeps its text as lines
_LAYOUT_ERRORS = (ArithmeticError, LookupError, ValueError)

log = logging.getLogger(__name__)

Element = TextElement | Table


class LayoutPdfPipeline(PdfPipeline):
    """Makes text lines and rulings into headings, paragraphs, lists, tables and captions.

    `ocr` returns the lines of a page, from 1, that has no readable text; `symbols` those of a page.
    """

    def __init__(
        self,
        options: NativePdfPipelineOptions,
        ocr: Callable[[int], list[Line]] | None = None,
        symbols: Callable[[int], list[Line]] = lambda _: [],
    ) -> None:
        super().__init__(options)
        self._symbols = symbols
        self._ocr = ocr
        self._lines: dict[int, list[Line]] = {}
        self._headings = HeadingHierarchyModel(
            HeadingHierarchyOptions(enabled=True, style_size_tolerance=_SIZE_TOLERANCE, max_level=_MAX_LEVEL)
        )

    def read_page(self, timings: Timings, result: ConversionResult, page: PdfPageBackend) -> Page | None:
        """Read a page, and no further one when half of the time is over: the rest is for joining them."""
        found = self._read_page(timings, result, page)
        bound = current_allowance()
        is_last = bound.is_full or bound.left < bound.total * _FOR_JOINING
        self.pipeline_options.document_timeout = 0.0 if is_last else None
        return found

    def _read_page(self, timings: Timings, conv_res: ConversionResult, page_backend: PdfPageBackend) -> Page | None:
        """Find a page's tables while its words are in memory; only its lines are kept."""
        if not isinstance(page_backend, ThreadedDoclingParsePageBackend):
            raise TypeError(f"pages of {type(page_backend).__name__} cannot be laid out")
        if not page_backend.is_valid():
            return super().read_page(timings, conv_res, page_backend)
        page = Page(page_no=page_backend.page_no, size=page_backend.get_size())
        try:
            words, lines = page_text(page_backend, self._symbols(page.page_no))
            is_drawn = not lines or is_unreadable(line.text for line in lines)
            if is_drawn and self._ocr is not None:
                words = lines = self._ocr(page.page_no)
        except Exception as error:  # noqa: BLE001 - one bad page must not cost the document
            self.fail(conv_res, page_backend, f"Page failed to parse: {error}")
            return None
        self._lines[page.page_no] = lines
        page.predictions.tablestructure = TableStructurePrediction(
            table_map={
                number: table_element(page, number, grid) for number, grid in enumerate(_grids(page_backend, words))
            }
        )
        return page

    def assemble(self, conv_res: ConversionResult) -> ConversionResult:
        """Make a document of the pages."""
        numbers = {page.page_no for page in conv_res.pages} & self._lines.keys()
        lines = {number: self._lines[number] for number in numbers}
        words = Words(line.text for page in lines.values() for line in page)
        elements = list(_elements(conv_res, lines, words))
        style_pages(conv_res.pages, elements, self._lines)
        body = [element for element in elements if element.label not in _FURNITURE]
        conv_res.assembled = AssembledUnit(elements=elements, body=body)
        conv_res.document = reading_order(words)(conv_res)
        conv_res.document = self._headings(conv_res)
        headings = [item for item in conv_res.document.texts if isinstance(item, SectionHeaderItem)]
        for item, level in zip(headings, nested(item.level for item in headings), strict=True):
            item.level = level
        return conv_res


@dataclass(frozen=True)
class _Layout:
    """A document's lines by page, and what pages need to know of each other.

    `bookmarks` counts each heading key on a page.
    """

    body: Body
    bookmarks: dict[int, Counter[str]]
    texts: dict[int, list[Line]]
    furniture: dict[int, list[Line]]
    tables: dict[int, list[Table]]
    words: Words


def _grids(page: PdfPageBackend, words: Iterable[Line]) -> list[Grid]:
    size = page.get_size()
    found: list[Grid] = []
    try:
        for turn, group in by_turn(words).items():
            across = (size.height, size.width) if turn % 180 else (size.width, size.height)
            found += find_tables(group, drawn_lines(page, turn), *across)
        return found
    except _LAYOUT_ERRORS:
        log.warning("page %d: no tables could be found", page.page_no, exc_info=True)
        return []


def _elements(conv_res: ConversionResult, lines: Mapping[int, list[Line]], words: Words) -> Iterator[Element]:
    found = _by_page(with_fixed_pitch(line for page in sorted(lines) for line in lines[page]))
    layout = _layout(found, conv_res, words)
    pages = [page for page in conv_res.pages if page.page_no in found]
    labelled: dict[int, _PageLayout] = {}
    for page in pages:
        height = page.size.height if page.size else 0.0
        try:
            labelled[page.page_no] = _page_layout(page, height, layout)
        except _LAYOUT_ERRORS:
            log.warning("page %d: its text is kept as lines", page.page_no, exc_info=True)
    every = (part for page_layout in labelled.values() for part in page_layout.paragraphs)
    has_plain = has_plain_headings(every, layout.body)
    for page in pages:
        if page.page_no in labelled:
            yield from _page_elements(page, labelled[page.page_no], layout, has_plain)
        else:
            yield from _plain(page, found[page.page_no], layout.words)


def _layout(found: dict[int, list[Line]], conv_res: ConversionResult, words: Words) -> _Layout:
    lines = [line for on in found.values() for line in lines_of(on)]
    body = body_of(piece for on in found.values() for piece in on)
    tables = {page.page_no: _tables(page, body) for page in conv_res.pages}
    upright = [line for line in lines if not turn_of(line.box.top)]
    kept = without_furniture(upright, {page: _boxes(on) for page, on in tables.items()})
    kept += [line for line in lines if turn_of(line.box.top)]
    keep = {id(line) for line in kept}
    return _Layout(
        body=body,
        bookmarks=_bookmarks(conv_res),
        texts=_by_page(kept),
        furniture=_by_page(line for line in lines if id(line) not in keep),
        tables=tables,
        words=words,
    )


def _bookmarks(conv_res: ConversionResult) -> dict[int, Counter[str]]:
    bookmarks: dict[int, Counter[str]] = defaultdict(Counter)
    for item in outline_of(conv_res):
        if item.page_no is not None:
            bookmarks[item.page_no][heading_key(item.title)] += 1
    return bookmarks


def _by_page(lines: Iterable[Line]) -> dict[int, list[Line]]:
    pages: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        pages[line.page].append(line)
    return pages


class _PageLayout(NamedTuple):
    height: float
    tables: list[Table]
    paragraphs: list[Labelled]


def _page_layout(page: Page, height: float, layout: _Layout) -> _PageLayout:
    tables = layout.tables[page.page_no]
    lines = list(_outside(tables, layout.texts[page.page_no]))
    headings, lines = bookmarked(lines, layout.bookmarks[page.page_no])
    labelled = [Labelled(part, Label.HEADING, is_bookmark=True) for part in headings]
    labelled += [Labelled(part, label(part, layout.body, height)) for part in paragraphs(lines, layout.body)]
    labelled.sort(key=lambda part: (part.lines[0].box.top, part.lines[0].box.left))
    return _PageLayout(height, tables, labelled)


def _outside(tables: Sequence[Table], lines: Iterable[Line]) -> Iterator[Line]:
    """Yield lines outside tables, and lines inside whose words the table's cells lack."""
    said = [(box_of(table.cluster.bbox), TableWords(table)) for table in tables]
    for line in lines:
        words = next((words for box, words in said if contains(box, line)), None)
        if words is None or not words.take(line.text):
            yield line


def _page_elements(page: Page, found: _PageLayout, layout: _Layout, has_plain: bool) -> Iterator[Element]:
    numbers = count(_FIRST_TEXT)
    for line in layout.furniture[page.page_no]:
        is_high = line.box.top < found.height / 2
        kind = DocItemLabel.PAGE_HEADER if is_high else DocItemLabel.PAGE_FOOTER
        yield text_element(page, next(numbers), kind, [line], layout.words)
    yield from found.tables
    for part in in_context(found.paragraphs, layout.body, has_plain):
        yield text_element(page, next(numbers), _LABELS[part.label], part.lines, layout.words)


def _plain(page: Page, found: Iterable[Line], words: Words) -> Iterator[Element]:
    for number, piece in enumerate(found, _FIRST_TEXT):
        yield text_element(page, number, DocItemLabel.TEXT, [piece], words)


def _tables(page: Page, body: Body) -> list[Table]:
    found = page.predictions.tablestructure
    if found is None:
        return []
    least = _MIN_TABLE_SIZE * body.size
    return [table for table in found.table_map.values() if _word_size(table) > least]


def _word_size(table: Table) -> float:
    heights = (float(cell.bbox.height) for cell in table.table_cells if cell.bbox is not None)
    return min(heights, default=0.0)


def _boxes(tables: Iterable[Table]) -> list[Box]:
    return [box_of(table.cluster.bbox) for table in tables]

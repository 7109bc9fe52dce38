"""Call Docling, and convert its document tree to a flat list of blocks in reading order.

Included are the body, footnotes, endnotes, speaker notes and reviewers' comments. Headers, footers and hidden text are
left out.
"""

from __future__ import annotations

import ctypes
import logging
import math
import re
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from io import BytesIO
from typing import Any

from docling.backend.docling_parse_backend import ThreadedDoclingParseDocumentBackend, ThreadedDoclingParsePageBackend
from docling.backend.latex.backend import LatexDocumentBackend
from docling.backend.mspowerpoint_backend import MsPowerpointDocumentBackend
from docling.backend.msword_backend import MsWordDocumentBackend
from docling.backend.pdf_backend import PdfDocumentBackend, PdfPageBackend
from docling.datamodel.backend_options import LatexBackendOptions, ThreadedDoclingParseBackendOptions
from docling.datamodel.base_models import ConversionStatus, ErrorItem, InputFormat, Page, TextElement
from docling.datamodel.document import ConversionResult, InputDocument, build_invalid_input_errors
from docling.datamodel.pipeline_options import ConvertPipelineOptions
from docling.exceptions import ConversionError
from docling.models.stages.reading_order.readingorder_model import ReadingOrderModel
from docling.pipeline.base_pipeline import BasePipeline
from docling.pipeline.native_pdf_pipeline import NativePdfPipeline, _NativeBuildTimings
from docling.pipeline.simple_pipeline import SimplePipeline
from docling_core.types.doc.common.content_layer import ContentLayer
from docling_core.types.doc.common.reference import RefItem
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.group import GroupItem
from docling_core.types.doc.items.node import DocItem, NodeItem
from docling_core.types.doc.items.picture.picture import PictureItem
from docling_core.types.doc.items.table.table import TableItem
from docling_core.types.doc.items.table.table_data import TableData
from docling_core.types.doc.items.text import SectionHeaderItem, TextItem
from docling_core.types.doc.labels import DocItemLabel, GroupLabel

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.parse.blocks import Block, Box
from graphrag_tasks.parse.completeness import FileText, FoundLink, Paragraphs, letters_of, with_links, with_missing
from graphrag_tasks.parse.limits import current_allowance
from graphrag_tasks.parse.package_texts import broken
from graphrag_tasks.parse.pdf.lines import turned_back
from graphrag_tasks.parse.tables import Cell, lay_out_table, with_headers
from graphrag_tasks.parse.text import clean_text, one_line

Timings = _NativeBuildTimings  # Docling's timings of a page.


class PdfBackend(ThreadedDoclingParseDocumentBackend):
    """Does not decode unused pages; Docling decodes all of them before it unloads.

    Such a parser can be neither stopped nor freed: its thread waits forever, and its memory counts against the worker,
    which is replaced when too much is lost.
    """

    def unload(self) -> None:
        """Free the parser, or abandon it if it has pages left."""
        if not self._closed and self._iterating and self.parser.has_tasks():
            self._closed = True
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.parser._parser))
        else:
            super().unload()


def decoder_of(page: ThreadedDoclingParsePageBackend) -> Any:  # noqa: ANN401 - of docling-parse
    """Return the decoder of a page, which gives characters, words and lines."""
    return page._result._require_page_decoder()


def outline_of(result: ConversionResult) -> Any:  # noqa: ANN401 - untyped there
    """Return the bookmarks of a PDF file; some have no page."""
    return result._pdf_outline or ()


class PdfPipeline(NativePdfPipeline):
    """Docling's PDF pipeline with overridable steps: `read_pages`, `read_page`, `assemble`."""

    def read_pages(self, result: ConversionResult) -> ConversionResult:
        """Read all pages."""
        return super()._build_document(result)

    def read_page(self, timings: Timings, result: ConversionResult, page: PdfPageBackend) -> Page | None:
        """Read a page."""
        return super()._parse_page(timings, result, page)

    def assemble(self, result: ConversionResult) -> ConversionResult:
        """Make a document of the pages."""
        return super()._assemble_document(result)

    def fail(self, result: ConversionResult, page: PdfPageBackend, why: str) -> None:
        """Record that a page cannot be read."""
        self._record_page_failure(result, page, why)

    def _build_document(self, conv_res: ConversionResult) -> ConversionResult:
        backend = conv_res.input._backend
        if isinstance(backend, PdfDocumentBackend):
            conv_res._pdf_outline = backend.get_document_outline()
        return self.read_pages(conv_res)

    def _parse_page(self, timings: Timings, conv_res: ConversionResult, page_backend: PdfPageBackend) -> Page | None:
        return self.read_page(timings, conv_res, page_backend)

    def _assemble_document(self, conv_res: ConversionResult) -> ConversionResult:
        return self.assemble(conv_res)


class ReadingOrder(ReadingOrderModel):
    """Docling's reading-order rules with one overridable step: `joined`."""

    def joined(self, text: str, more: str) -> str | None:
        """Return two parts of a text joined; None joins them as Docling does."""
        del text, more
        return None

    def _merge_elements(
        self, element: TextElement, merged_elem: TextElement, new_item: TextItem, page_height: float
    ) -> None:
        joined = self.joined(new_item.text, merged_elem.text or "")
        super()._merge_elements(element, merged_elem, new_item, page_height)  # type: ignore[no-untyped-call]
        if joined is not None:
            new_item.text = new_item.orig = joined


_KINDS = {
    DocItemLabel.TITLE: "title",
    DocItemLabel.SECTION_HEADER: "heading",
    DocItemLabel.LIST_ITEM: "list_item",
    DocItemLabel.CHECKBOX_SELECTED: "list_item",
    DocItemLabel.CHECKBOX_UNSELECTED: "list_item",
    DocItemLabel.CODE: "code",
    DocItemLabel.CAPTION: "caption",
}
_LEFT_OUT = (DocItemLabel.PAGE_HEADER, DocItemLabel.PAGE_FOOTER, DocItemLabel.MARKER)
_COMMENTED_SLIDE = re.compile(r"comment-slide(\d+)-")


def blocks_of(document: DoclingDocument, *, unit: float | None = None) -> list[Block]:
    """Return the blocks of the body.

    `unit` is the number of points in a unit of Docling's boxes; None leaves out pages and boxes.
    """
    return list(_Walk(document, unit))


def read_blocks(document: DoclingDocument, texts: Iterable[FileText], *, unit: float | None = None) -> list[Block]:
    """Return the body's blocks, with texts of the file that Docling skipped.

    `unit` is as in `blocks_of`.
    """
    paragraphs = list(texts)
    walk = _Walk(document, unit, Paragraphs(paragraphs))
    linked = (item for item in document.texts if item.hyperlink is not None)
    found = (FoundLink(walk.page_of(item), item.text) for item in linked)
    return with_links(with_missing(list(walk), paragraphs), found)


class _Walk:
    """Iterative walk over the tree: some files nest thousands of levels deep."""

    def __init__(self, document: DoclingDocument, unit: float | None, paragraphs: Paragraphs | None = None) -> None:
        self._document = document
        self._paragraphs = paragraphs or Paragraphs(())
        self._unit = unit
        self._stack: list[NodeItem] = [document.body]
        self._done: set[str] = set()

    def __iter__(self) -> Iterator[Block]:
        while self._stack:
            item = self._stack.pop()
            if self._is_new(item):
                yield from self._visit(item)

    def _is_new(self, item: NodeItem) -> bool:
        is_new = item.self_ref not in self._done
        self._done.add(item.self_ref)
        return is_new

    def _visit(self, item: NodeItem) -> Iterator[Block]:
        if isinstance(item, TableItem):
            yield from self._table(item)
        elif isinstance(item, PictureItem):
            yield from self._beside(item.captions, "caption")
            yield from self._chart(item)
        elif getattr(item, "label", None) == GroupLabel.COMMENT_SECTION:
            yield from self._comments(item)
        elif _is_inline(item):
            yield from self._text(item, "paragraph", self._inline(item))
        else:
            yield from self._node(item)

    def _node(self, item: NodeItem) -> Iterator[Block]:
        children = self._children(item)
        if isinstance(item, TextItem) and item.label not in _LEFT_OUT:
            text = item.text
            if not text.strip() and children and _is_inline(children[0]):
                text = self._inline(children.pop(0))
            yield from self._text(item, _KINDS.get(item.label, "paragraph"), text)
        self._stack.extend(reversed(children))

    def _text(self, item: NodeItem, kind: str, text: str) -> Iterator[Block]:
        text = one_line(text) if kind in ("title", "heading") else clean_text(text)
        if kind != "code":
            text = text.strip()
        if text and _is_read(item):
            level = item.level if isinstance(item, SectionHeaderItem) else None
            yield Block(kind, text, level, *self._place(item))

    def _table(self, table: TableItem) -> Iterator[Block]:
        yield from self._beside(table.captions, "caption")
        text, cells = lay_out_table(with_headers(_cells_of(table.data)))
        if text and table.content_layer == ContentLayer.BODY:
            place = self._place(table)
            if len(cells) > 1:
                yield Block("table", text, None, *place, table=cells)
            else:
                yield Block("paragraph", text, None, *place)
        yield from self._beside(table.footnotes, "paragraph")
        self._stack.extend(reversed(list(self._not_in_cells(table, text))))

    def _not_in_cells(self, table: TableItem, text: str) -> Iterator[NodeItem]:
        """Yield items inside table cells that the table's text lacks, such as nested tables."""
        written = letters_of(text)
        pending = self._children(table)[::-1]
        while pending:
            item = pending.pop()
            is_whole = isinstance(item, TableItem | PictureItem)
            texts = map(letters_of, self._texts(item))
            if isinstance(item, PictureItem) or any(text not in written for text in texts):
                yield item
            else:
                self._done.add(item.self_ref)
            if not is_whole:
                pending.extend(self._children(item)[::-1])

    def _texts(self, item: NodeItem) -> list[str]:
        if isinstance(item, TableItem):
            return [cell.text for cell in item.data.table_cells]
        return [self._inline(item) if _is_inline(item) else getattr(item, "text", "")]

    def _beside(self, references: Iterable[RefItem], kind: str) -> Iterator[Block]:
        for reference in references:
            item = reference.resolve(self._document)
            if self._is_new(item):
                yield from self._text(item, kind, item.text)

    def _chart(self, picture: PictureItem) -> Iterator[Block]:
        """Yield a chart's kind as a caption, and its data as a table."""
        meta = picture.meta
        if picture.content_layer != ContentLayer.BODY or not meta or not meta.tabular_chart:
            return
        place = self._place(picture)
        kinds = meta.classification.predictions if meta.classification else ()
        if kinds:
            name = " and ".join(kind.class_name.removesuffix("_chart") for kind in kinds)
            yield Block("caption", f"{name} chart".capitalize(), None, *place)
        text, table = lay_out_table(with_headers(_cells_of(meta.tabular_chart.chart_data)))
        if text:
            yield Block("table", text, None, *place, table=table)

    def _comments(self, group: NodeItem) -> Iterator[Block]:
        """Yield comments with author and time; comments of slides keep their page."""
        slide = _COMMENTED_SLIDE.match(getattr(group, "name", ""))
        for comment in self._children(group):
            self._done.add(comment.self_ref)
            if text := clean_text(getattr(comment, "text", "")).strip():
                yield Block("paragraph", text, page=int(slide[1]) if slide else None)

    def _inline(self, item: NodeItem) -> str:
        runs: list[str] = []
        pending = self._children(item)[::-1]
        while pending:
            part = pending.pop()
            pending.extend(self._children(part)[::-1])
            text = getattr(part, "text", "")
            if text and getattr(part, "label", None) not in _LEFT_OUT:
                runs.append(text)
        return self._paragraphs.joined(runs)

    def page_of(self, item: NodeItem) -> int | None:
        """Return the page of an item, if the format has pages."""
        return self._place(item)[0]

    def _place(self, item: NodeItem) -> tuple[int | None, Box | None]:
        if self._unit is None or not isinstance(item, DocItem) or not item.prov:
            return None, None
        page = item.prov[0].page_no
        size = self._document.pages[page].size
        box = item.prov[0].bbox.to_top_left_origin(size.height)
        in_points = Box(*(side * self._unit for side in box.as_tuple()))
        return page, turned_back(in_points, max(size.width, size.height))

    def _children(self, item: NodeItem) -> list[NodeItem]:
        return [child.resolve(self._document) for child in item.children]


def _cells_of(data: TableData) -> Iterator[Cell]:
    for cell in data.table_cells:
        yield Cell(
            cell.start_row_offset_idx,
            cell.start_col_offset_idx,
            one_line(cell.text),
            cell.end_row_offset_idx - cell.start_row_offset_idx,
            cell.end_col_offset_idx - cell.start_col_offset_idx,
            cell.column_header,
            cell.row_header,
        )


def _is_read(item: NodeItem) -> bool:
    is_note = getattr(item, "label", None) == DocItemLabel.FOOTNOTE
    return is_note or item.content_layer in (ContentLayer.BODY, ContentLayer.NOTES)


def _is_inline(item: NodeItem) -> bool:
    return isinstance(item, GroupItem) and item.label == GroupLabel.INLINE


# Call Docling without torch, network or log noise.

# What goes wrong becomes a documents row; docling would log it again, with a traceback.
logging.getLogger("docling").setLevel(logging.CRITICAL)

_RENDER_SCALE = 0.1  # pixels per point: the picture itself is not used
_PAGES_AHEAD = 4  # decoded pages that wait to be read; each may hold large pictures
_PAGES_SHARE = 0.875  # of the time left, unless a pipeline measures what joining the pages takes

_FORMATS: dict[str, tuple[InputFormat, type[Any], Any]] = {
    "docx": (InputFormat.DOCX, MsWordDocumentBackend, None),
    "pdf": (
        InputFormat.PDF,
        PdfBackend,
        # Without rendering, docling-parse reports no drawn lines, which tables need.
        ThreadedDoclingParseBackendOptions(
            parser_threads=1, render_pages=True, render_scale=_RENDER_SCALE, max_concurrent_results=_PAGES_AHEAD
        ),
    ),
    "pptx": (InputFormat.PPTX, MsPowerpointDocumentBackend, None),
    "tex": (InputFormat.LATEX, LatexDocumentBackend, LatexBackendOptions(parse_timeout=None)),
}
"""Docling's format, backend and options for each media type; fetching is off by default."""


@cache
def _simple_pipeline() -> BasePipeline:
    return SimplePipeline(ConvertPipelineOptions())


def convert(data: bytes, media_type: str, pipeline: BasePipeline | None = None) -> DoclingDocument:
    """Convert bytes to a Docling document, with the simple pipeline unless another is given.

    PDF pages that cannot be read, or not in time, are missing.
    """
    form, backend, options = _FORMATS[media_type]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = InputDocument(
            path_or_stream=BytesIO(data),
            format=form,
            backend=backend,
            backend_options=options,
            filename=f"document.{media_type}",
        )
        if not source.valid:
            raise _refused(media_type, build_invalid_input_errors(source))
        result = _execute(source, media_type, pipeline or _simple_pipeline())
        if result.status == ConversionStatus.FAILURE:
            raise _refused(media_type, result.errors)
        return result.document


def _execute(source: InputDocument, media_type: str, pipeline: BasePipeline) -> ConversionResult:
    try:
        left = current_allowance().left
        timeout = None if math.isinf(left) else max(0.0, left) * _PAGES_SHARE
        pipeline.pipeline_options.document_timeout = timeout
        return pipeline.execute(source, raises_on_error=True)
    except RuntimeError as error:
        cause = error.__cause__ or error  # the pipeline wraps whatever went wrong
        if isinstance(cause, ConversionError):
            raise broken(media_type, str(cause) or None) from error
        raise cause from None


def _refused(media_type: str, errors: Iterable[ErrorItem]) -> DocumentError:
    return broken(media_type, "; ".join(item.error_message for item in errors) or None)

"""The only module that uses private names of Docling, or changes its behaviour.

Try a new release of Docling here first.
"""

from __future__ import annotations

import ctypes
from typing import Any

from docling.backend.docling_parse_backend import ThreadedDoclingParseDocumentBackend, ThreadedDoclingParsePageBackend
from docling.backend.pdf_backend import PdfDocumentBackend, PdfPageBackend
from docling.datamodel.base_models import Page, TextElement
from docling.datamodel.document import ConversionResult
from docling.models.stages.reading_order.readingorder_model import ReadingOrderModel
from docling.pipeline.native_pdf_pipeline import NativePdfPipeline, _NativeBuildTimings
from docling_core.types.doc.items.text import TextItem

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

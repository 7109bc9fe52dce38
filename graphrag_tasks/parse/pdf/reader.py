"""The reader of PDF files, without models."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import pypdfium2
from docling.datamodel.pipeline_options import NativePdfPipelineOptions
from docling_core.types.doc.document import DoclingDocument

from graphrag_tasks.errors import DocumentError
from graphrag_tasks.parse.blocks import ParsedDocument, first_heading
from graphrag_tasks.parse.docling_blocks import blocks_of
from graphrag_tasks.parse.docling_convert import convert
from graphrag_tasks.parse.pdf.pipeline import LayoutPdfPipeline
from graphrag_tasks.parse.readers import Reader
from graphrag_tasks.parse.text import one_line

_USELESS_TITLE = re.compile(
    r"untitled.*|microsoft \w+ - .*|.*\.(?:docx?|pptx?|xlsx?|indd|qxd|tex|dvi)", re.IGNORECASE
)


_OPTIONS = NativePdfPipelineOptions(
    parser_threads=1, generate_page_images=False, generate_picture_images=False
)


class _File(NamedTuple):
    pages: int
    title: str | None


def read_pdf(data: bytes) -> ParsedDocument:
    """Read a PDF file; every block has its page and its box.

    Raises:
        DocumentError: It needs a password (`encrypted`) or is not a PDF file (`broken`).
    """
    return parsed_document(data, lambda: convert(data, "pdf", LayoutPdfPipeline(_OPTIONS)))


def ocr_reader(_mode: str) -> Reader:
    """Return a reader as `read_pdf` that reads pages without text as pictures.

    Raises:
        ImportError: The extra `ocr` is not installed.
    """
    from graphrag_tasks.parse.pdf.ocr import Ocr

    def read(data: bytes) -> ParsedDocument:
        ocr = Ocr(data)
        pipeline = LayoutPdfPipeline(_OPTIONS, ocr)
        parsed = parsed_document(data, lambda: convert(data, "pdf", pipeline))
        return replace(parsed, pages_ocr=len(ocr.pages))

    return read


def parsed_document(data: bytes, convert_it: Callable[[], DoclingDocument]) -> ParsedDocument:
    """Return the blocks of a PDF file that Docling converts, and what the file tells of itself.

    Raises:
        DocumentError: It needs a password (`encrypted`) or is not a PDF file (`broken`).
    """
    file = _inspect(data)
    document = convert_it()
    blocks = blocks_of(document, unit=1.0)
    items = (*document.texts, *document.tables)
    pages_out = len({place.page_no for item in items for place in item.prov})
    title = file.title or first_heading(blocks)
    return ParsedDocument(blocks, title, pages_in=file.pages, pages_out=pages_out)


def _inspect(data: bytes) -> _File:
    """Open the file with pdfium, which tells a password from garbage; docling-parse does not."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            what, hint = "the PDF file needs a password", "Save it without a password"
            raise DocumentError("encrypted", what, hint=hint) from error
        what, hint = f"not a valid PDF file: {error}", "Print it to a new PDF file"
        raise DocumentError("broken", what, hint=hint) from error
    try:
        title = one_line(document.get_metadata_value("Title"))
        if _USELESS_TITLE.fullmatch(title):
            title = ""
        return _File(len(document), title or None)
    finally:
        document.close()

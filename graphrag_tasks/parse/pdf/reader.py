"""The reader of PDF files, without models."""

from __future__ import annotations

import re
from typing import NamedTuple

import pypdfium2

from graphrag_tasks.errors import DocumentError
from graphrag_tasks.parse.blocks import ParsedDocument, first_heading
from graphrag_tasks.parse.docling_blocks import blocks_of
from graphrag_tasks.parse.docling_convert import convert
from graphrag_tasks.parse.text import one_line

_USELESS_TITLE = re.compile(
    r"untitled.*|microsoft \w+ - .*|.*\.(?:docx?|pptx?|xlsx?|indd|qxd|tex|dvi)", re.IGNORECASE
)


class _File(NamedTuple):
    pages: int
    title: str | None


def read_pdf(data: bytes) -> ParsedDocument:
    """Read a PDF file; every block has its page and its box.

    Raises:
        DocumentError: It needs a password (`encrypted`) or is not a PDF file (`broken`).
    """
    file = _inspect(data)
    document = convert(data, "pdf")
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

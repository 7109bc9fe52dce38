"""The reader of PDF files, without layout models (Docling's native pipeline).

Text lines come from Docling; `pdf_paragraphs` makes paragraphs of them. Bookmarks, where the file
has them, tell which lines are headings.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

import pypdfium2

from graphrag_tasks.errors import DocumentError
from graphrag_tasks.parse.blocks import ParsedDocument, first_heading
from graphrag_tasks.parse.docling_blocks import blocks_of
from graphrag_tasks.parse.docling_convert import convert
from graphrag_tasks.parse.pdf_paragraphs import heading_key, paragraphs
from graphrag_tasks.parse.text import one_line

_USELESS_TITLE = re.compile(
    r"untitled.*|microsoft \w+ - .*|.*\.(?:docx?|pptx?|xlsx?|indd|qxd|tex|dvi)", re.IGNORECASE
)


class _File(NamedTuple):
    pages: int
    title: str | None
    outline: Mapping[int, Mapping[str, int]]  # level by heading key, by page


def read_pdf(data: bytes) -> ParsedDocument:
    """Read a PDF file; every block has its page and its box.

    Raises:
        DocumentError: It needs a password (`encrypted`) or is not a PDF file (`broken`).
    """
    file = _inspect(data)
    lines = blocks_of(convert(data, "pdf"), unit=1.0)
    blocks = paragraphs(lines, file.outline)
    pages_out = len({line.page for line in lines})
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
        return _File(len(document), title or None, _outline(document))
    finally:
        document.close()


def _outline(document: pypdfium2.PdfDocument) -> dict[int, dict[str, int]]:
    outline: dict[int, dict[str, int]] = defaultdict(dict)
    for bookmark in document.get_toc():
        target = bookmark.get_dest()
        index = target.get_index() if target else None
        if index is not None:
            outline[index + 1].setdefault(heading_key(bookmark.get_title()), bookmark.level + 1)
    return dict(outline)

"""What pdfium tells of a PDF file beside its text: links, and which pages draw something."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator

import pypdfium2
import pypdfium2.raw as pdfium

from graphrag_tasks.parse.links import FoundLink

_MAX_LINKS_PER_PAGE = 1000
_URI = pdfium.PDFACTION_URI


def links_of(document: pypdfium2.PdfDocument) -> Iterator[FoundLink]:
    """Yield the link annotations that lead out of the file, with the text under them."""
    for number in range(len(document)):
        try:
            page = document[number]
        except pypdfium2.PdfiumError:  # a page that the reader has no text of either
            continue
        if annotations := list(_annotations(page)):
            texts = page.get_textpage()
            for annotation in annotations:
                if href := _uri(document, annotation):
                    yield FoundLink(number + 1, _text(texts, annotation), href)
            texts.close()
        page.close()


def _annotations(page: pypdfium2.PdfPage) -> Iterator[pdfium.FPDF_LINK]:
    position = ctypes.c_int(0)
    for _ in range(_MAX_LINKS_PER_PAGE):
        link = pdfium.FPDF_LINK()
        if not pdfium.FPDFLink_Enumerate(page, position, link):
            return
        yield link


def _uri(document: pypdfium2.PdfDocument, link: pdfium.FPDF_LINK) -> str:
    action = pdfium.FPDFLink_GetAction(link)
    if not action or pdfium.FPDFAction_GetType(action) != _URI:
        return ""
    length = pdfium.FPDFAction_GetURIPath(document, action, None, 0)
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFAction_GetURIPath(document, action, buffer, length)
    return buffer.value.decode("utf-8", "replace").strip()


def _text(texts: pypdfium2.PdfTextPage, link: pdfium.FPDF_LINK) -> str:
    box = pdfium.FS_RECTF()
    if not pdfium.FPDFLink_GetAnnotRect(link, box):
        return ""
    text = texts.get_text_bounded(box.left, box.bottom, box.right, box.top)
    return str(text).replace("\ufffe", "")


def pages_that_draw(document: pypdfium2.PdfDocument, numbers: Iterable[int]) -> list[int]:
    """Return those of the pages, by number from 1, that are not blank or cannot be opened."""
    return [number for number in numbers if _draws(document, number - 1)]


def _draws(document: pypdfium2.PdfDocument, index: int) -> bool:
    try:
        page = document[index]
    except pypdfium2.PdfiumError:
        return True
    draws = bool(pdfium.FPDFPage_CountObjects(page) > 0)
    page.close()
    return draws

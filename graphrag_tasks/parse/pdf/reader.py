"""Read PDF files without models; pdfium tells links and blank pages."""

from __future__ import annotations

import ctypes
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter

import pypdfium2
import pypdfium2.raw as pdfium
from docling.datamodel.pipeline_options import NativePdfPipelineOptions
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.labels import DocItemLabel

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import Block, Box, ParsedDocument
from graphrag_tasks.parse.completeness import FoundLink, letters_of, with_links
from graphrag_tasks.parse.docling_blocks import blocks_of, convert
from graphrag_tasks.parse.limits import current_allowance
from graphrag_tasks.parse.metadata import find_title
from graphrag_tasks.parse.pdf.lines import Line
from graphrag_tasks.parse.pdf.pipeline import LayoutPdfPipeline
from graphrag_tasks.parse.readers import Reader
from graphrag_tasks.parse.text import clean_text

_FURNITURE = (DocItemLabel.PAGE_HEADER, DocItemLabel.PAGE_FOOTER)
_MAX_LINKS_PER_PAGE = 1000  # guards against a hostile file
_UNSEEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
_MAX_MISREAD = 10_000  # letters of a page
_INVISIBLE = pdfium.FPDF_TEXTRENDERMODE_INVISIBLE
_FONT_NAME = 128  # bytes of the name of a font
_FINE = 100  # places to a point
_SYMBOLS = re.compile(rb"symbol|dingbat|wingding|webding", re.IGNORECASE)
_URI = pdfium.PDFACTION_URI
_OPTIONS = NativePdfPipelineOptions(parser_threads=1, generate_page_images=False, generate_picture_images=False)


def read_pdf(data: bytes) -> ParsedDocument:
    """Read a PDF file; every block has its page and box."""
    return _laid_out(data, None)


def ocr_reader(_mode: str) -> Reader:
    """Return a reader like `read_pdf` that uses OCR for pages without text."""
    from graphrag_tasks.parse.pdf.ocr import Ocr

    def read(data: bytes) -> ParsedDocument:
        ocr = Ocr(data)
        return replace(_laid_out(data, ocr), pages_ocr=len(ocr.pages))

    return read


def _laid_out(data: bytes, ocr: Callable[[int], list[Line]] | None) -> ParsedDocument:
    return parsed_document(
        data, lambda file: convert(data, "pdf", LayoutPdfPipeline(_OPTIONS, ocr, partial(_misread, file)))
    )


def parsed_document(data: bytes, convert_it: Callable[[pypdfium2.PdfDocument], DoclingDocument]) -> ParsedDocument:
    """Return the blocks of a PDF file that Docling converts, with its metadata."""
    with closing(_open(data)) as file:
        tree = convert_it(file)
        items = (*tree.texts, *tree.tables)
        read = {place.page_no for item in items for place in item.prov}
        blocks = with_links(blocks_of(tree, unit=1.0), links_of(file, sorted(read)))
        hidden: Counter[str] = Counter()
        blocks = _with_notes(blocks, _notes(file, hidden))
        unread = sorted(set(range(1, len(file) + 1)) - read)
        return ParsedDocument(
            blocks,
            find_title([file.get_metadata_value("Title")], blocks),
            pages_in=len(file),
            pages_out=len(read),
            pages_lost=pages_that_draw(file, unread) if blocks else (),
            left_out={LeftOut.PAGE_FURNITURE: sum(item.label in _FURNITURE for item in tree.texts), **hidden},
        )


def _with_notes(blocks: Iterable[Block], notes: Iterable[tuple[int, str]]) -> list[Block]:
    """Add a page's notes after its blocks, unless a block already contains them."""
    pages: dict[int, list[Block]] = defaultdict(list)
    reached = 0
    for block in blocks:
        reached = max(reached, block.page or 0)
        pages[reached].append(block)
    for number, group in groupby(notes, key=itemgetter(0)):
        said = letters_of("".join(block.text for block in pages[number]))
        pages[number] += [Block("paragraph", note, page=number) for _, note in group if letters_of(note) not in said]
    return [block for number in sorted(pages) for block in pages[number]]


def _notes(document: pypdfium2.PdfDocument, hidden: Counter[str]) -> Iterator[tuple[int, str]]:
    """Yield page numbers with texts of notes, comments and form fields; hidden ones are counted."""
    bound = current_allowance()
    for index in range(len(document)):
        if bound.left <= 0:
            return
        try:
            page = document[index]
        except pypdfium2.PdfiumError:
            continue
        for number in range(min(pdfium.FPDFPage_GetAnnotCount(page), _MAX_LINKS_PER_PAGE)):
            note = pdfium.FPDFPage_GetAnnot(page, number)
            text = _text_of_note(note)
            if text and pdfium.FPDFAnnot_GetFlags(note) & _UNSEEN:
                hidden[LeftOut.HIDDEN] += 1
            elif text:
                yield index + 1, text
            pdfium.FPDFPage_CloseAnnot(note)
        page.close()


def _text_of_note(note: pdfium.FPDF_ANNOTATION) -> str:
    kind = pdfium.FPDFAnnot_GetSubtype(note)
    if kind in (pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP):
        return ""
    key = b"V" if kind == pdfium.FPDF_ANNOT_WIDGET else b"Contents"
    length = pdfium.FPDFAnnot_GetStringValue(note, key, None, 0)
    buffer = ctypes.create_string_buffer(length)
    value = ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR))
    pdfium.FPDFAnnot_GetStringValue(note, key, value, length)
    return clean_text(buffer.raw.decode("utf-16-le", "replace")).strip()


def _open(data: bytes) -> pypdfium2.PdfDocument:
    """Open the file with pdfium, which, unlike docling-parse, tells passwords from garbage."""
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            what, hint = "the PDF file needs a password", "Save it without a password"
            raise DocumentError("encrypted", what, hint=hint) from error
        what, hint = f"not a valid PDF file: {error}", "Print it to a new PDF file"
        raise DocumentError("broken", what, hint=hint) from error


def _misread(document: pypdfium2.PdfDocument, number: int) -> list[Line]:
    """Return what the parser misreads on a page, each at the middle of its place.

    These are letters in fonts of symbols, and the first letters of words, with a blank before, in the invisible text of
    a scan, whose words may touch: each is drawn by itself.
    """
    try:
        page = document[number - 1]
    except pypdfium2.PdfiumError:
        return []
    if not any(map(_is_odd, page.get_objects([pdfium.FPDF_PAGEOBJ_TEXT]))):
        return []
    found: list[tuple[int, str]] = []
    starts: list[tuple[int, str]] = []
    letters = blanks = last = 0
    texts = page.get_textpage()
    for index in range(texts.count_chars()):
        letter = chr(pdfium.FPDFText_GetUnicode(texts, index))
        piece = pdfium.FPDFText_GetTextObject(texts, index)
        if pdfium.FPDFText_IsGenerated(texts, index) or not letter.isprintable() or not piece:
            continue
        if pdfium.FPDFTextObj_GetTextRenderMode(piece) == _INVISIBLE:
            letters, blanks = letters + 1, blanks + (letter == " ")
            if last != (last := ctypes.addressof(piece.contents)):
                starts.append((index, f" {letter}"))
        elif _is_odd(piece) and letter not in " \ufffd":
            found.append((index, letter))
    if blanks < len(starts) / 2 < letters / 4:  # else the blanks are told, or letters stand alone
        found += starts
    found = found[:_MAX_MISREAD]
    return [Line(text, _middle(page, texts, index), number) for index, text in found]


def _is_odd(piece: pdfium.FPDF_PAGEOBJECT) -> bool:
    if pdfium.FPDFTextObj_GetTextRenderMode(piece) == _INVISIBLE:
        return True
    name = ctypes.create_string_buffer(_FONT_NAME)
    pdfium.FPDFFont_GetBaseFontName(pdfium.FPDFTextObj_GetFont(piece), name, _FONT_NAME)
    return _SYMBOLS.search(name.value) is not None


def _middle(page: pypdfium2.PdfPage, texts: pypdfium2.PdfTextPage, index: int) -> Box:
    """Return the middle of a character, in points from the top left of its page as it is turned."""
    left, bottom, right, top = texts.get_charbox(index, loose=True)
    x, y = ctypes.c_int(), ctypes.c_int()
    size = (round(side * _FINE) for side in page.get_size())
    middle = (left + right) / 2, (bottom + top) / 2
    pdfium.FPDF_PageToDevice(page, 0, 0, *size, 0, *middle, x, y)
    return Box(x.value / _FINE, y.value / _FINE, x.value / _FINE, y.value / _FINE)


def links_of(document: pypdfium2.PdfDocument, numbers: Iterable[int]) -> Iterator[FoundLink]:
    """Yield the external links on these pages, with their text."""
    for number in numbers:
        try:
            page = document[number - 1]
        except pypdfium2.PdfiumError:  # a page that the reader has no text of either
            continue
        if annotations := list(_annotations(page)):
            texts = page.get_textpage()
            for annotation in annotations:
                if _is_uri(annotation):
                    yield FoundLink(number, _text(texts, annotation))
            texts.close()
        page.close()


def _annotations(page: pypdfium2.PdfPage) -> Iterator[pdfium.FPDF_LINK]:
    position = ctypes.c_int(0)
    for _ in range(_MAX_LINKS_PER_PAGE):
        link = pdfium.FPDF_LINK()
        if not pdfium.FPDFLink_Enumerate(page, position, link):
            return
        yield link


def _is_uri(link: pdfium.FPDF_LINK) -> bool:
    action = pdfium.FPDFLink_GetAction(link)
    return bool(action) and pdfium.FPDFAction_GetType(action) == _URI


def _text(texts: pypdfium2.PdfTextPage, link: pdfium.FPDF_LINK) -> str:
    box = pdfium.FS_RECTF()
    if not pdfium.FPDFLink_GetAnnotRect(link, box):
        return ""
    text = texts.get_text_bounded(box.left, box.bottom, box.right, box.top)
    return str(text).replace("\ufffe", "")


def pages_that_draw(document: pypdfium2.PdfDocument, numbers: Iterable[int]) -> list[int]:
    """Return the pages, by number from 1, that are not blank or cannot be opened.

    When the time is over, the remaining pages are returned unchecked.
    """
    bound = current_allowance()
    found: list[int] = []
    is_over = False
    for number in numbers:
        is_over = is_over or bound.left <= 0
        if is_over or _draws(document, number - 1):
            found.append(number)
    return found


def _draws(document: pypdfium2.PdfDocument, index: int) -> bool:
    try:
        page = document[index]
    except pypdfium2.PdfiumError:
        return True
    draws = bool(pdfium.FPDFPage_CountObjects(page) > 0)
    page.close()
    return draws

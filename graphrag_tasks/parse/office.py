"""Read DOCX, PPTX and XLSX, after checks that name what is wrong with the package.

Each reader raises `DocumentError` for a file that needs a password (`encrypted`), is not of its type (`broken`), or
unpacks to too much or merges cells over much of a sheet (`too_large`).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from html import unescape
from io import BytesIO
from zipfile import BadZipFile, ZipFile

from openpyxl.utils.cell import column_index_from_string
from openpyxl.utils.exceptions import InvalidFileException
from pptx import Presentation
from pptx.exc import PythonPptxError

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.parse.blocks import ParsedDocument
from graphrag_tasks.parse.completeness import with_links
from graphrag_tasks.parse.docling_blocks import convert, read_blocks
from graphrag_tasks.parse.metadata import find_title
from graphrag_tasks.parse.package_texts import broken, package_of, run_links, slide_texts, word_texts
from graphrag_tasks.parse.tidied import tidied
from graphrag_tasks.parse.workbook import sheet_blocks

_OLE_HEADER = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MAIN_PARTS = {"docx": "word/document", "pptx": "ppt/presentation", "xlsx": "xl/workbook"}
_PROPERTIES = "docProps/core.xml"
_MAX_PROPERTIES_BYTES = 1_000_000
"""Limit of a file's unpacked properties, which take some kilobytes: protects against hostile files."""
_TITLE = re.compile(rb"<dc:title[^>]*>([^<]*)</dc:title>")
_EMU_PER_POINT = 12_700  # English Metric Units of Office Open XML: 914,400 in an inch of 72 points.
_SHEET_PART = re.compile(r"xl/worksheets/[^/]+\.xml")
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell [^>]*?\bref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_MAX_MERGED = 4_000_000  # Limit of cells inside merged ranges of a sheet: openpyxl makes an object of each. Chosen.
_BROKEN_WORKBOOK = (BadZipFile, InvalidFileException, KeyError, SyntaxError, TypeError, ValueError)
"""What openpyxl raises for a part that is missing, not XML, or not valid."""


def read_docx(data: bytes) -> ParsedDocument:
    """Read a Word document."""
    title, data, left_out = _open_package(data, "docx")
    tree = convert(data, "docx")
    found = word_texts(data)
    found.left_out.update(left_out)
    blocks = read_blocks(tree, found.texts)
    return ParsedDocument(blocks, find_title([title], blocks), left_out=found.left_out)


def read_xlsx(data: bytes) -> ParsedDocument:
    """Read a workbook: a heading for each sheet with text, then its tables."""
    title, data, left_out = _open_package(data, "xlsx")
    _check_merged(data)
    try:
        blocks = list(sheet_blocks(data, left_out))
    except _BROKEN_WORKBOOK as error:
        raise broken("xlsx", error) from error
    # Its headings are names of sheets, not titles.
    return ParsedDocument(blocks, find_title([title], ()), left_out=left_out)


def read_pptx(data: bytes) -> ParsedDocument:
    """Read slides; each is a page, and every slide title except the first is a heading."""
    title, data, left_out = _open_package(data, "pptx")
    try:
        document = convert(data, "pptx")
    except DocumentError:
        if _has_slides(data):
            raise
        return ParsedDocument([], pages_in=0, pages_out=0)
    found = slide_texts(data)
    found.left_out.update(left_out)
    blocks = read_blocks(document, found.texts, unit=1 / _EMU_PER_POINT)
    blocks = with_links(blocks, run_links(data))
    titles = [number for number, block in enumerate(blocks) if block.kind == "title"]
    for number in titles[1:]:
        blocks[number] = replace(blocks[number], kind="heading", level=1)
    return ParsedDocument(
        blocks,
        find_title([title], blocks),
        pages_in=len(document.pages),
        pages_out=len({block.page for block in blocks}),
        left_out=found.left_out,
    )


def _has_slides(data: bytes) -> bool:
    """Tell whether a presentation has slides or cannot be read.

    Docling refuses one without slides.
    """
    try:
        return len(Presentation(BytesIO(data)).slides) > 0
    except (*_BROKEN_WORKBOOK, PythonPptxError):
        return True


def _open_package(data: bytes, media_type: str) -> tuple[str | None, bytes, Counter[str]]:
    """Check that the bytes are an Office package.

    Return its title, the cleaned package, and what its XML has that is no text.
    """
    if data.startswith(_OLE_HEADER):
        what = f"the {media_type} file is encrypted, or of the format before 2007"
        raise DocumentError("encrypted", what, hint="Save it without a password")
    with package_of(data, media_type) as package:
        names = set(package.namelist())
        main_part = f"{_MAIN_PARTS[media_type]}.xml"
        if main_part not in names:
            raise broken(media_type, f"{main_part} is missing")
        title = _title(package) if _PROPERTIES in names else None
    return title, *tidied(data)


def _title(package: ZipFile) -> str | None:
    if package.getinfo(_PROPERTIES).file_size > _MAX_PROPERTIES_BYTES:
        return None
    found = _TITLE.search(package.read(_PROPERTIES))
    return unescape(found[1].decode("utf-8", "replace")) if found else None


def _check_merged(data: bytes) -> None:
    with ZipFile(BytesIO(data)) as package:
        for part in package.infolist():
            if not _SHEET_PART.match(part.filename):
                continue
            sheet = package.read(part)
            merged = sum(_area(*corners) for corners in _MERGED.findall(sheet))
            if merged > _MAX_MERGED:
                what = f"{part.filename} has merged cells over {merged} places"
                hint = "Merge fewer cells, or save the sheet as CSV"
                raise DocumentError("too_large", what, hint=hint)


def _area(left: bytes, top: bytes, right: bytes, bottom: bytes) -> int:
    columns = _column_number(right) - _column_number(left) + 1
    return columns * (int(bottom) - int(top) + 1)


def _column_number(letters: bytes) -> int:
    return int(column_index_from_string(letters.decode("ascii")))

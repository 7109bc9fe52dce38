"""Write DOCX and XLSX documents whose bytes do not depend on the time of the build."""

from __future__ import annotations

import csv
import re
import tomllib
from datetime import datetime
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from docx import Document as new_docx
from docx.document import Document as DocxDocument
from docx.enum.style import WD_STYLE_TYPE
from docx.text.paragraph import Paragraph as DocxParagraph
from openpyxl import Workbook
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

from corpus_builder.blocks import Block, Document, Heading, Inline, ItemList, Paragraph, Table

AUTHOR = "Example corpus"
BUILD_TIME = datetime(2026, 1, 1)
TABLE_STYLES = ("Normal Table", "Table Grid")
ZIP_TIME = (2026, 1, 1, 0, 0, 0)
MODIFIED = re.compile(rb"(<dcterms:modified[^>]*>)[^<]*(</dcterms:modified>)")


def render_docx(document: Document) -> bytes:
    """Return the DOCX bytes of a document with real heading, list and table styles."""
    docx = new_docx()
    _drop_unused_parts(docx)
    properties = docx.core_properties
    properties.title = document.title
    properties.author = AUTHOR
    properties.last_modified_by = AUTHOR
    properties.comments = ""
    properties.created = properties.modified = BUILD_TIME
    for block in document.blocks:
        _add_block(docx, block)
    buffer = BytesIO()
    docx.save(buffer)
    return _normalized_archive(buffer)


def render_xlsx(source: Path) -> bytes:
    """Return the XLSX bytes of a source folder: workbook.toml and one CSV file per sheet."""
    spec = tomllib.loads((source / "workbook.toml").read_text(encoding="utf-8"))
    workbook = Workbook()
    workbook.remove(workbook.active)
    workbook.properties.title = spec["title"]
    workbook.properties.creator = AUTHOR
    workbook.properties.created = BUILD_TIME
    for sheet in spec["sheets"]:
        _fill_sheet(workbook.create_sheet(sheet["name"]), source / sheet["file"])
    buffer = BytesIO()
    workbook.save(buffer)
    return _normalized_archive(buffer)


def _drop_unused_parts(docx: DocxDocument) -> None:
    """Remove the bulk of the default template: its thumbnail and the unused styles."""
    for relations in (docx.part.rels, docx.part.package.rels):
        for key, relation in list(relations.items()):
            if relation.reltype.endswith(("/stylesWithEffects", "/thumbnail")):
                del relations[key]
    for style in list(docx.styles):
        if style.type == WD_STYLE_TYPE.TABLE and style.name not in TABLE_STYLES:
            style.delete()


def _add_block(docx: DocxDocument, block: Block) -> None:
    match block:
        case Heading(level, content):
            style = "Title" if level == 1 else f"Heading {level - 1}"
            _add_spans(docx.add_paragraph(style=style), content)
        case Paragraph(content):
            _add_spans(docx.add_paragraph(), content)
        case ItemList(items, ordered):
            style = "List Number" if ordered else "List Bullet"
            for item in items:
                _add_spans(docx.add_paragraph(style=style), item)
        case Table(rows):
            _add_table(docx, rows)


def _add_table(docx: DocxDocument, rows: tuple[tuple[Inline, ...], ...]) -> None:
    table = docx.add_table(rows=len(rows), cols=len(rows[0]), style="Table Grid")
    for number, row in enumerate(rows):
        for cell, content in zip(table.rows[number].cells, row, strict=True):
            _add_spans(cell.paragraphs[0], content, bold=number == 0)
    docx.add_paragraph()


def _add_spans(paragraph: DocxParagraph, content: Inline, *, bold: bool = False) -> None:
    for span in content:
        run = paragraph.add_run(span.text)
        if span.bold or bold:
            run.bold = True
        if span.code:
            run.font.name = "Courier New"


def _fill_sheet(sheet: Worksheet, source: Path) -> None:
    with source.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    for row in rows:
        sheet.append(row)
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    sheet.freeze_panes = "A2"
    for number, column in enumerate(zip(*rows, strict=True), start=1):
        width = max(len(cell) for cell in column) + 2
        sheet.column_dimensions[get_column_letter(number)].width = width


def _normalized_archive(buffer: BytesIO) -> bytes:
    """Rewrite a zip archive with sorted entries, fixed times and no compression.

    Entries are stored without compression because compressed bytes depend on the zlib version.
    """
    result = BytesIO()
    fixed = BUILD_TIME.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
    with ZipFile(buffer) as source, ZipFile(result, "w", ZIP_STORED) as target:
        for name in sorted(source.namelist()):
            entry = ZipInfo(name, ZIP_TIME)
            entry.create_system = 0
            content = source.read(name)
            if name == "docProps/core.xml":
                content = MODIFIED.sub(rb"\g<1>" + fixed + rb"\g<2>", content)
            target.writestr(entry, content)
    return result.getvalue()

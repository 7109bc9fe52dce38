"""Small packages that unpack to much or hold very many parts: refused, or read at once."""

import io
import time
import zipfile
from collections.abc import Mapping

import pytest

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.parse.readers import READERS, load_readers

SECONDS = 10  # Of CPU time: each took a tenth of that or less where this was written.
OFFICE = "http://schemas.openxmlformats.org"
R = f"{OFFICE}/officeDocument/2006/relationships"
TEXT = f'xmlns:w="{OFFICE}/wordprocessingml/2006/main"'
SHEET = f'xmlns="{OFFICE}/spreadsheetml/2006/main"'
SLIDE = f'xmlns:p="{OFFICE}/presentationml/2006/main" xmlns:a="{OFFICE}/drawingml/2006/main" xmlns:r="{R}"'
ODF = "".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" ' for name in ("office", "text", "table")
)
EXPANDING = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + place)} "{f"&{chr(97 + place)};" * 10}">' for place in range(8))
    + "]>"
)


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in parts.items():
            package.writestr(name, text)
    return file.getvalue()


def related(*targets: tuple[str, str]) -> str:
    rows = (f'<Relationship Id="r{at}" Type="{R}/{kind}" Target="{name}"/>' for at, (kind, name) in enumerate(targets))
    namespace = f"{OFFICE}/package/2006/relationships"
    return f'<Relationships xmlns="{namespace}">{"".join(rows)}</Relationships>'


def typed(**kinds: str) -> str:
    """Return the list of types of parts, of which each name is that of an XML file."""
    own = "application/vnd.openxmlformats-officedocument"
    rows = (f'<Override PartName="/{name}.xml" ContentType="{own}.{kind}+xml"/>' for name, kind in kinds.items())
    rels = "application/vnd.openxmlformats-package.relationships+xml"
    return (f'<Types xmlns="{OFFICE}/package/2006/content-types"><Default Extension="rels" '
            f'ContentType="{rels}"/>{"".join(rows)}</Types>')  # fmt: skip


def epub(page: str, doctype: str = "") -> bytes:
    container = '<container><rootfiles><rootfile full-path="c.opf"/></rootfiles></container>'
    item = '<item id="i" href="p.xhtml" media-type="application/xhtml+xml"/>'
    return packed({
        "META-INF/container.xml": container, "p.xhtml": f"<html><body>{page}</body></html>",
        "c.opf": f"{doctype}<package><manifest>{item}</manifest>"
        '<spine><itemref idref="i"/></spine></package>',
    })  # fmt: skip


def docx(body: str, doctype: str = "", more: Mapping[str, bytes] | None = None) -> bytes:
    return packed({
        "[Content_Types].xml": typed(document="wordprocessingml.document.main"),
        "_rels/.rels": related(("officeDocument", "document.xml")),
        "document.xml": f"{doctype}<w:document {TEXT}><w:body>{body}</w:body></w:document>",
        **(more or {}),
    })  # fmt: skip


def xlsx(sheet: str) -> bytes:
    return packed({
        "[Content_Types].xml": typed(b="spreadsheetml.sheet.main", s="spreadsheetml.worksheet"),
        "_rels/.rels": related(("officeDocument", "b.xml")),
        "_rels/b.xml.rels": related(("worksheet", "s.xml")),
        "b.xml": f'<workbook {SHEET} xmlns:r="{R}"><sheets><sheet name="s" sheetId="1" r:id="r0"/>'
        "</sheets></workbook>",
        "s.xml": f"<worksheet {SHEET}>{sheet}</worksheet>",
    })  # fmt: skip


def pptx(shapes: str) -> bytes:
    return packed(
        {
            "[Content_Types].xml": typed(p="presentationml.presentation.main", s="presentationml.slide"),
            "_rels/.rels": related(("officeDocument", "p.xml")),
            "_rels/p.xml.rels": related(("slide", "s.xml")),
            "p.xml": f'<p:presentation {SLIDE}><p:sldIdLst><p:sldId id="256" r:id="r0"/></p:sldIdLst></p:presentation>',
            "s.xml": f"<p:sld {SLIDE}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>",
        }
    )


def odf(kind: str, body: str, doctype: str = "") -> bytes:
    return packed({
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": f"{doctype}<office:document-content {ODF}><office:body><office:{kind}>{body}"
        f"</office:{kind}></office:body></office:document-content>",
    })  # fmt: skip


def table(row: str, times: int = 1) -> str:
    return f'<table:table table:name="a">{row}</table:table>' * times


ONE = "<text:p>x</text:p>"
PARAGRAPH = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
CELL = "<w:tc><w:tcPr><w:gridSpan w:val='1000000'/></w:tcPr>" + PARAGRAPH.format("x") + "</w:tc>"
ROW = '<row r="{0}"><c r="{1}{0}"><v>1</v></c></row>'
CORNERS = f"<sheetData>{ROW.format(1, 'A')}{ROW.format(1048576, 'XFD')}</sheetData>"
MERGED = '<mergeCell ref="A1:XFD1048576"/>'
SPREAD = "".join(ROW.format(16 * at, "ABCDEFGH"[at % 8]) for at in range(1, 60_000))
SPANNED = '<table:table-cell table:number-columns-spanned="16000" \
table:number-rows-spanned="1000000">'
REPEATED = '<table:table-row table:number-rows-repeated="1000000"><table:table-cell \
table:number-columns-repeated="1000000">'
NESTED_ZIP = packed({"a": packed({"a": packed({"a": b"0" * 50_000_000})})})
GROUP = "<p:grpSp><p:nvGrpSpPr/><p:grpSpPr/>"
SHAPE = "<p:sp><p:nvSpPr/><p:spPr/><p:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody></p:sp>"
HOSTILE = {
    "epub of one large part": epub(f"<p>{'a' * 100_000_000}</p>"),
    "epub of empty paragraphs": epub("<p/>" * 1_200_000),
    "epub that nests": epub("<div>" * 100_000 + "</div>" * 100_000),
    "epub with entities": epub("<p>x</p>", EXPANDING.replace("x [", "package [")),
    "docx of empty paragraphs": docx("<w:p/>" * 700_000),
    "docx that nests": docx("<w:tbl><w:tr><w:tc>" * 1000 + "</w:tc></w:tr></w:tbl>" * 1000),
    "docx of wide cells": docx(f"<w:tbl>{f'<w:tr>{CELL}</w:tr>' * 50}</w:tbl>"),
    "docx with entities": docx(PARAGRAPH.format("&i;"), EXPANDING),
    "docx with a zip in a zip": docx(PARAGRAPH.format("x"), more={"a.zip": NESTED_ZIP}),
    "xlsx of two corners": xlsx(CORNERS),
    "xlsx of cells far apart": xlsx(f"<sheetData>{SPREAD}</sheetData>"),
    "xlsx merged": xlsx(f"<sheetData>{ROW.format(1, 'A')}</sheetData><mergeCells>{MERGED * 2}</mergeCells>"),
    "pptx of shapes": pptx(SHAPE * 40_000),
    "pptx that nests": pptx(GROUP * 3000 + "</p:grpSp>" * 3000),
    "odt that nests": odf("text", "<text:section>" * 100_000 + "</text:section>" * 100_000),
    "odt of spaces": odf("text", '<text:p>x<text:s text:c="999999999"/>y</text:p>'),
    "odt with entities": odf("text", "<text:p>&i;</text:p>", EXPANDING),
    "odt that repeats": odf("text", table(f"{REPEATED}{ONE}</table:table-cell></table:table-row>")),
    "ods of spans": odf(
        "spreadsheet", table(f"<table:table-row>{SPANNED}{ONE}</table:table-cell></table:table-row>" * 500)
    ),
    "ods of sheets": odf(
        "spreadsheet", table(f"<table:table-row><table:table-cell>{ONE}</table:table-cell></table:table-row>", 20_000)
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_package_is_refused_or_read_at_once(name: str) -> None:
    media_type = name.split()[0]
    assert len(HOSTILE[name]) < 500_000
    read = load_readers({media_type: READERS[media_type]})[media_type]
    started = time.process_time()
    try:
        assert read(HOSTILE[name]).characters < 10_000
    except DocumentError as error:
        assert error.code in ("broken", "too_large")
    assert time.process_time() - started < SECONDS

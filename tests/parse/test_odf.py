"""OpenDocument texts, slides and sheets: what is read, what is counted, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from tests.parse.odf_files import content, odf_file

HIDING = (
    '<style:style style:name="Above"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="Unseen" style:parent-style-name="Above"/>'
)
TEXT = """
<text:tracked-changes><text:changed-region><text:deletion><office:change-info><dc:creator>A
</dc:creator></office:change-info><text:p>Deleted.</text:p></text:deletion></text:changed-region>
<text:changed-region><text:insertion><office:change-info><dc:creator>A</dc:creator>
</office:change-info></text:insertion></text:changed-region></text:tracked-changes>
<text:h text:outline-level="1">Harbour</text:h>
<text:p>The <text:span>crane</text:span> moves<text:s text:c="2"/>to the
<text:a xlink:href="https://example.org/a">quay</text:a>.<text:note text:note-class="footnote">
<text:note-citation>1</text:note-citation><text:note-body><text:p>It is old.</text:p>
</text:note-body></text:note> It stops.<office:annotation><dc:creator>Nora</dc:creator>
<dc:date>2025-02-03T10:00:00</dc:date><text:p>Is it?</text:p></office:annotation></text:p>
<text:p text:style-name="Unseen">Hidden.</text:p>
<text:section text:display="none"><text:p>Hidden too.</text:p></text:section>
<text:list><text:list-item><text:p>First</text:p><text:list><text:list-item><text:p>Inner</text:p>
</text:list-item></text:list></text:list-item><text:list-item><text:p>Second</text:p>
</text:list-item></text:list>
<text:p><draw:frame><draw:text-box><text:p>In a box.</text:p></draw:text-box></draw:frame>
<draw:frame><draw:image xlink:href="a.png"/><svg:desc>A crane</svg:desc></draw:frame></text:p>
<table:table table:name="T"><table:table-column/><table:table-header-rows><table:table-row>
<table:table-cell><text:p>Name</text:p></table:table-cell><table:table-cell><text:p>Tons</text:p>
</table:table-cell></table:table-row></table:table-header-rows><table:table-row><table:table-cell>
<text:p>Big</text:p></table:table-cell><table:table-cell><text:p>12</text:p></table:table-cell>
</table:table-row></table:table>
<text:p><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>
"""
CHART = """<office:chart><chart:chart><chart:title><text:p>Moves</text:p></chart:title>
<table:table table:name="local-table"><table:table-row><table:table-cell><text:p>May</text:p>
</table:table-cell><table:table-cell><text:p>7</text:p></table:table-cell></table:table-row>
</table:table></chart:chart></office:chart>"""


def test_a_text_is_read_with_its_notes_comments_and_frames(parse_one: Any) -> None:
    chart = content("odt", "").replace("<office:text></office:text>", CHART)
    footer = "<style:footer><text:p>Page 1</text:p></style:footer>"
    others = {"Object 1/content.xml": chart}
    data = odf_file("odt", TEXT, styles=HIDING, title="Plan", master=footer, others=others)
    parsed = parse_one("a.odt", data)
    assert parsed.kinds == [
        ("title", "Harbour"),
        ("paragraph", "The crane moves to the quay. It stops."),
        ("paragraph", "It is old."),
        ("paragraph", "Nora, 2025-02-03T10:00:00:"),
        ("paragraph", "Is it?"),
        ("list_item", "First"),
        ("list_item", "Inner"),
        ("list_item", "Second"),
        ("paragraph", "In a box."),
        ("table", "Name: Big | Tons: 12"),
        ("paragraph", "Moves"),
        ("table", "May | 7"),
    ]
    assert (parsed.document["title"], parsed.document["title_source"]) == ("Plan", "metadata")
    assert parsed.blocks[1]["has_link"]
    assert parsed.left_out == {"deleted_text": 1, "hidden": 2, "picture": 1, "header_footer": 1}


def test_slides_are_pages(parse_one: Any) -> None:
    styles = (
        '<style:style style:name="off" style:family="drawing-page"><style:drawing-page-properties '
        'presentation:visibility="hidden"/></style:style>'
    )
    slide = (
        '<draw:page draw:name="p1"><draw:frame presentation:class="title"><draw:text-box><text:p>'
        "{0}</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:list>"
        "<text:list-item><text:p>{0} point</text:p></text:list-item></text:list></draw:text-box>"
        '</draw:frame><draw:frame presentation:class="footer"><draw:text-box><text:p>Foot</text:p>'
        "</draw:text-box></draw:frame><presentation:notes><draw:page-thumbnail/><draw:frame>"
        "<draw:text-box><text:p>{0} notes</text:p></draw:text-box></draw:frame>"
        "</presentation:notes></draw:page>"
    )
    hidden = '<draw:page draw:style-name="off"><draw:frame><draw:text-box><text:p>No</text:p>'
    hidden += "</draw:text-box></draw:frame></draw:page>"
    data = odf_file("odp", slide.format("One") + hidden + slide.format("Two"), styles=styles)
    parsed = parse_one("a.odp", data)
    assert [(one["page"], one["kind"], one["text"]) for one in parsed.blocks] == [
        (1, "title", "One"),
        (1, "list_item", "One point"),
        (1, "paragraph", "One notes"),
        (3, "heading", "Two"),
        (3, "list_item", "Two point"),
        (3, "paragraph", "Two notes"),
    ]
    assert (parsed.document["pages_in"], parsed.document["pages_out"]) == (3, 2)
    assert parsed.left_out == {"hidden": 1, "header_footer": 2}


def cell(text: str = "", said: str = "", inner: str = "") -> str:
    paragraph = f"<text:p>{text}</text:p>" if text else ""
    return f"<table:table-cell {said}>{paragraph}{inner}</table:table-cell>"


def typed(kind: str, name: str, value: str) -> str:
    return f'office:value-type="{kind}" office:{name}="{value}"'


def test_sheets_are_tables_of_typed_values(parse_one: Any) -> None:
    names = ("Name", "Day", "Tons", "Share", "Open", "At", "Code")
    header = "".join(cell(name, 'table:style-name="b" office:value-type="string"') for name in names)
    note = "<office:annotation><text:p>Check it.</text:p></office:annotation>"
    values = (
        cell("Big", 'office:value-type="string"', note)
        + cell("04.03.25", typed("date", "date-value", "2025-03-04"))
        + cell("1,200.5 t", typed("float", "value", "1200.5"))
        + cell("25 %", typed("percentage", "value", "0.25"))
        + cell("", typed("boolean", "boolean-value", "true"))
        + cell("10:05", typed("time", "time-value", "PT10H05M00S"))
        + cell("007", 'office:value-type="string"')
    )
    blank = '<table:table-cell table:number-columns-repeated="16000"/>'
    rows = (
        f"<table:table-row>{header}{blank}</table:table-row>"
        f'<table:table-row table:number-rows-repeated="2">{values}</table:table-row>'
        f'<table:table-row table:number-rows-repeated="1000000">{blank}</table:table-row>'
        f"<table:table-row>{cell('', 'table:formula=&quot;of:=A1&quot;')}</table:table-row>"
    )
    styles = (
        '<style:style style:name="b"><style:text-properties fo:font-weight="bold"/></style:style>'
        '<style:style style:name="h" style:family="table"><style:table-properties '
        'table:display="false"/></style:style>'
    )
    hidden = f'<table:table table:name="H" table:style-name="h"><table:table-row>{cell("No")}'
    hidden += "</table:table-row></table:table>"
    body = f'<table:table table:name="Cranes">{rows.replace("&quot;", chr(34))}</table:table>'
    parsed = parse_one("a.ods", odf_file("ods", body + hidden, styles=styles))
    line = "Name: Big | Day: 2025-03-04 | Tons: 1,200.5 t | Share: 25 % | Open: TRUE | At: 10:05 | Code: 007"
    assert parsed.kinds == [("heading", "Cranes"), ("table", f"{line}\n{line}"), ("paragraph", "Check it.")]
    row = [one for one in parsed.cells if one["row"] == 1]
    assert [(one["value_type"], one["number"], one["iso"]) for one in row] == [
        ("text", None, None),
        ("date", None, "2025-03-04"),
        ("number", 1200.5, None),
        ("percent", 0.25, None),
        ("boolean", 1.0, None),
        ("time", None, "10:05:00"),
        ("text", None, None),
    ]
    assert [one["reference"] for one in row][:2] == ["A2", "B2"]
    assert parsed.left_out == {"hidden": 1, "formula_without_value": 1}


def bomb() -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as package:
        package.writestr("content.xml", b" " * 6_000_000)
    return buffer.getvalue()


def repeated() -> bytes:
    filled = cell("x", 'table:number-columns-repeated="1000"')
    row = f'<table:table-row table:number-rows-repeated="3990">{filled}</table:table-row>'
    return odf_file("ods", f'<table:table table:name="A">{row}</table:table>')


def entities() -> bytes:
    declared = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><office:document-c'
    text = content("odt", "<text:p>&b;</text:p>").replace("<office:document-c", declared, 1)
    return odf_file("odt", "", others={"content.xml": text})


LOCKED = {"META-INF/manifest.xml": "<m:encryption-data/>", "content.xml": "\x01"}
BAD: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty.odt": (lambda: b"", "empty_file"),
    "blank.odt": (lambda: odf_file("odt", "<text:p/>"), "no_text"),
    "blank.odp": (lambda: odf_file("odp", "<draw:page/>"), "no_text"),
    "blank.ods": (lambda: odf_file("ods", '<table:table table:name="A"/>'), "no_text"),
    "cut.odt": (lambda: odf_file("odt", TEXT)[:-100], "broken"),
    "garbage.ods": (lambda: b"garbage", "broken"),
    "locked.odt": (lambda: odf_file("odt", "", others=LOCKED), "encrypted"),
    "entities.odt": (entities, "broken"),
    "text.odt": (lambda: odf_file("odt", "", others={"content.xml": "words"}), "broken"),
    "deep.odt": (
        lambda: odf_file("odt", "<text:list><text:list-item>" * 200 + "</text:list-item>"
                                "</text:list>" * 200), "broken",
    ),
    "bomb.odt": (bomb, "too_large"),
    "repeated.ods": (repeated, "too_large"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused(parse_one: Any, name: str) -> None:
    make, code = BAD[name]
    document = parse_one(name, make()).document
    assert document["error_code"] == code, document["error_message"]

"""What files say of themselves: dates, releases and authors, in every format that has them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from docx import Document
from openpyxl import Workbook

from tests.parse.odf_files import odf_file, part
from tests.parse.test_epub import BOOK, book

WHEN = datetime(2024, 3, 1, 12, 30)
TEXT = "The harbour opens at six. The crane lifts ten tons."


def docx() -> bytes:
    document, buffer = Document(), BytesIO()
    document.add_paragraph(TEXT)
    document.core_properties.author = "Nora Lind"
    document.core_properties.created = document.core_properties.modified = WHEN
    document.save(buffer)
    return buffer.getvalue()


def xlsx() -> bytes:
    workbook, buffer = Workbook(), BytesIO()
    workbook.active.append(["Crane", "Tons"])
    workbook.active.append(["Big", 12])
    workbook.properties.creator, workbook.properties.created = "Nora Lind", WHEN
    workbook.save(buffer)
    packed, again = ZipFile(buffer), BytesIO()
    with ZipFile(again, "w", ZIP_DEFLATED) as package:  # the library writes the time of saving
        for name in packed.namelist():
            data = packed.read(name)
            if name == "docProps/core.xml":
                head, _, rest = data.partition(b"<dcterms:modified")
                data = head + rest.partition(b"</dcterms:modified>")[2]
            package.writestr(name, data)
    return again.getvalue()


def odt() -> bytes:
    meta = (
        "<office:meta><dc:creator>Who Saved</dc:creator><dc:date>2024-03-01T12:30:00.5</dc:date>"
        "<meta:initial-creator>Nora Lind</meta:initial-creator>"
        "<meta:creation-date>2019-01-01T00:00:00</meta:creation-date></office:meta>"
    )
    body = f"<text:p>{TEXT}</text:p>"
    return odf_file("odt", body, others={"meta.xml": part("document-meta", meta)})


def epub() -> bytes:
    said = "<dc:date>2024-03-01</dc:date><dc:creator>Nora Lind</dc:creator></metadata>"
    item = '<item id="a" href="text/a.xhtml" media-type="application/xhtml+xml"/>'
    opf = BOOK.replace("</metadata>", said).format(items=item, references='<itemref idref="a"/>')
    return book({"a.xhtml": f"<p>{TEXT}</p>"}, {"OEBPS/book.opf": opf})


def pdf() -> bytes:
    stream = f"BT /F1 12 Tf 72 700 Td ({TEXT}) Tj ET"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
        "/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(stream)}>>stream\n{stream}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        "<</Author(Nora Lind)/CreationDate(D:20240301123000+01'00')/ModDate(D:20250101000000Z)>>",
    ]  # fmt: skip
    data, places = "%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj{text}endobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size, start = len(objects) + 1, len(data)
    data += f"xref\n0 {size}\n0000000000 65535 f \n{table}"
    return f"{data}trailer<</Size {size}/Root 1 0 R/Info 6 0 R>>\nstartxref\n{start}\n%%EOF".encode()


FILES: dict[str, Any] = {
    "md": f"---\ndate: 2024-03-01\nauthor: Nora Lind\n---\n# Cranes\n\n{TEXT}\n",
    "html": f"<meta name='DC.date' content='2024-03-01'><meta name=author content='Nora Lind'>"
    f"<h1>Cranes</h1><p>{TEXT}",
    "eml": f"From: Nora Lind <n@example.org>\nDate: Fri, 1 Mar 2024 12:30:00 +0100\n"
    f"Subject: Cranes\n\n{TEXT}\n",
    "adoc": f"= Cranes\n:author: Nora Lind\n:revdate: March 1, 2024\n\n{TEXT}\n",
    "rst": f"Cranes\n======\n\n:Author: Nora Lind\n:Date: 2024-03-01\n\n{TEXT}\n",
    "xml": "<article><front><article-meta><contrib-group><contrib><name><surname>Lind</surname>"
    "<given-names>Nora</given-names></name></contrib></contrib-group><pub-date><year>2024</year>"
    "</pub-date><pub-date><day>1</day><month>Mar</month><year>2024</year></pub-date></article-meta>"
    f"</front><body><p>{TEXT}</p></body></article>",
    "docx": docx, "xlsx": xlsx, "odt": odt, "epub": epub, "pdf": pdf,
}  # fmt: skip


def said(parsed: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in parsed.document["said"] or ():
        found.setdefault(one["key"], []).append(one["value"])
    return found


def test_every_format_gives_its_date_and_author(parse_one: Any) -> None:
    read, missing = 0, []
    for kind, made in FILES.items():
        found = said(parse_one(f"a.{kind}", made() if callable(made) else made.encode()))
        for key, value in (("date", "2024-03-01"), ("author", "Nora Lind")):
            read += found.get(key) == [value]
            missing += [] if found.get(key) == [value] else [(kind, key, found)]
    assert read / (2 * len(FILES)) >= 0.98, missing


def with_part(data: bytes, name: str, change: Callable[[bytes], bytes] | None) -> bytes:
    """Return a package with a part changed, added or, without a change, left out."""
    buffer = BytesIO()
    with ZipFile(BytesIO(data)) as package, ZipFile(buffer, "w") as made:
        parts = {one: package.read(one) for one in package.namelist()}
        before = parts.pop(name, b"")
        for part, written in (parts | ({name: change(before)} if change else {})).items():
            made.writestr(part, written)
    return buffer.getvalue()


def without_sense(_: bytes) -> bytes:
    return b"<broken"


def with_odd_date(part: bytes) -> bytes:
    assert b"2024-03-01T12:30:00Z" in part
    return part.replace(b"2024-03-01T12:30:00Z", b"yesterday")


@pytest.mark.parametrize(
    ("file", "name", "change", "counted"),
    [
        ("a.docx", "docProps/custom.xml", without_sense, 1),
        ("a.docx", "docProps/core.xml", without_sense, 1),
        ("a.docx", "docProps/core.xml", None, 0),
        ("a.xlsx", "docProps/core.xml", without_sense, 1),
        ("a.xlsx", "docProps/core.xml", with_odd_date, 0),
        ("a.odt", "meta.xml", without_sense, 1),
    ],
)
def test_properties_that_cannot_be_read_cost_no_text_and_are_counted(
    parse_one: Any, file: str, name: str, change: Callable[[bytes], bytes] | None, counted: int
) -> None:
    made = {"a.docx": docx, "a.xlsx": xlsx, "a.odt": odt}[file]()
    whole, parsed = parse_one(file, made), parse_one(file, with_part(made, name, change))
    assert parsed.kinds == whole.kinds != []
    assert parsed.left_out == ({"properties": counted} if counted else {})


def test_properties_beside_those_that_cannot_be_read_are_kept(parse_one: Any) -> None:
    parsed = parse_one("a.docx", with_part(docx(), "docProps/custom.xml", without_sense))
    assert said(parsed) == {"date": ["2024-03-01"], "author": ["Nora Lind"]}


def test_front_matter_keeps_its_own_keys_as_they_stand(parse_one: Any) -> None:
    front = "---\nTags: [a, b]\nversion: 5.10\nms.date: 11/30/2023\ndepartment: Sales\nx: {y: 1}\n---\n"
    assert said(parse_one("a.md", f"{front}\n{TEXT}".encode())) == {
        "tags": ["a", "b"], "version": ["5.10"], "department": ["Sales"], "release": ["5.10"],
        "ms.date": ["2023-11-30"], "date": ["2023-11-30"], "keywords": ["a", "b"],
    }  # fmt: skip
    toml = f"+++\nrelease = 3.20\ndate = 2024-03-01\n+++\n\n{TEXT}".encode()
    assert said(parse_one("a.md", toml)) == {"release": ["3.20"], "date": ["2024-03-01"]}


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-03-01T10:00:00+02:00", "2024-03-01"), ("2024/3/1", "2024-03-01"), ("2024", "2024"),
        ("2024-03", "2024-03"), ("01.03.2024", "2024-03-01"), ("31/03/2024", "2024-03-31"), ("March 2024", "2024-03"),
        ("1st March 2024", "2024-03-01"), ("2024-04-31", None), ("20240-01-01", None), ("03/04/2024", None),
        ("soon", None), ("5.1", None), ("1776-07-04", None), ("20240301", "2024-03-01"), ("1 Mai 2024", None),
    ],
)  # fmt: skip
def test_a_date_that_cannot_be_or_has_two_readings_is_not_kept(parse_one: Any, text: str, date: str | None) -> None:
    page = f"<meta name=date content='{text}'><p>{TEXT}"
    assert said(parse_one("a.html", page.encode())).get("date", [None]) == [date]


def test_a_title_names_the_release(parse_one: Any) -> None:
    for title, release in (
        ("Caching — Django 5.1 documentation", "5.1"), ("User guide, Release 3.2", "3.2"),
        ("What is new in version 5.1", None), ("Chapter 1.2 Introduction", None),
    ):  # fmt: skip
        page = f"<title>{title}</title><h1>Caching</h1><p>{TEXT}"
        assert said(parse_one("a.html", page.encode())).get("release", [None]) == [release], title

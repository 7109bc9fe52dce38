"""Formulas of workbooks without values: told where that takes no computing, else counted."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from openpyxl import Workbook

_URL = "https://x.example/a"


def saved(book: Workbook) -> bytes:
    buffer = BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def book_of(*values: object) -> Workbook:
    """Return a workbook with these values below each other in column A."""
    book = Workbook()
    for row, value in enumerate(values, 1):
        book.active.cell(row, 1, value)
    return book


def counted(parsed: Any) -> int:
    left_out = {one["reason"]: one["count"] for one in parsed.document["left_out"] or ()}
    return int(left_out.get("formula_without_value", 0))


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (f'=HYPERLINK("{_URL}","The gate opens")', "The gate opens"),
        (f'=hyperlink("{_URL}")', _URL),
        (f'=HYPERLINK("{_URL}", "See " & A1)', "See First"),
        ('=HYPERLINK(SUM(B1:B2),"A label")', None),
        ('="text"', "text"),
        ('="said ""yes"""', 'said "yes"'),
        ('="a"&"b" & ("c"&1)', "abc1"),
        ("=12", "12"),
        ("=-12.5", "-12.5"),
        ("=25%", "0.25"),
        ("=TRUE", "TRUE"),
        ("=A1", "First"),
        ("=+$A$1", "First"),
        ("=Sheet!A1", "First"),
        ("='Sheet'!A1", "First"),
        ('=A1&": "&A1', "First: First"),
        ("=A99", None),
        ("=Other!A1", None),
        ("=A2", None),
        ("=SUM(1,2)", None),
        ("=1+2", None),
        ("=A1:A2", None),
        ("={1,2}", None),
        ("=Name", None),
        ("=-A1", None),
        ('=IF(A1="x","yes","no")', None),
        ('="open', None),
    ],
)
def test_what_a_formula_says_without_computing(parse_one: Any, formula: str, text: Any) -> None:
    parsed = parse_one("a.xlsx", saved(book_of("First", formula, "Last")))
    texts = [text for _, block in parsed.kinds[1:] for text in block.split("\n")]
    assert texts == ["First", *([text] if text else []), "Last"]
    assert counted(parsed) == (0 if text else 1)


def test_the_address_of_a_hyperlink_is_a_link(parse_one: Any) -> None:
    link = f'=HYPERLINK("{_URL}","The gate opens")'
    parsed = parse_one("a.xlsx", saved(book_of("First", link)))
    (block,) = [block for block in parsed.blocks if block["links"]]
    (found,) = block["links"]
    assert block["text"][found["start"] : found["end"]] == "The gate opens"
    assert found["href"] == _URL
    alone = parse_one("b.xlsx", saved(book_of(link)))
    assert [one["href"] for one in alone.blocks[1]["links"]] == [_URL]
    inside = parse_one("c.xlsx", saved(book_of('=HYPERLINK("#Sheet!A9","Below")')))
    assert (inside.kinds[1], inside.blocks[1]["links"]) == (("paragraph", "Below"), None)


def test_formulas_may_name_each_other_and_themselves(parse_one: Any) -> None:
    parsed = parse_one("a.xlsx", saved(book_of("=A2", "=A3", "Here", "=A5", "=A4")))
    assert "\n".join(text for _, text in parsed.kinds[1:]).split() == ["Here"] * 3
    assert counted(parsed) == 2


def test_a_sheet_of_nothing_but_formulas_is_counted(parse_one: Any) -> None:
    parsed = parse_one("a.xlsx", saved(book_of("=NOW()", "=RAND()")))
    assert parsed.document["error_code"] == "no_text"
    assert counted(parsed) == 2


def test_values_that_were_saved_are_kept(parse_one: Any) -> None:
    data = saved(book_of("First", "=SUM(1,2)", '=IF(1,"","x")', '=HYPERLINK("u","Label")'))
    buffer = BytesIO()
    with ZipFile(BytesIO(data)) as old, ZipFile(buffer, "w") as new:
        for name in old.namelist():
            xml = old.read(name)
            xml = xml.replace(b"<f>SUM(1,2)</f><v></v>", b"<f>SUM(1,2)</f><v>3</v>")
            xml = xml.replace(b'<c r="A3">', b'<c r="A3" t="str">')
            new.writestr(name, xml)
    parsed = parse_one("a.xlsx", buffer.getvalue())
    texts = "\n".join(text for _, text in parsed.kinds[1:])
    assert [one for one in texts.split("\n") if one] == ["First", "3", "Label"]
    assert counted(parsed) == 0


def test_shared_formulas_count_from_their_own_cells(parse_one: Any) -> None:
    book = book_of("One", "Two")
    book.active["B1"], book.active["B2"] = "=A1", "=A2"
    buffer = BytesIO()
    with ZipFile(BytesIO(saved(book))) as old, ZipFile(buffer, "w") as new:
        for name in old.namelist():
            xml = old.read(name)
            xml = xml.replace(b"<f>A1</f>", b'<f t="shared" ref="B1:B2" si="0">A1</f>')
            new.writestr(name, xml.replace(b"<f>A2</f>", b'<f t="shared" si="0"/>'))
    parsed = parse_one("a.xlsx", buffer.getvalue())
    assert sorted(cell["text"] for cell in parsed.cells) == ["One", "One", "Two", "Two"]

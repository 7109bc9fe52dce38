"""Formulas of workbooks without values: links give their label, others are counted."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from openpyxl import Workbook

from tests.parse.conftest import saved

_URL = "https://x.example/a"


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
        (f'=HYPERLINK("{_URL}", "said ""yes""")', 'said "yes"'),
        ('=HYPERLINK(SUM(B1:B2),"A label")', None),
        ("=SUM(1,2)", None),
        ('="open', None),
    ],
)
def test_a_link_without_a_value_says_its_label(parse_one: Any, formula: str, text: Any) -> None:
    parsed = parse_one("a.xlsx", saved(book_of("First", formula, "Last")))
    texts = [text for _, block in parsed.kinds[1:] for text in block.split("\n")]
    assert texts == ["First", *([text] if text else []), "Last"]
    assert counted(parsed) == (0 if text else 1)


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

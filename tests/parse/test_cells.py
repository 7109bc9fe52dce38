"""The cells artifact, whatever the format of the table."""

from __future__ import annotations

from typing import Any

import pytest
from docx import Document
from pptx import Presentation
from pptx.util import Pt

from graphrag_tasks.parse.blocks import limit_cells
from graphrag_tasks.parse.markup import read_markdown
from tests.parse.conftest import saved

ROWS = [["Plant", "Stock", "Since"], ["Hamburg", "1,200", "2024-02-29"], ["Köln", "", "n/a"]]
CELLS = [
    (0, 0, "Plant", True, None, "text"),
    (0, 1, "Stock", True, None, "text"),
    (0, 2, "Since", True, None, "text"),
    (1, 0, "Hamburg", False, "Plant", "text"),
    (1, 1, "1,200", False, "Stock", "integer"),
    (1, 2, "2024-02-29", False, "Since", "date"),
    (2, 0, "Köln", False, "Plant", "text"),
    (2, 2, "n/a", False, "Since", "text"),
]


def as_csv() -> bytes:
    return "\n".join(";".join(row) for row in ROWS).encode()


def as_markdown() -> bytes:
    lines = ["| " + " | ".join(row) + " |" for row in ROWS]
    return "\n".join([lines[0], "| --- | --- | --- |", *lines[1:]]).encode()


def as_html() -> bytes:
    rows = ["".join(f"<th>{text}</th>" for text in ROWS[0])]
    rows += ["".join(f"<td>{text}</td>" for text in row) for row in ROWS[1:]]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<p>Stock:</p><table>{body}</table>".encode()


def as_docx() -> bytes:
    document = Document()
    document.add_paragraph("Stock:")
    table = document.add_table(rows=3, cols=3)
    for row, texts in enumerate(ROWS):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    return saved(document)


def as_pptx() -> bytes:
    deck = Presentation()
    deck.slides.add_slide(deck.slide_layouts[6])
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    shape = slide.shapes.add_table(3, 3, Pt(72), Pt(72), Pt(300), Pt(90))
    for row, texts in enumerate(ROWS):
        for column, text in enumerate(texts):
            shape.table.cell(row, column).text = text
    return saved(deck)


MAKERS = {"csv": as_csv, "md": as_markdown, "html": as_html, "docx": as_docx, "pptx": as_pptx}


@pytest.mark.parametrize("media_type", sorted(MAKERS))
def test_every_format_gives_the_same_cells(parse_one: Any, media_type: str) -> None:
    parsed = parse_one(f"a.{media_type}", MAKERS[media_type]())
    names = ("row", "column", "text", "is_header", "header", "value_type")
    assert [tuple(cell[name] for name in names) for cell in parsed.cells] == CELLS
    (table,) = [block for block in parsed.blocks if block["kind"] == "table"]
    assert {cell["ordinal"] for cell in parsed.cells} == {table["ordinal"]}
    assert {cell["page"] for cell in parsed.cells} == {2 if media_type == "pptx" else None}
    assert {cell["sheet"] for cell in parsed.cells} == {None}
    assert {cell["reference"] for cell in parsed.cells} == {None}
    assert all(cell["char_start"] is not None for cell in parsed.cells)
    values = {cell["text"]: (cell["number"], cell["iso"]) for cell in parsed.cells}
    assert values["1,200"] == (1200.0, None)
    assert values["2024-02-29"] == (None, "2024-02-29")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"sep=|\na,x|b\n1|2\n", "a,x: 1 | b: 2"),
        (b"name;price\nAnn;1,5\nBob;2,5\n", "name: Ann | price: 1,5\nname: Bob | price: 2,5"),
        (b"sentence\nOne, two.\nThree.\nFour, five, six.\n",
         "sentence: One, two.\nsentence: Three.\nsentence: Four, five, six."),
        (b'a, b\n1, "x, y"\n', "a: 1 | b: x, y"),
    ],
)  # fmt: skip
def test_delimiters(parse_one: Any, data: bytes, text: str) -> None:
    assert parse_one("a.csv", data).kinds == [("table", text)]


def test_a_form_has_no_header(parse_one: Any) -> None:
    rows = (("Location:", "Chevroux", "Registration:", "FBVIF"), ("Date:", "17 December", "Damage:", "Destroyed"))
    cells = ["".join(f"<td>{text}</td>" for text in row) for row in rows]
    page = "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"
    told = "Location: Chevroux | Registration: FBVIF\nDate: 17 December | Damage: Destroyed"
    assert parse_one("a.html", page.encode()).kinds == [("table", told)]


def test_only_the_first_cells_of_a_document_are_kept() -> None:
    parsed = read_markdown(as_markdown() + b"\n\nText.\n\n" + as_markdown())
    kept = limit_cells(parsed, 10)
    assert [len(block.table) for block in kept.blocks if block.table] == [8, 2]
    assert kept.cells == 16  # what there is
    assert [block.text for block in kept.blocks] == [block.text for block in parsed.blocks]

"""PDF files whose pages look alike but for digits: only what runs through the pages is left out."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.pdf.reader import read_pdf

LEFT, COLUMN, LEADING = 72, 80, 20
Row = str | Sequence[str]


def pdf_file(pages: Sequence[Sequence[Row]]) -> bytes:
    """Return a file of lines from the top down; a row of several has its columns."""
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1)
    for rows in pages:
        for number, row in enumerate(rows):
            for column, text in enumerate([row] if isinstance(row, str) else row):
                canvas.drawString(LEFT + COLUMN * column, A4[1] - 60 - LEADING * number, text)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def words_of(pages: Sequence[Sequence[Row]]) -> list[str]:
    parsed = read_pdf(pdf_file(pages))
    assert not parsed.left_out.get(LeftOut.PAGE_FURNITURE)
    return " ".join(block.text for block in parsed.blocks).split()


def test_sentences_that_differ_in_their_digits_are_text() -> None:
    pages = [
        [f"Invoice {number} was paid by customer {number * 7 % 101} in full." for number in on]
        for on in (range(36 * page, 36 * page + 36) for page in range(5))
    ]
    assert words_of(pages).count("Invoice") == 180


def test_rows_of_numbers_are_data() -> None:
    tables = [[[str(100 * page + 7 * row + column) for column in range(5)] for row in range(30)] for page in range(4)]
    found = set(words_of(tables))
    assert {cell for page in tables for row in page for cell in row} <= found
    lists = [[str(100 * page + 7 * row) for row in range(30)] for page in range(4)]
    assert sorted(words_of(lists)) == sorted(cell for page in lists for cell in page)
    mixed = [
        [f"{page * 31} {page * 17} 5", f"Text {'abcdef'[page]}", "", "", "", str(page * 37)] for page in range(1, 6)
    ]
    assert len(words_of(mixed)) == 5 * 6


def test_what_runs_through_the_pages_is_left_out_and_counted(parse_one: Any) -> None:
    pages = [
        [f"Chapter {1 + page // 3} \u00b7 {page}", "", "", f"Only here: {page * 13 % 7}.", "", "", f"{page}"]
        for page in range(1, 9)
    ]
    parsed = parse_one("a.pdf", pdf_file(pages))
    text = " ".join(text for _, text in parsed.kinds)
    assert text.count("Only here") == 8
    assert "Chapter" not in text
    assert parsed.document["left_out"] == [{"reason": "page_furniture", "count": 16}]

"""PDF files of which some pages are lost: what was read is kept, and the others are named."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from graphrag_tasks.parse.pdf import pipeline
from graphrag_tasks.parse.pdf.reader import read_pdf
from graphrag_tasks.parse.readers import page_seconds
from graphrag_tasks.parse.text import number_ranges


def pages(*kinds: str) -> bytes:
    """Return a PDF file whose pages are text, blank or drawn."""
    buffer = BytesIO()
    canvas = Canvas(buffer)
    for number, kind in enumerate(kinds, start=1):
        if kind == "text":
            canvas.drawString(72, 700, f"This is the text of page number {number}.")
        elif kind == "drawn":
            canvas.rect(72, 72, 400, 600, fill=1)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def test_pages_without_text_are_named(parse_files: Any) -> None:
    result = parse_files({"a.pdf": pages("text", "drawn", "drawn", "text", "drawn")})
    (document,) = result.tables["documents"].to_pylist()
    assert (document["status"], document["error_code"]) == ("partial", "pages_lost")
    assert (document["pages_in"], document["pages_out"]) == (5, 2)
    assert "a.pdf: 3 of 5 pages gave no text: 2-3, 5." in document["error_message"]
    assert [row["page"] for row in result.tables["blocks"].to_pylist()] == [1, 4]
    assert (result.stats["partial"], result.stats["parsed"], result.stats["failed"]) == (1, 0, 0)
    assert result.tables["renditions"].num_rows == 1


def test_blank_pages_lose_nothing(parse_one: Any) -> None:
    document = parse_one("a.pdf", pages("text", "blank", "text")).document
    assert (document["status"], document["pages_in"], document["pages_out"]) == ("parsed", 3, 2)


def test_a_document_without_any_text_is_empty_not_partial(parse_one: Any) -> None:
    document = parse_one("a.pdf", pages("drawn", "drawn")).document
    assert (document["status"], document["error_code"]) == ("empty", "no_text")


def test_pages_that_the_bound_cut_off_are_lost() -> None:
    token = page_seconds.set(0.0)
    try:
        parsed = read_pdf(pages(*["text"] * 30))
    finally:
        page_seconds.reset(token)
    assert parsed.pages_out == 30 - len(parsed.pages_lost)
    assert 1 <= parsed.pages_out < 30
    assert parsed.pages_lost == list(range(parsed.pages_out + 1, 31))
    assert parsed.blocks[0].text == "This is the text of page number 1."
    assert not read_pdf(pages("text", "text")).pages_lost  # the bound was that document's


def test_a_page_that_cannot_be_read_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    page_text = pipeline.page_text

    def fail_on_second(page: Any) -> Any:
        if page.page_no == 2:
            raise RuntimeError("a defect")
        return page_text(page)

    monkeypatch.setattr(pipeline, "page_text", fail_on_second)
    parsed = read_pdf(pages("text", "text", "text"))
    assert parsed.pages_lost == [2]
    assert [block.page for block in parsed.blocks] == [1, 3]


def test_numbers_are_named_in_ranges() -> None:
    assert number_ranges([2, 5, 6, 7, 9]) == "2, 5-7, 9"
    assert number_ranges([]) == ""

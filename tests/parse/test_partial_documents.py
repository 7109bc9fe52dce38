"""PDF files of which some pages are lost: what was read is kept, and the others are named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from graphrag_tasks.core.config import ParseConfig
from graphrag_tasks.parse.limits import Allowance, allowance
from graphrag_tasks.parse.pdf import pipeline
from graphrag_tasks.parse.pdf.reader import read_pdf


def pages(*kinds: str) -> bytes:
    """Return a PDF file whose pages are text, much text, blank or drawn."""
    buffer = BytesIO()
    canvas = Canvas(buffer)
    for number, kind in enumerate(kinds, start=1):
        if kind == "text":
            canvas.drawString(72, 700, f"This is the text of page number {number}.")
        elif kind == "long":
            for line in range(40):
                canvas.drawString(72, 700 - 15 * line, f"Line {line} of page {number} is text.")
        elif kind == "drawn":
            canvas.rect(72, 72, 400, 600, fill=1)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


@contextmanager
def allowed(bound: Allowance) -> Iterator[Allowance]:
    """Read PDF files with this allowance."""
    token = allowance.set(bound)
    try:
        yield bound
    finally:
        allowance.reset(token)


def test_pages_without_text_are_named(parse_files: Any) -> None:
    result = parse_files({"a.pdf": pages("text", "drawn", "drawn", "text", "drawn")})
    (document,) = result.tables["documents"].to_pylist()
    assert (document["status"], document["error_code"]) == ("partial", "pages_lost")
    assert (document["pages_in"], document["pages_out"]) == (5, 2)
    assert "a.pdf: 3 of 5 pages gave no text: 2-3, 5." in document["error_message"]
    assert [row["page"] for row in result.tables["blocks"].to_pylist()] == [1, 4]
    assert (result.stats["partial"], result.stats["parsed"], result.stats["failed"]) == (1, 0, 0)


def test_pages_that_the_bound_cut_off_are_lost() -> None:
    with allowed(Allowance(total=0.0)):
        parsed = read_pdf(pages(*["text"] * 30))
    assert parsed.pages_out == 30 - len(parsed.pages_lost)
    assert 1 <= parsed.pages_out < 30
    assert parsed.pages_lost == list(range(parsed.pages_out + 1, 31))
    assert parsed.blocks[0].text == "This is the text of page number 1."
    assert not read_pdf(pages("text", "text")).pages_lost  # the bound was that document's


def test_a_page_that_cannot_be_read_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    page_text = pipeline.page_text

    def fail_on_second(page: Any, *symbols: Any) -> Any:
        if page.page_no == 2:
            raise RuntimeError("a defect")
        return page_text(page, *symbols)

    monkeypatch.setattr(pipeline, "page_text", fail_on_second)
    parsed = read_pdf(pages("text", "text", "text"))
    assert parsed.pages_lost == [2]
    assert [block.page for block in parsed.blocks] == [1, 3]


@pytest.mark.slow
@pytest.mark.parametrize("count", [2000, 50_000])
def test_long_files_are_partial_not_timed_out(count: int, parse_files: Any) -> None:
    config = ParseConfig(seconds_per_document=6)
    result = parse_files({"a.pdf": pages(*["long"] * count)}, config=config)
    (document,) = result.tables["documents"].to_pylist()
    assert (document["status"], document["error_code"]) == ("partial", "pages_lost")
    assert document["pages_in"] == count
    assert 1 <= document["pages_out"] < count
    assert f"{count - document['pages_out']} of {count} pages" in document["error_message"]

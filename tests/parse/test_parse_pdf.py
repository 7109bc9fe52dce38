"""PDF."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from graphrag_tasks.parse.blocks import Block, Box
from graphrag_tasks.parse.pdf_furniture import without_furniture
from graphrag_tasks.parse.pdf_paragraphs import paragraphs

LEFT, LEADING = 72, 14


def pdf_file(draw: Callable[[Canvas], None], **options: Any) -> bytes:
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1, **options)
    draw(canvas)
    canvas.save()
    return buffer.getvalue()


def text_at(canvas: Canvas, top: float, *lines: str) -> None:
    for number, line in enumerate(lines):
        canvas.drawString(LEFT, A4[1] - top - number * LEADING, line)


def two_pages(canvas: Canvas) -> None:
    canvas.setTitle("Métadata title")
    canvas.bookmarkPage("one")
    canvas.addOutlineEntry("Introduction", "one", 0)
    text_at(canvas, 80, "1. Introduction")
    text_at(canvas, 110, "The first paragraph has a long line that fills the width and an infor-")
    text_at(canvas, 124, "mation that goes on. It ends here.")
    text_at(canvas, 160, "The second paragraph begins on the first page of the file and it goes on")
    text_at(canvas, 780, "1")
    canvas.showPage()
    text_at(canvas, 80, "at the top of the second page.")
    text_at(canvas, 780, "2")
    canvas.showPage()
    canvas.showPage()


def test_pdf(parse_one: Any) -> None:
    parsed = parse_one("a.pdf", pdf_file(two_pages))
    assert parsed.kinds == [
        ("heading", "1. Introduction"),
        (
            "paragraph",
            "The first paragraph has a long line that fills the width and an information that "
            "goes on. It ends here.",
        ),
        (
            "paragraph",
            "The second paragraph begins on the first page of the file and it goes on at the top "
            "of the second page.",
        ),
    ]
    document = parsed.document
    assert (document["title"], document["pages_in"]) == ("Métadata title", 3)
    assert document["pages_out"] == 2
    heading = parsed.blocks[0]
    assert (heading["level"], heading["page"]) == (1, 1)
    box = heading["bbox"]
    assert abs(box["left"] - LEFT) < 2
    assert 68 < box["top"] < 80 < box["bottom"] < 84


def test_a_pdf_without_text(parse_one: Any) -> None:
    document = parse_one("a.pdf", pdf_file(lambda canvas: canvas.rect(9, 9, 99, 99))).document
    assert (document["status"], document["error_code"]) == ("empty", "no_text")
    assert "OCR" in document["error_message"]
    assert (document["pages_in"], document["pages_out"]) == (1, 0)


def test_encrypted_and_broken_pdfs_are_told_apart(parse_one: Any) -> None:
    locked = pdf_file(two_pages, encrypt="secret")
    assert parse_one("a.pdf", locked).document["error_code"] == "encrypted"
    assert parse_one("a.pdf", b"garbage").document["error_code"] == "broken"
    assert parse_one("a.pdf", b"%PDF-1.4\n%%EOF").document["error_code"] == "broken"


def line(
    text: str, top: float, *, left: float = 72, right: float | None = None, page: int = 1
) -> Block:
    end = left + 5 * len(text) if right is None else right
    return Block("paragraph", text, page=page, box=Box(left, top, end, top + 10))


def texts(*lines: Block) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in paragraphs(lines, {})]


def test_a_line_with_room_left_ends_its_paragraph() -> None:
    long = "a line that is as long as the column is wide"
    assert texts(line("A heading", 0), line(long, 12), line("the end.", 24)) == [
        ("paragraph", "A heading"),
        ("paragraph", f"{long} the end."),
    ]


def test_gaps_indents_and_sizes_separate_paragraphs() -> None:
    wide = "x" * 40
    small = Block("paragraph", wide, page=1, box=Box(72, 36, 272, 41))
    assert len(texts(line(wide, 0), line(wide, 30))) == 2
    assert len(texts(line(wide, 0), line(wide, 12), line(wide, 24, left=92))) == 2
    assert len(texts(line(wide, 24), small)) == 2


def test_bullets_begin_list_items() -> None:
    wide = "word " * 12
    assert texts(line(f"• {wide}", 0), line(wide, 12, left=80), line("• b", 24)) == [
        ("list_item", f"{wide} {wide}"),
        ("list_item", "b"),
    ]


def test_cells_of_a_row_are_one_text_also_from_right_to_left() -> None:
    right, left = line("مرحبا", 0, left=200, right=260), line("Python", 0, left=150, right=195)
    assert texts(right, left) == [("paragraph", "مرحبا Python")]
    assert len(texts(line("left", 0), line("far right", 0, left=400))) == 2


def test_ideographs_are_joined_without_a_space() -> None:
    lines = line("日本語の文章", 0, right=272), line("です", 12, right=92)
    assert texts(*lines) == [("paragraph", "日本語の文章です")]


def test_running_lines_and_page_numbers_go() -> None:
    pages = [
        block
        for page in range(1, 5)
        for block in (
            line(f"Manual v{page}", 0, page=page),
            line(f"Text {'abcd'[page - 1]}", 300, page=page),
            line("3", 310, page=page),
            line(f"Page {page} of 4", 700, page=page),
        )
    ]
    assert [block.text for block in without_furniture(pages)] == [
        text for letter in "abcd" for text in (f"Text {letter}", "3")
    ]
    assert without_furniture([line("7", 0)]) != []

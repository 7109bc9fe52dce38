"""Titles: what the file says of itself where that says something, else a heading, else its name."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from docx import Document
from openpyxl import Workbook
from pptx import Presentation
from reportlab.pdfgen.canvas import Canvas

from tests.parse.conftest import saved


def docx(title: str) -> bytes:
    document = Document()
    document.core_properties.title = title
    document.add_heading("Heading", 1)
    document.add_paragraph("Text.")
    return saved(document)


def pptx(title: str) -> bytes:
    deck = Presentation()
    deck.core_properties.title = title
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Heading"
    return saved(deck)


def xlsx(title: str) -> bytes:
    book = Workbook()
    book.properties.title = title
    book.active.append(["Name", "Value"])
    book.active.append(["a", "b"])
    return saved(book)


def pdf(title: str) -> bytes:
    buffer = BytesIO()
    canvas = Canvas(buffer)
    canvas.setTitle(title)
    canvas.setFont("Helvetica-Bold", 24)
    canvas.drawString(72, 700, "Heading")
    canvas.setFont("Helvetica", 11)
    for line in range(6):
        canvas.drawString(72, 660 - 14 * line, "A line of text that is longer than the heading is.")
    canvas.save()
    return buffer.getvalue()


def html(title: str) -> bytes:
    return f"<title>{title}</title><h1>Heading</h1><p>Text.</p>".encode()


def md(title: str) -> bytes:
    return f'---\ntitle: "{title}"\n---\n# Heading\n\nText.\n'.encode()


MAKERS = {"docx": docx, "pptx": pptx, "xlsx": xlsx, "pdf": pdf, "html": html, "md": md}


@pytest.mark.parametrize("media_type", MAKERS)
def test_metadata_comes_first_and_junk_in_it_does_not_count(parse_one: Any, media_type: str) -> None:
    def title(text: str) -> tuple[str, str]:
        document = parse_one(f"dir/name.{media_type}", MAKERS[media_type](text)).document
        return document["title"], document["title_source"]

    # A workbook's headings are the names of its sheets.
    other = ("name", "file_name") if media_type == "xlsx" else ("Heading", "heading")
    assert title("A good title") == ("A good title", "metadata")
    assert title("Microsoft Word - old.doc") == other
    assert title("(anonymous)") == other
    assert title("PowerPoint Presentation") == other
    assert title("Untitled") == other
    assert title("") == other


def test_texts_without_headings_are_called_after_their_file(parse_one: Any) -> None:
    for uri, data in (("dir/a.txt", b"Text."), ("dir/a.csv", b"x,y\n1,2\n"), ("a.md", b"Text.")):
        document = parse_one(uri, data).document
        assert (document["title"], document["title_source"]) == ("a", "file_name")

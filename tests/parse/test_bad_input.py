"""Hostile and damaged files: each has an error code, and a bound."""

from __future__ import annotations

import socket
import time
from functools import cache
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from docx import Document
from openpyxl import Workbook
from pptx import Presentation
from reportlab.pdfgen.canvas import Canvas

from graphrag_tasks.core.config import ParseConfig
from graphrag_tasks.parse.readers import READERS, load_readers

AT_ONCE = 5.0  # Seconds: refused before any parser sees it; the rest is a slow machine's share.

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4096)
"""How a password-protected DOCX, XLSX or PPTX file begins: it is not a zip any more."""


@cache
def word_file() -> bytes:
    document, buffer = Document(), BytesIO()
    for number in range(200):
        document.add_paragraph(f"Paragraph {number}.")
    document.save(buffer)
    return buffer.getvalue()


@cache
def workbook() -> bytes:
    book, buffer = Workbook(), BytesIO()
    for number in range(200):
        book.active.append([number, f"name {number}"])
    book.save(buffer)
    return buffer.getvalue()


@cache
def pdf_file() -> bytes:
    buffer = BytesIO()
    canvas = Canvas(buffer)
    for page in range(20):
        canvas.drawString(72, 700, f"This is what stands on page {page}.")
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def locked_pdf() -> bytes:
    buffer = BytesIO()
    canvas = Canvas(buffer, encrypt="secret")
    canvas.drawString(72, 700, "Nobody sees this.")
    canvas.save()
    return buffer.getvalue()


def with_part(package: bytes, part: str, megabytes: int) -> bytes:
    """Return the package with a part that unpacks to this size, of all zeros."""
    buffer = BytesIO()
    with ZipFile(BytesIO(package)) as old, ZipFile(buffer, "w", ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name != part:
                new.writestr(name, old.read(name))
        with new.open(part, "w") as file:
            for _ in range(megabytes):
                file.write(bytes(1_000_000))
    return buffer.getvalue()


def presentation() -> bytes:
    """Return a presentation without slides."""
    buffer = BytesIO()
    Presentation().save(buffer)
    return buffer.getvalue()


def part(data: bytes, share: float) -> bytes:
    return data[: int(len(data) * share)]


BAD = {
    "encrypted.pdf": (locked_pdf, "encrypted"),
    "encrypted.docx": (lambda: OLE, "encrypted"),
    "encrypted.xlsx": (lambda: OLE, "encrypted"),
    "encrypted.pptx": (lambda: OLE, "encrypted"),
    "garbage.pdf": (lambda: b"%PDF-1.7 garbage", "broken"),
    "garbage.docx": (lambda: b"garbage", "broken"),
    "garbage.html": (lambda: b"\x00\x01\x02\xff", "broken"),
    "binary.csv": (lambda: bytes(range(256)), "broken"),
    "empty.pdf": (lambda: b"", "empty_file"),
    "empty.docx": (lambda: b"", "empty_file"),
    "half.pdf": (lambda: part(pdf_file(), 0.5), "broken"),
    "most.pdf": (lambda: part(pdf_file(), 0.98), "broken"),
    "half.docx": (lambda: part(word_file(), 0.5), "broken"),
    "most.docx": (lambda: part(word_file(), 0.98), "broken"),
    "half.xlsx": (lambda: part(workbook(), 0.5), "broken"),
    "most.xlsx": (lambda: part(workbook(), 0.98), "broken"),
    "slideless.pptx": (lambda: presentation(), "no_text"),
    "half.pptx": (lambda: part(presentation(), 0.5), "broken"),
    "bomb.docx": (lambda: with_part(word_file(), "word/document.xml", 60), "too_large"),
    "bomb.xlsx": (lambda: with_part(workbook(), "xl/worksheets/sheet1.xml", 140), "too_large"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_at_once(parse_one: Any, name: str) -> None:
    make, code = BAD[name]
    data = make()
    parse_one("warm.md", b"# The worker has imported its readers")
    began = time.monotonic()
    document = parse_one(name, data).document
    assert time.monotonic() - began < AT_ONCE
    assert document["error_code"] == code
    assert document["error_message"].startswith(f"{name}: ")


REFERENCES = b"""<html><head><link rel="stylesheet" href="http://127.0.0.1:{port}/s.css">
<script src="http://127.0.0.1:{port}/s.js"></script></head><body><p>Text</p>
<img src="http://127.0.0.1:{port}/a.png"><img src="file:///etc/hostname">
<iframe src="http://127.0.0.1:{port}/"></iframe></body></html>"""


def word_file_with_references(address: str) -> bytes:
    """Return a document whose picture lies elsewhere and whose text is an external entity."""
    buffer = BytesIO()
    with ZipFile(BytesIO(word_file())) as old, ZipFile(buffer, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "word/_rels/document.xml.rels":
                kind = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"
                link = b'<Relationship Id="rIdX" Type="%b" Target="%b" TargetMode="External"/>'
                link %= (kind, f"{address}/a.png".encode())
                data = data.replace(b"</Relationships>", link + b"</Relationships>")
            if name == "word/document.xml":
                entity = f'<!DOCTYPE x [<!ENTITY e SYSTEM "{address}/e">]><w:document'.encode()
                data = data.replace(b"<w:document", entity, 1)
                data = data.replace(b"Paragraph 0.", b"Paragraph &e;.")
            new.writestr(name, data)
    return buffer.getvalue()


def test_nothing_a_document_refers_to_is_fetched(parse_one: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        port = server.getsockname()[1]
        page = REFERENCES.replace(b"{port}", str(port).encode())
        assert parse_one("a.html", page).kinds == [("paragraph", "Text")]
        picture = f"Text ![alt](http://127.0.0.1:{port}/a.png) [more](https://example.com)"
        assert parse_one("a.md", picture.encode()).kinds == [("paragraph", "Text more")]
        parse_one("a.docx", word_file_with_references(f"http://127.0.0.1:{port}"))
        with pytest.raises(BlockingIOError):
            server.accept()


def test_readers_do_not_even_try_to_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("docx", "html", "md", "xlsx", "adoc", "rst", "tex", "xml")
    readers = load_readers({name: READERS[name] for name in names})

    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("a connection was opened")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    assert readers["html"](REFERENCES).blocks[0].text == "Text"
    assert readers["md"](b"Text ![alt](https://example.com/a.png)").blocks[0].text == "Text"
    assert readers["docx"](word_file()).blocks
    page = "https://example.com/a"
    assert readers["adoc"](f"Text\n\ninclude::{page}[]\n\nimage::{page}[]".encode()).blocks
    assert readers["rst"](f"Text\n\n.. csv-table::\n   :url: {page}\n\n.. image:: {page}".encode()).blocks
    assert readers["tex"](rf"Text \input{{{page}}} \includegraphics{{{page}}}".encode()).blocks
    dtd = f'<!DOCTYPE article SYSTEM "{page}">'
    assert readers["xml"](f"{dtd}<article><body>Text</body></article>".encode()).blocks
    assert readers["xlsx"](workbook()).blocks


@pytest.mark.slow
@pytest.mark.parametrize("media_type", ["html", "md"])
def test_50_000_paragraphs_are_read(parse_one: Any, media_type: str) -> None:
    pattern = b"<p>Paragraph %d.</p>\n" if media_type == "html" else b"Paragraph %d.\n\n"
    parsed = parse_one(f"a.{media_type}", b"".join(pattern % n for n in range(50_000)))
    assert parsed.document["error_code"] is None
    assert len(parsed.blocks) == 50_000


@pytest.mark.slow
def test_a_csv_of_200_000_rows_is_read_in_bounded_memory(parse_files: Any) -> None:
    data = b"id,name\n" + b"".join(b"%d,name %d\n" % (n, n) for n in range(200_000))
    result = parse_files({"a.csv": data}, config=ParseConfig(memory_bytes=1_000_000_000))
    assert result.tables["documents"]["error_code"].to_pylist() == [None]
    assert result.tables["blocks"]["text"][0].as_py().count("\n") == 199_999


@pytest.mark.slow
def test_markdown_quotes_5_000_deep_are_a_named_error(parse_one: Any) -> None:
    document = parse_one("a.md", b">" * 5000 + b" x").document
    assert document["error_code"] == "broken"
    assert "nested" in document["error_message"]

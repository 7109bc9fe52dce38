"""EPUB books: chapters in reading order, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

CONTAINER = """<?xml version="1.0"?>
<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>"""
BOOK = """<?xml version="1.0"?>
<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">
<metadata><dc:title>Harbours</dc:title></metadata><manifest>{items}</manifest>
<spine>{references}</spine></package>"""
PAGE = """<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title><script src="a.js"/></head>
<body>{body}</body></html>"""
ENCRYPTION = '<encryption><CipherReference URI="{}"/></encryption>'


def book(chapters: Mapping[str, str], others: Mapping[str, str] | None = None) -> bytes:
    """Return a book with these bodies of chapters, by the name of their file."""
    items = "".join(
        f'<item id="{name}" href="text/{name}" media-type="application/xhtml+xml"/>' for name in sorted(chapters)
    )
    references = "".join(f'<itemref idref="{name}"/>' for name in chapters)
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": BOOK.format(items=items, references=references),
        **{f"OEBPS/text/{name}": PAGE.format(title="Harbours", body=body) for name, body in chapters.items()},
        **(others or {}),
    }
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as package:
        for name, text in parts.items():
            package.writestr(name, text)
    return buffer.getvalue()


TWO = {
    "b.xhtml": "<h1>One</h1><p>Words<a id='n1'/> of it.</p><aside>A note.</aside>",
    "a.xhtml": "<h1>Two</h1><p>Gr\u00fc\u00dfe</p><img src='a.png' alt='A crane'/>",
}


def test_chapters_are_read_in_their_order(parse_one: Any) -> None:
    parsed = parse_one("a.epub", book(TWO))
    assert parsed.kinds == [
        ("title", "One"),
        ("paragraph", "Words of it."),
        ("paragraph", "A note."),
        ("title", "Two"),
        ("paragraph", "Gr\u00fc\u00dfe"),
    ]
    assert (parsed.document["title"], parsed.document["title_source"]) == ("Harbours", "metadata")
    assert parsed.document["left_out"] == [{"reason": "picture", "count": 1}]


def without_chapter() -> bytes:
    return book(TWO, {"OEBPS/book.opf": BOOK.format(items="", references='<itemref idref="x"/>')})


def bomb() -> bytes:
    return book(TWO, {"OEBPS/text/a.xhtml": " " * 6_000_000})


BAD: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "empty_file"),
    "blank": (lambda: book({"a.xhtml": ""}), "no_text"),
    "cut": (lambda: book(TWO)[:-50], "broken"),
    "garbage": (lambda: b"garbage", "broken"),
    "other": (lambda: book(TWO, {"META-INF/container.xml": "<a/>"}), "broken"),
    "chapter": (without_chapter, "broken"),
    "locked": (lambda: book(TWO, {"META-INF/encryption.xml": ENCRYPTION.format("OEBPS/text/a.xhtml")}), "encrypted"),
    "entities": (lambda: book(TWO, {"OEBPS/book.opf": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}), "broken"),
    "bomb": (bomb, "too_large"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_books_are_refused(parse_one: Any, name: str) -> None:
    make, code = BAD[name]
    document = parse_one("a.epub", make()).document
    assert document["error_code"] == code, document["error_message"]

"""Lists of numbers are kept whole in every format, and what is cut is told.

Rows are made from a seed: codes, amounts, dates, and perhaps total rows, or two lines a row.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from email.message import EmailMessage
from io import BytesIO
from random import Random
from typing import Any

import pytest
from docx import Document
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

Rows = list[list[str]]


def _rows(seed: int) -> Rows:
    random = Random(seed)
    columns: list[Callable[[int], str]] = [
        lambda at: f"A-{1000 + at}",
        lambda at: f"{random.uniform(1, 900):.2f}",
        lambda at: f"{random.uniform(1, 9000):,.2f}".replace(",", " ").replace(" ", "."),
        lambda at: f"2025-{at % 12 + 1:02}-{at % 28 + 1:02}",
        lambda at: f"B{random.randint(0, 6)}",
        lambda at: str(random.randint(0, 99)),
        lambda at: f"{random.randint(1, 99)}%",
        lambda at: f"+49 30 {random.randint(1000, 9999)}",
    ]
    own = [columns[0], *random.sample(columns[1:], random.randint(2, 5))]
    return [[column(at) for column in own] for at in range(random.randint(60, 120))]


def _text(rows: Rows, between: str = "   ") -> str:
    lines = "\n".join(between.join(row) for row in rows)
    return f"Price list of the Holm store\n\n{lines}\n\nPrices are in euros."


def _mail(rows: Rows) -> bytes:
    message = EmailMessage()
    message["Subject"] = "Prices"
    message.set_content(_text(rows))
    return message.as_bytes()


def _word(rows: Rows) -> bytes:
    document, file = Document(), BytesIO()
    for line in _text(rows, "\t").split("\n"):
        document.add_paragraph(line)
    document.save(file)
    return file.getvalue()


def _pdf(rows: Rows) -> bytes:
    file = BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=True)
    for at, row in enumerate([["Price list of the Holm store"], *rows]):
        if at and at % 50 == 0:
            canvas.showPage()
        for place, cell in enumerate(row):
            canvas.drawString(60 + 80 * place, 780 - 14 * (at % 50), cell)
    canvas.save()
    return file.getvalue()


def _markdown(rows: Rows) -> bytes:
    lines = [" | ".join(row) for row in [[f"K{at}" for at in range(len(rows[0]))], *rows]]
    lines.insert(1, " | ".join("---" for _ in rows[0]))
    return ("# Prices\n\nThe articles:\n" + "\n".join(f"| {line} |" for line in lines)).encode()


def _asciidoc(rows: Rows) -> bytes:
    return f"= Prices\n\n{_text(rows)}".encode()


FORMATS: dict[str, Callable[[Rows], bytes]] = {
    "a.txt": lambda rows: _text(rows).encode(),
    "b.txt": lambda rows: _text(rows, "\t").encode(),
    "c.txt": lambda rows: _text(rows, " ").encode(),
    "d.txt": lambda rows: _text([[*row[:1], "\n", *row[1:]] for row in rows]).encode(),
    "a.eml": _mail,
    "a.docx": _word,
    "a.pdf": _pdf,
    "a.md": _markdown,
    "b.md": lambda rows: _text(rows).encode(),
    "a.html": lambda rows: f"<pre>{_text(rows)}</pre>".encode(),
    "b.html": lambda rows: f"<p>{_text(rows)}</p>".replace("\n", "<br>").encode(),
    "a.adoc": _asciidoc,
    "a.rst": lambda rows: _text(rows).encode(),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_list_of_numbers_keeps_its_rows(parse_one: Any, name: str) -> None:
    for seed in range(3):
        rows = _rows(seed)
        parsed = parse_one(name, FORMATS[name](rows))
        words = " ".join(block["text"] for block in parsed.blocks).replace("|", " ").split()
        missing = {word for row in rows for cell in row for word in cell.split()} - set(words)
        assert not missing, (seed, sorted(missing)[:5])
        assert parsed.document["status"] == "parsed"


def test_a_table_begins_below_a_line_of_text(parse_one: Any) -> None:
    page = "> Articles\n> | A | B |\n> |---|---|\n> | a1 | b1 |\n\n- Item\n  | C | D |\n  |---|---|\n"
    parsed = parse_one("a.md", f"{page}  | c1 | d1 |\n\nOne | two\nthree --- four\n".encode())
    assert parsed.kinds == [
        ("paragraph", "Articles"),
        ("table", "A: a1 | B: b1"),
        ("list_item", "Item"),
        ("table", "C: c1 | D: d1"),
        ("paragraph", "One | two three --- four"),
    ]


def _dump(data: bytes) -> str:
    lines = (data[at : at + 16] for at in range(0, len(data), 16))
    return "\n".join(f"{at:08x}: {line.hex(' ', 2)}" for at, line in enumerate(lines))


_NOISE = Random(7).randbytes(6000)
_LINES = {
    "log": "2025-03-01 12:00:{at:02} [{at}] 0x{at:04x} 200 {at}",
    "access log": '10.0.0.1 - - [10/Oct/2025:13:55:{at:02} +0000] "GET /{at}" 200 {at}',
    "rows of SQL": "INSERT INTO t VALUES ({at}, '{at:x}', {at}.5);",
    "packed script": "a{at}=b({at},c[{at}]);",
}
CUT = {
    "encoded": base64.encodebytes(_NOISE).decode(),
    "dump": _dump(_NOISE),
    **{
        kind: ("" if kind == "packed script" else "\n").join(line.format(at=at % 60) for at in range(300))
        for kind, line in _LINES.items()
    },
}


@pytest.mark.parametrize("kind", CUT)
def test_what_is_no_prose_is_cut_and_told(parse_one: Any, kind: str) -> None:
    page = f"The pump feeds the tank.\n\n{CUT[kind]}\n\nThe tank feeds the valve."
    parsed = parse_one("a.txt", page.encode())
    code = next(block["text"] for block in parsed.blocks if block["kind"] == "code")
    cut = parsed.left_out["no_words"]
    assert len(code) <= 1000 < cut
    assert len(CUT[kind].strip()) - len(code) - cut < 3  # blanks at the ends of lines
    assert (parsed.document["status"], parsed.document["error_code"]) == ("partial", "text_cut")
    assert f"{cut} characters are left out: they are no prose" in parsed.document["error_message"]

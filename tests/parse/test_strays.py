"""One wrong character or missing end tag costs itself, not its document."""

from __future__ import annotations

import time
from typing import Any

import pytest


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html"])
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_nul_is_left_out_and_counted(parse_one: Any, name: str, encoding: str) -> None:
    text = "A text with a\0 stray and " + "über " * 40 + "end"
    parsed = parse_one(name, text.encode(encoding))
    assert parsed.kinds == [("paragraph", text.replace("\0", ""))]
    assert parsed.left_out == {"invalid_characters": 1}


def test_what_colours_a_terminal_is_no_text(parse_one: Any) -> None:
    page = "\x1b]0;man\x07\x1b[1mNAME\x1b[22m: N\bNA\bA is \x1b[38;5;4mblue\x1b[0m\x1b[K."
    parsed = parse_one("a.txt", page.encode())
    assert parsed.kinds == [("paragraph", "NAME: NA is blue.")]
    assert not any(parsed.left_out.values())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_read(parse_one: Any, encoding: str) -> None:
    text = "Latin text, caf\u00e9"
    assert parse_one("a.txt", text.encode(encoding)).kinds == [("paragraph", text)]
    for other in ("Текст из двух слов\n", "没有字节顺序标记的文件\n"):
        parsed = parse_one("a.txt", other.encode(encoding))
        assert parsed.kinds == [("paragraph", other.strip())]
        assert parsed.document["encoding"] == encoding


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html", "a.csv"])
def test_binary_files_are_no_text(parse_one: Any, name: str) -> None:
    header = b"\x7fELF\x02\x01\x01\x00" + bytes(8) + b"some names of symbols" * 4
    for data in (header, bytes(range(256)) * 4, b"text " + bytes(20)):
        assert parse_one(name, data).document["error_code"] == "broken"


@pytest.mark.parametrize(
    ("line", "cells"),
    [('"5" pipe,3', ['"5" pipe', "3"]), ('"never closed,3', ['"never closed', "3"]), ('5" pipe,"3"', ['5" pipe', "3"])],
)
def test_a_stray_quote_costs_no_rows(parse_one: Any, line: str, cells: list[str]) -> None:
    data = f'name,units\nfirst,1\n{line}\n"two\nlines",7\nlast,9\n'
    parsed = parse_one("a.csv", data.encode())
    assert parsed.document["error_code"] is None
    rows: dict[int, list[str]] = {}
    for cell in parsed.cells:
        rows.setdefault(cell["row"], []).append(cell["text"])
    assert list(rows.values()) == [["name", "units"], ["first", "1"], cells, ["two lines", "7"], ["last", "9"]]


UNCLOSED = {
    "<p><font><b>word{} ": 1,
    "<font><b>word{}<br> ": 1,
    "<li>word{} ": 1,
    "<table><tr><td>word{}<td><b>word{}</table>": 2,
    "<tr><td>word{}<td>word{}": 2,
    "<dt>word{}<dd>word{}": 2,
    "<a href=x>word{} ": 1,
}


@pytest.mark.parametrize("count", [220, 800])
@pytest.mark.parametrize("pattern", UNCLOSED)
def test_elements_that_are_never_closed_are_read(parse_one: Any, pattern: str, count: int) -> None:
    numbers = (pattern.replace("{}", str(number)) for number in range(count))
    start = "<table>" if pattern.startswith("<tr>") else "<ul>" if "<li>" in pattern else "<div>"
    began = time.monotonic()
    parsed = parse_one("a.html", f"<html><body>{start}{' '.join(numbers)}".encode())
    assert parsed.document["error_code"] is None
    text = " ".join(text for _, text in parsed.kinds).replace("|", " ").split()
    words = [word for word in text if word.startswith("word")]
    assert sorted(words) == sorted(f"word{n}" for n in range(count) for _ in range(UNCLOSED[pattern]))
    assert time.monotonic() - began < 60

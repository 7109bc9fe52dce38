"""HTML, Markdown and CSV."""

from __future__ import annotations

from typing import Any

import pytest

MARKDOWN = """---
title: "Front title"
---
<!-- a comment -->

# Main **title**

First paragraph with *emphasis*, `code`, S/4**HANA** and a [link](http://example.com/x).

Second paragraph.
![picture](images/a.png)

> ### Note:
> Keep this in mind.

## Steps

1. Open the file.

   ```abap
   DATA a.
     a = 1.
   ```

   Then save it.
   - Nested item
2. Close it.

| Name | Größe |
|------|-------|
| a    | 1     |
| b    |       |
"""


def test_markdown(parse_one: Any) -> None:
    parsed = parse_one("a.md", MARKDOWN.encode())
    assert parsed.document["title"] == "Front title"
    assert parsed.kinds == [
        ("title", "Main title"),
        ("paragraph", "First paragraph with emphasis, code, S/4HANA and a link."),
        ("paragraph", "Second paragraph."),
        ("paragraph", "Note:"),
        ("paragraph", "Keep this in mind."),
        ("heading", "Steps"),
        ("list_item", "Open the file."),
        ("code", "DATA a.\n  a = 1."),
        ("paragraph", "Then save it."),
        ("list_item", "Nested item"),
        ("list_item", "Close it."),
        ("table", "Name: a | Größe: 1\nName: b"),
    ]
    assert [block["level"] for block in parsed.blocks if block["kind"] == "heading"] == [1]


def test_html(parse_one: Any) -> None:
    page = """<html><head><title>Page &amp; title</title><script>var x;</script></head><body>
    <nav><a href="/">Menu</a></nav><p>Before the heading.</p><h1>Main</h1>
    <p>One <b>b</b><i>c</i>,<br>two.</p><pre><code>x = <span>1</span>
  y</code></pre>
    <table><caption>Cap</caption><tr><th>A</th><th>B</th></tr>
    <tr><td rowspan="2">1</td><td><p>2</p></td></tr><tr><td>3</td></tr>
    <tr><td colspan="2">both</td></tr></table><select><option>no</option></select></body></html>"""
    parsed = parse_one("a.html", page.encode())
    assert parsed.document["title"] == "Page & title"
    assert parsed.kinds == [
        ("paragraph", "Before the heading."),
        ("title", "Main"),
        ("paragraph", "One bc,\ntwo."),
        ("code", "x = 1\n  y"),
        ("caption", "Cap"),
        ("table", "A: 1 | B: 2\nA: 1 | B: 3\nboth"),
    ]


def test_elements_nested_10_000_deep_are_read(parse_one: Any) -> None:
    opened = "<div>" * 10_000 + "Deep." + "</div>" * 10_000
    assert parse_one("a.html", f"{opened}<p>Flat.</p>".encode()).kinds == [
        ("paragraph", "Deep."), ("paragraph", "Flat."),
    ]  # fmt: skip


PAGES = {
    "<html><body><p>Inside.</p></body><p>Behind.</p></html>": [
        ("paragraph", "Inside."), ("paragraph", "Behind."),
    ],
    "<table><tr><th>Code<th>Note<tr><td><details><summary>Loop</summary><pre>A.\nENDLOOP.</pre>"
    "<pre>WRITE x.</pre></details></td><td>old</td></tr></table>": [
        ("table", "Code: Loop A. ENDLOOP. WRITE x. | Note: old"),
    ],
    "<table><tr>Above<td>a<td>b<tr>too<td>c<td>d</table>": [
        ("paragraph", "Above"), ("paragraph", "too"), ("table", "a | b\nc | d"),
    ],
    "<table><tr><td>a</td><td>b</td></tr><td>c</td><td>d</td></table>": [
        ("table", "a | b\nc | d"),
    ],
    "<table><form><tr><td>a</td><td>b</td></tr></form></table>": [("table", "a | b")],
    "<table><tr><td><h2>Part</h2><p>One.</p></td><td>Two.</td></tr></table>": [
        ("heading", "Part"), ("paragraph", "One."), ("paragraph", "Two."),
    ],
    "<table><tr><td colspan=2>Top<tr><td>Menu<td><h2>Part</h2><p>One.<p>Two.</table>": [
        ("paragraph", "Top"), ("paragraph", "Menu"), ("heading", "Part"), ("paragraph", "One."), ("paragraph", "Two."),
    ],
    "<table><tr><td><pre>1\n2</pre><td><pre>a = 1\n  b</pre></table>": [
        ("code", "1\n2"), ("code", "a = 1\n  b"),
    ],
    "<table><tr><th>A<th>B<tr><td>1<td><table><tr><td>x<td>y</table></table>": [
        ("table", "A: 1 | B: x y"),
    ],
    "<figure><table><tr><th>A<tr><td>1</table><figcaption>Figures</figcaption></figure>": [
        ("caption", "Figures"), ("table", "A: 1"),
    ],
    "<pre>  a<div>b</div></pre><pre>  c<br>d</pre>": [
        ("code", "  a\nb"), ("code", "  c\nd"),
    ],
    "<ul><li><div>a</div><div>b</div></li><li>c<ul><li>d</li></ul>e</li></ul>": [
        ("list_item", "a"), ("paragraph", "b"), ("list_item", "c"), ("list_item", "d"), ("paragraph", "e"),
    ],
    "<dl><dt>Quern</dt><dt>Hand mill</dt><dd>A mill.</dd><dd>Of stone.</dd><dt>Sluice</dt></dl>": [
        ("list_item", "Quern"), ("list_item", "A mill."), ("list_item", "Hand mill"),
        ("list_item", "A mill."), ("list_item", "Of stone."), ("list_item", "Sluice"),
    ],
    "<p>Sales of <ix:num>5</ix:num>,<nobr>6</nobr> tons</p>": [
        ("paragraph", "Sales of 5, 6 tons"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_every_text_of_a_page_stands_once_at_its_place(parse_one: Any, page: str) -> None:
    assert parse_one("a.html", page.encode()).kinds == PAGES[page]


def test_a_template_in_a_paragraph_is_hidden(parse_one: Any) -> None:
    parsed = parse_one("a.md", b"# Mill\n\n<template><p>Hidden.</p></template>\n\nShown.\n")
    assert parsed.kinds == [("title", "Mill"), ("paragraph", "Shown.")]
    assert parsed.left_out == {"hidden": 1}


def test_a_title_falls_back_to_the_heading_and_the_file_name(parse_one: Any) -> None:
    assert parse_one("d/some-file.md", b"# Heading").document["title"] == "Heading"
    assert parse_one("d/some-file.md", b"Text.").document["title"] == "some-file"
    for heading, title in (("Harbour Club", "Minutes 2024-03-12"), ("Meeting of 12 March", "Meeting of 12 March")):
        assert parse_one("Minutes 2024-03-12.md", f"# {heading}".encode()).document["title"] == title


def test_csv_of_any_delimiter_is_one_table(parse_one: Any) -> None:
    for delimiter in ",;\t":
        data = "BMI,Straße\n21,Übersee\n,\n".replace(",", delimiter).encode()
        parsed = parse_one("a.csv", data)
        assert parsed.kinds == [("table", "BMI: 21 | Straße: Übersee")]


def test_quoted_values_of_a_csv_hold_line_ends_quotes_and_delimiters(parse_one: Any) -> None:
    data = 'a;b\r\n1;"x\ny; z"\r\n2;"say ""hi"""\r\n\r\n3;z\r\n'
    (block,) = parse_one("a.csv", data.encode()).blocks
    assert block["text"] == 'a: 1 | b: x y; z\na: 2 | b: say "hi"\na: 3 | b: z'

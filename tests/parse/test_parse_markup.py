"""HTML, Markdown and CSV."""

from __future__ import annotations

from typing import Any

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


def test_deep_nesting_is_refused_at_once(parse_one: Any) -> None:
    document = parse_one("a.html", b"<div>" * 5000 + b"x").document
    assert (document["status"], document["error_code"]) == ("failed", "broken")
    assert "nested" in document["error_message"]


def test_a_title_falls_back_to_the_heading_and_the_file_name(parse_one: Any) -> None:
    assert parse_one("d/some-file.md", b"# Heading").document["title"] == "Heading"
    assert parse_one("d/some-file.md", b"Text.").document["title"] == "some-file"


def test_csv_of_any_delimiter_is_one_table(parse_one: Any) -> None:
    for delimiter in ",;\t":
        data = "BMI,Straße\n21,Übersee\n,\n".replace(",", delimiter).encode()
        parsed = parse_one("a.csv", data)
        assert parsed.kinds == [("table", "BMI: 21 | Straße: Übersee")]


def test_quoted_values_of_a_csv_hold_line_ends_quotes_and_delimiters(parse_one: Any) -> None:
    data = 'a;b\r\n1;"x\ny; z"\r\n2;"say ""hi"""\r\n\r\n3;z\r\n'
    (block,) = parse_one("a.csv", data.encode()).blocks
    assert block["text"] == 'a: 1 | b: x y; z\na: 2 | b: say "hi"\na: 3 | b: z'

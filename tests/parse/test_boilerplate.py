"""What of an HTML page stays and what goes, on pages laid out as the usual generators do."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from graphrag_tasks.parse.markup import read_html

PAGES = Path(__file__).with_name("pages")
EXPECTED = tomllib.loads((PAGES / "expected.toml").read_text("utf-8"))


def blocks_of(html: str) -> list[str]:
    return [block.text for block in read_html(html.encode()).blocks]


@pytest.mark.parametrize("page", sorted(EXPECTED))
def test_pages(page: str) -> None:
    text = "\n".join(blocks_of((PAGES / f"{page}.html").read_text("utf-8")))
    lost = [phrase for phrase in EXPECTED[page]["keep"] if phrase not in text]
    left = [phrase for phrase in EXPECTED[page]["drop"] if phrase in text]
    assert (lost, left) == ([], [])


FRAME = "<nav><p>Pages by year</p></nav><aside>By the editors</aside><footer>Printed here</footer>"


def test_a_page_of_which_nothing_would_be_left_is_read_as_it_is() -> None:
    assert blocks_of(f"<title>T</title><body>{FRAME}</body>") == [*("Pages by year", "By the editors", "Printed here")]
    assert blocks_of(f"<title>T</title>{FRAME}")[-1] == "Printed here"


def test_the_links_around_a_chapter_of_a_manual_are_no_text() -> None:
    links = "[ <a href='a'>&lt;&lt; Terms</a> ] | [<a href='b'>Top</a>][<a href='c'>Contents</a>]"
    page = f"<table class='nav_table'><tr><td>{links}</td></tr></table><p>The lute has a neck.</p>"
    assert blocks_of(page) == ["The lute has a neck."]


@pytest.mark.parametrize(
    ("title", "heading", "named"),
    [
        ("Data Types - The Book", "Data Types", "Data Types"),
        ("E - Editions - The Book", "Appendix E: Editions", "E - Editions"),
    ],
)
def test_a_bar_with_the_name_of_a_book_is_no_title(title: str, heading: str, named: str) -> None:
    bar = '<div id="menu-bar"><h1 class="menu-title">The Book</h1></div>'
    keys = '<div id="mdbook-help-container"><div><h2>Keyboard shortcuts</h2></div></div>'
    text = "A value has a type, and a type has many values in this book."
    main = f"<main><h2>{heading}</h2><p>{text}</p></main>"
    page = f"<html><head><title>{title}</title></head><body>{keys}{bar}{main}</body></html>"
    parsed = read_html(page.encode())
    assert parsed.title is not None
    assert parsed.title.text == named
    assert "Keyboard shortcuts" not in [block.text for block in parsed.blocks]


def test_permalinks_and_the_name_of_the_site_are_of_no_name() -> None:
    mark = '<a class="headerlink" href="#a">¶</a>'
    page = f"<h1>uuid — Ids{mark}</h1><dl><dt id='a'>UUID.bytes{mark}</dt><dd>Bytes.</dd></dl>"
    head = "<head><title>uuid — Ids — Manual 3</title></head>"
    parsed = read_html(f"<html>{head}<body><main>{page}</main></body></html>".encode())
    assert [block.text for block in parsed.blocks] == ["uuid — Ids", "UUID.bytes", "Bytes."]
    assert parsed.title is not None
    assert parsed.title.text == "uuid — Ids"

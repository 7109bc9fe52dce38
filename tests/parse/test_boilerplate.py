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
    assert blocks_of(f"<title>T</title><body>{FRAME}</body>") == [
        *("Pages by year", "By the editors", "Printed here"),
    ]
    assert blocks_of(f"<title>T</title>{FRAME}")[-1] == "Printed here"


def test_the_links_around_a_chapter_of_a_manual_are_no_text() -> None:
    links = "[ <a href='a'>&lt;&lt; Terms</a> ] | [<a href='b'>Top</a>][<a href='c'>Contents</a>]"
    page = f"<table class='nav_table'><tr><td>{links}</td></tr></table><p>The lute has a neck.</p>"
    assert blocks_of(page) == ["The lute has a neck."]


def test_permalinks_and_the_name_of_the_site_are_of_no_name() -> None:
    mark = '<a class="headerlink" href="#a">¶</a>'
    page = f"<h1>uuid — Ids{mark}</h1><dl><dt id='a'>UUID.bytes{mark}</dt><dd>Bytes.</dd></dl>"
    head = "<head><title>uuid — Ids — Manual 3</title></head>"
    parsed = read_html(f"<html>{head}<body><main>{page}</main></body></html>".encode())
    assert [block.text for block in parsed.blocks] == ["uuid — Ids", "UUID.bytes", "Bytes."]
    assert parsed.title is not None
    assert parsed.title.text == "uuid — Ids"

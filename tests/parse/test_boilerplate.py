"""What of an HTML page stays and what goes, on pages laid out as the usual generators do."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from graphrag_tasks.parse.markup import read_html, read_markdown

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


def test_the_only_title_outlives_the_header_it_stands_in() -> None:
    page = f"<header><p>Site</p><h1>Tides</h1></header><p>High at noon, low at six.</p>{FRAME}"
    assert blocks_of(f"<body>{page}</body>") == ["Tides", "High at noon, low at six."]


def test_what_holds_most_of_the_words_stays_whatever_it_is_called() -> None:
    text = "Water rises twice a day and falls twice a day at this coast."
    page = f'<div class="sidebar"><p>{text}</p></div><p>Short.</p>'
    assert blocks_of(f"<body>{page}</body>") == [text, "Short."]


def test_headers_and_footers_of_an_article_are_its_own() -> None:
    page = "<article><header><p>By Ada.</p></header><p>Text of it.</p><footer>See two.</footer>"
    assert blocks_of(f"<body>{page}</article></body>") == [
        "By Ada.",
        "Text of it.",
        "See two.",
    ]


def test_markdown_keeps_what_html_pages_lose() -> None:
    blocks = read_markdown(b"# Site\n\nText.\n\n<footer>Printed here</footer>\n").blocks
    assert [block.text for block in blocks] == ["Site", "Text.", "Printed here"]


def test_permalinks_and_the_name_of_the_site_are_of_no_name() -> None:
    mark = '<a class="headerlink" href="#a">¶</a>'
    page = f"<h1>uuid — Ids{mark}</h1><dl><dt id='a'>UUID.bytes{mark}</dt><dd>Bytes.</dd></dl>"
    head = "<head><title>uuid — Ids — Manual 3</title></head>"
    parsed = read_html(f"<html>{head}<body><main>{page}</main></body></html>".encode())
    assert [block.text for block in parsed.blocks] == ["uuid — Ids", "UUID.bytes", "Bytes."]
    assert parsed.title is not None
    assert parsed.title.text == "uuid — Ids"

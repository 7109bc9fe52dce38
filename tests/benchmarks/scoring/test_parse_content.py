"""Markdown and our own blocks in one form."""

from __future__ import annotations

import pytest

from benchmarks.scoring.parse_content import (
    content_of_blocks,
    content_of_markdown,
    plain,
)
from graphrag_tasks.parse.blocks import Block
from graphrag_tasks.parse.markup import read_markdown
from graphrag_tasks.parse.tables import Cell, lay_out_table

MARKDOWN = """# Guide

Some *bold* [link](http://x.y/a_(b)) and `code_name`.

## Parts \\_one\\_

| Name | Age | Note |
| - | :-: | - |
| Bob | 3 |  |
| Eve | 4 | a \\| b |

- [x] first
- second

```
# no heading
| no | table |
```
"""


def test_markdown() -> None:
    content = content_of_markdown(MARKDOWN)
    assert content.headings == ((1, "Guide"), (2, "Parts one"))
    assert content.cells == ("Name", "Age", "Note", "Bob", "3", "Eve", "4", "a | b")
    assert content.text.splitlines() == [
        *("Guide", "Some bold link and code_name.", "Parts one"),
        *content.cells,
        *("first", "second", "# no heading | no | table |"),
    ]


def test_our_blocks_of_the_same_document_have_the_same_content() -> None:
    source = MARKDOWN.replace("a \\| b", "ab").replace("[x] ", "")
    parsed = content_of_blocks(read_markdown(source.encode()).blocks)
    reference = content_of_markdown(source)
    assert parsed.levelled_headings == reference.levelled_headings
    assert sorted(parsed.cell_words) == sorted(reference.cell_words)
    assert parsed.text.split()[:8] == reference.text.split()[:8]


def test_a_cell_that_spans_rows_stands_in_each() -> None:
    _, table = lay_out_table([Cell(0, 0, "a", row_span=2), Cell(0, 1, "b"), Cell(1, 1, "c")])
    assert content_of_blocks([Block("table", "", table=table)]).cells == ("a", "b", "a", "c")


def test_a_spanning_cell_counts_once() -> None:
    content = content_of_markdown("| A | A | B |\n|-|-|-|\n| x | | x |\n")
    assert content.cells == ("A", "B", "x")


def test_blocks_have_docling_levels() -> None:
    blocks = [Block("title", "T"), Block("heading", "H", level=1)]
    assert content_of_blocks(blocks).headings == ((1, "T"), (2, "H"))


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("<!-- image -->a<br>b ![alt](x.png)", "a b"),
        ("&lt;stdio.h&gt;", "<stdio.h>"),
        ("1. one\n2) two\n> quote", "one two quote"),
        ("x &amp; y\\_z ~~old~~", "x & y_z old"),
    ],
)
def test_plain(markdown: str, text: str) -> None:
    assert plain(markdown) == text

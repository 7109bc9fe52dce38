"""Renditions: every document as Docling's JSON and as Markdown, within a bound."""

from __future__ import annotations

import json
from typing import Any

import pytest
from docling_core.types.doc.document import DoclingDocument

from graphrag_tasks.core.config import ParseConfig
from graphrag_tasks.parse import renditions
from graphrag_tasks.parse.blocks import Block, ParsedDocument
from graphrag_tasks.parse.renditions import rendered

FILES = {
    "a.md": b"# Head\n\nSee [b](b.md).\n\n![x](x.png)\n",
    "b.txt": "Größe\n\nTwo \ud83d\ude00.".encode("utf-8", "surrogatepass"),
    "c.csv": b"Name,Value\na,1\n",
    "d.passage": b'{"title": "T", "text": "Text."}',
    "e.html": b"<h1>Page</h1><ul><li>One</li></ul>",
}


def rows(result: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = result.tables["renditions"].to_pylist()
    return found


def test_every_document_has_both(parse_files: Any) -> None:
    result = parse_files(FILES)
    assert result.tables["renditions"]["document_id"].equals(
        result.tables["documents"]["document_id"]
    )
    trees = [DoclingDocument.model_validate_json(row["docling_json"]) for row in rows(result)]
    assert [len(tree.texts) + len(tree.tables) for tree in trees] == [2, 2, 1, 2, 2]
    assert all(tree.origin is None for tree in trees)
    markdown = [row["markdown"] for row in rows(result)]
    assert markdown[0] == "# Head\n\nSee b."
    assert markdown[3] == "## T\n\nText."
    assert "| a | 1 |" in markdown[2]
    assert "- One" in markdown[4]
    assert result.stats["renditions_omitted"] == 0


def test_the_same_bytes_each_time(parse_files: Any) -> None:
    assert rows(parse_files(FILES)) == rows(parse_files(FILES))


def test_what_is_written_by_hand_is_what_docling_would_write() -> None:
    kinds = ["title", "heading", "paragraph", "list_item", "table", "code", "caption"]
    blocks = [
        Block(kind, f"Text {number}.", 2 if kind == "heading" else None)
        for number, kind in enumerate(kinds)
    ]
    made = renditions.render_blocks(blocks)
    tree = DoclingDocument.model_validate_json(made.docling_json or "")
    assert tree.export_to_dict() == json.loads(made.docling_json or "")
    assert DoclingDocument(name="document").version == renditions.DOCLING_DOCUMENT_VERSION
    assert tree.export_to_markdown() == made.markdown


def test_beyond_the_bound_there_is_none_and_that_is_counted(parse_files: Any) -> None:
    files = {"a.md": b"# A\n\n" + b"word " * 3000, "b.txt": b"word " * 3000, "c.txt": b"Short."}
    result = parse_files(files, config=ParseConfig(max_rendition_characters=5000))
    assert [row["markdown"] is None for row in rows(result)] == [True, True, False]
    assert [row["docling_json"] is None for row in rows(result)] == [True, True, False]
    assert result.stats["renditions_omitted"] == 2
    assert result.stats["parsed"] == 3


def test_failed_documents_have_none(parse_files: Any) -> None:
    assert rows(parse_files({"a.md": b"", "b.docx": b"no", "c.zip": b"?"})) == []


def test_what_cannot_be_rendered_is_kept_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    parsed = rendered(ParsedDocument([Block("paragraph", "Text.")], tree=object()), 1000)
    assert parsed.blocks and parsed.renditions == (None, None)
    assert "could not be rendered" in caplog.text

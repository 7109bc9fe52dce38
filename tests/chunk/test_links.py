"""Links: what they refer to, which chunk they stand in, and the edges they make."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks.chunk import chunk
from graphrag_tasks.chunk.links import resolve, slug
from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ChunkConfig
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.graph import linked_chunks
from graphrag_tasks.storage.artifacts import conform


def place(path: str = "dir/own.md", source: str = "docs", **values: str) -> dict[str, Any]:
    uri = f"{source}/{path}"
    row = {"document_id": content_id("document", uri), "uri": uri, "source": source, "path": path}
    return row | values


@pytest.mark.parametrize(
    ("href", "uri", "fragment"),
    [
        ("other.md", "docs/dir/other.md", None),
        ("./other.md#A-part", "docs/dir/other.md", "A-part"),
        ("../up.md", "docs/up.md", None),
        ("/root.md", "docs/root.md", None),
        ("/../root.md", None, None),
        ("sub/a%20b.md?raw=1#%C3%A4", "docs/dir/sub/a b.md", "ä"),
        ("sub\\word.docx", "docs/dir/sub/word.docx", None),
        ("sub/", "docs/dir/sub", None),
        ("#part", "docs/dir/own.md", "part"),
        ("own.md", "docs/dir/own.md", None),
        ("../../outside.md", None, None),
        ("../..", None, None),
        ("..", None, None),
        ("%2e%2e/%2e%2e/etc/passwd", None, None),
        ("C:\\plans\\a.docx", None, None),
        ("file:///etc/passwd", None, None),
    ],
)
def test_relative_links_become_uris_inside_the_source(
    href: str, uri: str | None, fragment: str | None
) -> None:
    found = resolve(href, place())
    assert (found.kind, found.target) == ("internal" if uri else "outside", uri)
    assert found.fragment == fragment
    assert found.target_document_id == (content_id("document", uri) if uri else None)


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("A Heading", "a-heading"),
        ("What's new in 2.0?", "whats-new-in-20"),
        ("Größe & Maße", "größe--maße"),
        ("\u26a0\ufe0f Note", "\ufe0f-note"),
        ("snake_case – dash", "snake_case--dash"),
    ],
)
def test_headings_are_called_as_on_github(heading: str, expected: str) -> None:
    assert slug(heading) == expected


Spec = tuple[str, str, list[tuple[str, str]], list[str]]
"""Kind, text, links (anchor text, address) and ids of a block."""


def paragraph(text: str, *links: tuple[str, str], ids: list[str] | None = None) -> Spec:
    return ("paragraph", text, list(links), ids or [])


def heading(text: str, *ids: str) -> Spec:
    return ("heading", text, [], list(ids))


def block_rows(document_id: str, specs: list[Spec]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    start = 0
    for ordinal, (kind, text, links, ids) in enumerate(specs):
        spans = [
            {"start": text.index(words), "end": text.index(words) + len(words), "href": href}
            for words, href in links
        ]
        rows.append(
            {"document_id": document_id, "ordinal": ordinal, "kind": kind,
             "level": 1 if kind == "heading" else None, "text": text, "char_start": start,
             "char_end": start + len(text), "page": None, "bbox": None,
             "links": spans or None, "anchors": ids or None}
        )  # fmt: skip
        start += len(text) + len(schemas.BLOCK_SEPARATOR)
    return rows


def chunked(documents: dict[str, list[Spec]], **config: int) -> dict[str, pa.Table]:
    places = [place(path) for path in documents]
    rows = [
        row
        for one, specs in zip(places, documents.values(), strict=True)
        for row in block_rows(one["document_id"], specs)
    ]
    columns = ["document_id", "uri", "source", "path"]
    result = chunk(
        pa.table({name: [one[name] for one in places] for name in columns}),
        pa.Table.from_pylist(rows, schema=schemas.BLOCKS),
        config=ChunkConfig(**config),
    )
    return {name: conform(name, table) for name, table in result.tables.items()}


def test_a_link_has_the_chunk_and_the_characters_it_stands_at() -> None:
    specs = [heading("One"), paragraph("x"), heading("Two"), paragraph("See here.", ("here", "b"))]
    tables = chunked({"a.md": specs})
    (link,) = tables["links"].to_pylist()
    second = tables["chunks"].to_pylist()[1]
    assert link["chunk_id"] == second["chunk_id"]
    inside = slice(*(link[side] - second["char_start"] for side in ("char_start", "char_end")))
    assert second["text"][inside] == link["anchor"] == "here"
    assert (link["href"], link["target"]) == ("b", "docs/b")


def edges(tables: dict[str, pa.Table]) -> list[tuple[str, str, int]]:
    texts = dict(zip(*(tables["chunks"][c].to_pylist() for c in ("chunk_id", "text")), strict=True))
    linked = linked_chunks(tables["links"], tables["anchors"], tables["chunks"]).to_pylist()
    return sorted((texts[r["source_id"]], texts[r["target_id"]], r["count"]) for r in linked)


def test_links_between_documents_become_edges_to_the_chunk_they_name() -> None:
    text = "1 2 3 4 5 6 7 8 9"
    tables = chunked(
        {
            "a.md": [
                paragraph(
                    text,
                    ("1", "b.md"), ("2", "b.md#second-part"), ("3", "b.md#no-such"),
                    ("4", "b.md#ID"), ("5", "gone.md"), ("6", "#own"), ("7", "https://e.org"),
                    ("8", "../out.md"), ("9", "b.md#Second-Part"),
                )
            ],
            "b.md": [
                heading("First"), paragraph("One."), heading("Second part"), paragraph("Two."),
                heading("Third", "ID"),
            ],
        }
    )  # fmt: skip
    assert edges(tables) == [
        (text, "First\n\nOne.", 2),
        (text, "Second part\n\nTwo.", 2),
        (text, "Third", 1),
    ]
    assert tables["links"].num_rows == 9

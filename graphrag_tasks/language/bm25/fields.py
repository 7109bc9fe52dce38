"""What lexical search reads: BM25 over chunks, and over the titles and headings above them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from graphrag_tasks.core.schemas import BLOCK_SEPARATOR
from graphrag_tasks.language.bm25.index import lexicon_tables
from graphrag_tasks.storage.row_groups import batches_of

if TYPE_CHECKING:
    import pyarrow.dataset as ds

FILE_NAME = "file_name"
"""`documents.title_source` of a document that has no title; its file's name is no name of it."""


def word_tables(documents: pa.Table, chunks: pa.Table | ds.Dataset) -> dict[str, pa.Table]:
    """Return the terms and postings of two fields, `text` and `heading`, by the tables' names.

    Args:
        documents: Columns document_id, title and title_source.
        chunks: Columns document_id, heading_path and text; they are read batch by batch.
    """
    titles = {
        row["document_id"]: row["title"]
        for row in documents.select(["document_id", "title", "title_source"]).to_pylist()
        if row["title_source"] != FILE_NAME
    }

    def headings() -> Iterator[tuple[list[str], str]]:
        for batch in batches_of(chunks, ["document_id", "heading_path", "text"]):
            for row in batch.to_pylist():
                above = [titles.get(row["document_id"]), *row["heading_path"]]
                yield list(filter(None, above)), row["text"]

    fields = {
        "text": (text_below(text, above) for above, text in headings()),
        "heading": ("\n".join(above) for above, _ in headings()),
    }
    found = {}
    for field, lines in fields.items():
        found[f"{field}_terms"], found[f"{field}_postings"] = lexicon_tables(lines)
    return found


def text_below(text: str, headings: Sequence[str]) -> str:
    """Return a text below its title and headings, as far as it does not begin with them."""
    beginning = text.split(BLOCK_SEPARATOR, len(headings) + 1)[:-1]
    return "\n".join([*(one for one in dict.fromkeys(headings) if one not in beginning), text])

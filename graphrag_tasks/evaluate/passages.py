"""Passages of a question-answering data set as documents, so that they can be indexed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from graphrag_tasks import schemas
from graphrag_tasks.errors import DOCUMENT_ERROR_CODES
from graphrag_tasks.evaluate.jsonl import Line, read_lines
from graphrag_tasks.ids import content_id, text_sha256

SOURCE = "passages"
"""Name of the source that passages belong to."""


class Passage(Line):
    """A passage: a short document of one paragraph.

    Attributes:
        id: Unique in its file; what gold ids name.
        title: Its title, or nothing.
        text: Its text.
    """

    title: str = ""
    text: str


def read_passages(path: str | Path) -> list[Passage]:
    """Return the passages of a JSON lines file.

    Raises:
        ConfigError: The file is not readable, or a line is not a passage.
    """
    return read_lines(path, Passage)


def passages_to_tables(passages: Sequence[Passage]) -> tuple[pa.Table, pa.Table]:
    """Return passages as parsed documents: what the stages after `parse` read.

    A passage becomes a document with the uri `passages/ID` and the path `ID`; its blocks are the
    title as a heading of level 1, where it has one, and the text as one paragraph. A passage
    without any text is a document with the status `empty` and no blocks.

    Args:
        passages: Passages with distinct ids.

    Returns:
        Rows of `schemas.DOCUMENTS` and of `schemas.BLOCKS`, in the order of the passages.
    """
    documents: list[dict[str, Any]] = []
    blocks: list[dict[str, Any]] = []
    for passage in passages:
        document_id = content_id("document", f"{SOURCE}/{passage.id}")
        own = _blocks(passage, document_id)
        documents.append(_document(passage, document_id, own))
        blocks += own
    return (
        pa.Table.from_pylist(documents, schema=schemas.DOCUMENTS),
        pa.Table.from_pylist(blocks, schema=schemas.BLOCKS),
    )


def _blocks(passage: Passage, document_id: str) -> list[dict[str, Any]]:
    parts = (("heading", 1, passage.title.strip()), ("paragraph", None, passage.text.strip()))
    blocks: list[dict[str, Any]] = []
    start = 0
    for kind, level, text in parts:
        if not text:
            continue
        blocks.append(
            {
                "document_id": document_id,
                "ordinal": len(blocks),
                "kind": kind,
                "level": level,
                "text": text,
                "char_start": start,
                "char_end": start + len(text),
                "page": None,
                "bbox": None,
            }
        )
        start += len(text) + len(schemas.BLOCK_SEPARATOR)
    return blocks


def _document(
    passage: Passage, document_id: str, blocks: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    text = schemas.BLOCK_SEPARATOR.join(block["text"] for block in blocks)
    return {
        "document_id": document_id,
        "uri": f"{SOURCE}/{passage.id}",
        "source": SOURCE,
        "path": passage.id,
        "media_type": "txt",
        "size_bytes": len(text.encode("utf-8", "surrogatepass")),
        "content_sha256": text_sha256(text),
        "title": passage.title.strip() or passage.id,
        "pages_in": None,
        "pages_out": None,
        "characters": len(text),
        "status": "parsed" if blocks else "empty",
        "error_code": None if blocks else "no_text",
        "error_message": None if blocks else DOCUMENT_ERROR_CODES["no_text"],
    }

"""The graph as CSV for Neo4j, including chunks and documents.

A row is one line, without control characters. A text that a spreadsheet would take for a formula gets an apostrophe in
front, as names come from documents.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path

import pyarrow as pa

from graphrag_tasks.graph.selection import Selection
from graphrag_tasks.inspect.export.provenance import Provenance
from graphrag_tasks.inspect.export.rows import ENTITY, NOT_XML, RELATION, rows_of, text_of

LOAD = "load.cypher"
NEO4J_FILES = (
    "nodes.csv", "chunks.csv", "documents.csv",
    "relationships.csv", "mentions.csv", "part_of.csv", LOAD,
)  # fmt: skip
"""Files of `write_property_graph`: three of nodes, three of relationships."""

_SEPARATOR = ";"  # List separator, the default of `neo4j-admin database import`.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # Characters that begin a spreadsheet formula (OWASP, CSV Injection).

_ESCAPING = re.compile(r'(?<!\\)((?:\\\\)*\\)(?="|$)')
"""An odd number of backslashes before a quotation mark, or at the end of a text."""


def write_property_graph(selection: Selection, provenance: Provenance, folder: Path) -> None:
    r"""Write CSV files for `neo4j-admin database import`, and `load.cypher`, which loads them.

    Entities have the label Entity and their relations the type RELATES_TO, each with the ids of its chunks; a chunk
    MENTIONS entities and is PART_OF a document.

    By default `LOAD CSV` reads `\"` as a quotation mark, so such a backslash gets a space after it.
    """
    chunks: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows_of(provenance.evidence):
        chunks[row["relation_id"]][row["chunk_id"]] = None
    nodes = {"entity_id": "id:ID"} | _typed(ENTITY)
    tables = {
        "nodes.csv": _rows(selection.entities, nodes, ":LABEL", "Entity"),
        "chunks.csv": _rows(provenance.chunks, _CHUNK, ":LABEL", "Chunk"),
        "documents.csv": _rows(provenance.documents, _DOCUMENT, ":LABEL", "Document"),
        "relationships.csv": _relationships(selection.relations, chunks),
        "mentions.csv": _rows(provenance.mentions, _MENTIONS, ":TYPE", "MENTIONS"),
        "part_of.csv": _rows(provenance.chunks, _PART_OF, ":TYPE", "PART_OF"),
    }
    for name, rows in tables.items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
    (folder / LOAD).write_bytes(files(__package__).joinpath(LOAD).read_bytes())


_CHUNK = {"chunk_id": "id:ID", "text": "text", "heading_path": "headings:string[]",
          "ordinal": "place:long", "page_start": "page_start:long",
          "page_end": "page_end:long"}  # fmt: skip
_DOCUMENT = {"document_id": "id:ID", "title": "title", "uri": "uri", "media_type": "media_type",
             "content_sha256": "sha256"}  # fmt: skip
_MENTIONS = {"chunk_id": ":START_ID", "entity_id": ":END_ID", "mentions": "mentions:long"}
_PART_OF = {"chunk_id": ":START_ID", "document_id": ":END_ID"}


def _rows(table: pa.Table, columns: Mapping[str, str], kind: str, word: str) -> Iterator[list[object]]:
    yield [*columns.values(), kind]
    for row in rows_of(table):
        yield [*(_neo4j(row[name]) for name in columns), word]


def _relationships(relations: pa.Table, chunks: Mapping[str, Iterable[str]]) -> Iterator[list[object]]:
    columns = {"head_id": ":START_ID", "tail_id": ":END_ID", "relation_id": "relation_id"}
    columns |= _typed(RELATION)
    yield [*columns.values(), "chunk_ids:string[]", ":TYPE"]
    for row in rows_of(relations):
        stated = _SEPARATOR.join(chunks.get(row["relation_id"], ()))
        yield [*(_neo4j(row[name]) for name in columns), stated, "RELATES_TO"]


def _typed(attributes: Mapping[str, str]) -> dict[str, str]:
    return {name: name if type_ == "string" else f"{name}:{type_}"
            for name, type_ in attributes.items()}  # fmt: skip


def _neo4j(value: object) -> object:
    if isinstance(value, list):
        items = (str(item).replace(_SEPARATOR, ",") for item in value)
        value = _SEPARATOR.join(items)
    cell = _cell(value)
    return _ESCAPING.sub(r"\1 ", cell) if isinstance(cell, str) else cell


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return text_of(value)
    if not isinstance(value, str):
        return value
    line = NOT_XML.sub("\ufffd", " ".join(value.split()))
    return f"'{line}" if value.startswith(_FORMULA) or line.startswith(_FORMULA) else line

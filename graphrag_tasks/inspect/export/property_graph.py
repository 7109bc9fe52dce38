"""CSV files of nodes and relationships, with the headers that `neo4j-admin import` reads.

Names come from documents, which anyone may have written: a text that a spreadsheet would take for a
formula gets an apostrophe before it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import TextIO

import pyarrow as pa

from graphrag_tasks.inspect.export.selection import Selection

_FORMULA = ("=", "+", "-", "@", "\t", "\r")

_NODES = {
    "entity_id": ":ID",
    "name": "name",
    "type": "type",
    "mentions": "mentions:long",
    "chunks": "chunks:long",
}
_RELATIONSHIPS = {
    "head_id": ":START_ID",
    "tail_id": ":END_ID",
    "relation_id": "relation_id",
    "relation": "relation",
    "negated": "negated:boolean",
    "support": "support:double",
    "confidence": "confidence:double",
    "weight": "weight:double",
}
_LABEL, _TYPE = "Entity", "RELATES_TO"


def write_property_graph(selection: Selection, nodes: TextIO, relationships: TextIO) -> None:
    """Write a property graph as two CSV files.

    Args:
        selection: What to write.
        nodes: An open text file, in UTF-8, with newline="": entities with the label Entity.
        relationships: Another: relations of type RELATES_TO, with the relation as a property.
    """
    _write(nodes, (*_NODES.values(), ":LABEL"),
           ((*row, _LABEL) for row in _rows(selection.entities, list(_NODES))))  # fmt: skip
    _write(relationships, (*_RELATIONSHIPS.values(), ":TYPE"),
           ((*row, _TYPE) for row in _rows(selection.relations, list(_RELATIONSHIPS))))  # fmt: skip


def _rows(table: pa.Table, columns: Sequence[str]) -> Iterable[tuple[object, ...]]:
    for batch in table.select(columns).to_batches(max_chunksize=10_000):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _write(file: TextIO, header: Sequence[str], rows: Iterable[tuple[object, ...]]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return value
    line = " ".join(value.split())  # neo4j-admin reads a row from one line
    return f"'{line}" if value.startswith(_FORMULA) or line.startswith(_FORMULA) else line

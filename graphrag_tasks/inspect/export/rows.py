"""What writers of files share: attributes of nodes and edges, and rows read piece by piece."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

ENTITY = {"name": "string", "type": "string", "mentions": "long", "chunks": "long"}
RELATION = {"relation": "string", "phrase": "string", "kind": "string", "negated": "boolean",
            "support": "double", "confidence": "double", "weight": "double"}  # fmt: skip
"""Attributes of nodes and edges, with their types as XML Schema and neo4j-admin name them."""

_AT_ONCE = 10_000
"""Rows that are Python objects at a time; bounds memory."""

Row = Mapping[str, Any]


def rows_of(table: pa.Table) -> Iterator[Row]:
    """Return the rows of a table, of which only some are in memory at once."""
    for batch in table.to_batches(max_chunksize=_AT_ONCE):
        yield from batch.to_pylist()


def text_of(value: object) -> str:
    """Return a value as text; true and false as XML Schema and neo4j-admin write them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)

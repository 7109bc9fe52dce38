"""Shared by file writers: attributes of nodes and edges, and reading rows in batches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

ENTITY = {"name": "string", "type": "string", "mentions": "long", "chunks": "long"}
RELATION = {"relation": "string", "phrase": "string", "kind": "string", "negated": "boolean",
            "support": "double", "confidence": "double", "weight": "double"}  # fmt: skip
"""Attributes of nodes and edges, with XML Schema and neo4j-admin types."""

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # Characters that XML does not allow.
_AT_ONCE = 10_000  # Rows converted to Python objects at a time; bounds memory.

Row = Mapping[str, Any]


def rows_of(table: pa.Table) -> Iterator[Row]:
    """Yield the rows of a table, converting a batch at a time."""
    for batch in table.to_batches(max_chunksize=_AT_ONCE):
        yield from batch.to_pylist()


def text_of(value: object) -> str:
    """Return a value as text; booleans in XML Schema and neo4j-admin notation."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)

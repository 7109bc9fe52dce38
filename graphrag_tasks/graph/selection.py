"""A part of the graph, to export, or convert to a graph library."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

_STRING, _DOUBLE = pa.string(), pa.float64()

ENTITIES = pa.schema(
    {"entity_id": _STRING, "name": _STRING, "type": _STRING, "mentions": pa.int64(),
     "chunks": pa.int64()}
)  # fmt: skip
RELATIONS = pa.schema(
    {"relation_id": _STRING, "head_id": _STRING, "relation": _STRING, "phrase": _STRING,
     "kind": _STRING, "tail_id": _STRING, "negated": pa.bool_(), "support": _DOUBLE,
     "confidence": _DOUBLE, "weight": _DOUBLE}
)  # fmt: skip
"""Columns of a selection's relations, including `support`, the number of triples, and `weight`."""


@dataclass(frozen=True)
class Selection:
    """Entities and the relations between them.

    Attributes:
        title: Describes the part.
        entities: Has the columns `ENTITIES`; mentions are null where they were not counted.
        relations: Has the columns `RELATIONS`; their ends are among the entities.
        omitted: Number of entities left out because of a limit.
    """

    title: str
    entities: pa.Table
    relations: pa.Table
    omitted: int = 0

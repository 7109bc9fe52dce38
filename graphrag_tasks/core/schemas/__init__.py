"""Artifact schemas: one `pa.schema` per table, every column with its meaning.

Bump `SCHEMA_VERSION` with every change of a column, and say so in the CHANGELOG. Tables are cast
to their schema on write and validated on read (see `artifacts`).

Character offsets named `char_start`/`char_end` count code points of the *document text*, which is
the document's block texts joined by `BLOCK_SEPARATOR`; `start`/`end` count code points of the
*sentence text*; both are equal for a name that is not in the sentence (a list item leaves it to the
lead, a table row to another row). All ends are exclusive. Pages count from 1 and are null where a
format has none.
"""

from __future__ import annotations

import pyarrow as pa

from graphrag_tasks.core.schemas import documents, extraction, graph
from graphrag_tasks.core.schemas.columns import BBOX
from graphrag_tasks.core.schemas.documents import (
    ANCHORS,
    BLOCKS,
    CELLS,
    CHUNKS,
    DOCUMENTS,
    LINK_SPAN,
    LINKS,
    RENDITIONS,
    SOURCES,
)
from graphrag_tasks.core.schemas.extraction import (
    ARGUMENT,
    COREFERENCES,
    FRAMES,
    SENTENCES,
    TRIPLES,
)
from graphrag_tasks.core.schemas.graph import (
    ALIASES,
    ATTRIBUTES,
    COMMUNITIES,
    EDGES,
    ENTITIES,
    ENTITY_DICTIONARY,
    EVIDENCE,
    MEMBERS,
    MENTIONS,
    MERGES,
    NAMES,
    NODES,
    POSTINGS,
    REJECTED,
    RELATIONS,
    RESOLVED,
    SURFACE_FORMS,
    TERMS,
    TITLES,
    vectors_schema,
)

__all__ = [
    "ALIASES",
    "ANCHORS",
    "ARGUMENT",
    "ATTRIBUTES",
    "BBOX",
    "BLOCKS",
    "BLOCK_SEPARATOR",
    "CELLS",
    "CHUNKS",
    "COMMUNITIES",
    "COREFERENCES",
    "DOCUMENTS",
    "EDGES",
    "ENTITIES",
    "ENTITY_DICTIONARY",
    "EVIDENCE",
    "FRAMES",
    "LINKS",
    "LINK_SPAN",
    "MEMBERS",
    "MENTIONS",
    "MERGES",
    "NAMES",
    "NODES",
    "POSTINGS",
    "REJECTED",
    "RELATIONS",
    "RENDITIONS",
    "RESOLVED",
    "SCHEMAS",
    "SCHEMA_VERSION",
    "SENTENCES",
    "SOURCES",
    "SURFACE_FORMS",
    "TERMS",
    "TITLES",
    "TRIPLES",
    "VECTOR_TABLES",
    "empty",
    "schema_of",
    "vectors_schema",
]

SCHEMA_VERSION = 7
BLOCK_SEPARATOR = "\n\n"

SCHEMAS: dict[str, pa.Schema] = documents.TABLES | extraction.TABLES | graph.TABLES
"""Every table with a fixed schema, by artifact name."""

VECTOR_TABLES = ("chunk_vectors", "entity_vectors", "relation_vectors")
"""Tables of `vectors_schema`: one per kind, so that each can be memory-mapped as one matrix."""


def schema_of(table: str) -> pa.Schema | None:
    """Return a table's fixed schema, or None for the vector tables, whose dimension varies."""
    if table in VECTOR_TABLES:
        return None
    return SCHEMAS[table]


def empty(table: str) -> pa.Table:
    """Return a valid table of no rows."""
    return SCHEMAS[table].empty_table()

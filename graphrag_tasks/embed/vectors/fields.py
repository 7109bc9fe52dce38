"""Rows of a vector server: scalar fields and keys, and filters of its search."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.config import LABEL_PATTERN
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.snapshots.store import ARROW_TABLES

LABELS = "labels"  # The list field: the access labels of a chunk's document.

FIELDS: Mapping[str, tuple[str, ...]] = MappingProxyType({"chunk": ("document_id", LABELS, "media_type")})
"""Scalar fields by kind of vector.

Each follows from a row's key, so a row never changes: a chunk belongs to one document, whose media
type follows from its name, and its labels are part of the key. Entities and relations belong to
many documents and have none.
"""

Rows = dict[str, dict[str, Any]]  # Rows of a batch, by key.


def row_key(row_id: str, text_sha256: str, labels: Collection[str] = ()) -> str:
    """Return the key of a vector: hash of row id, text hash, and the sorted access labels."""
    return content_id("vector", row_id, text_sha256, *labels)


def row_keys(rows: pa.Table) -> Iterator[str]:
    """Return the key of each row, from its id, text_sha256 and, if present, labels."""
    columns = [name for name in ("id", "text_sha256", LABELS) if name in rows.column_names]
    return map(row_key, *(rows[name].to_pylist() for name in columns))


def by_key(rows: pa.Table, size: int) -> Iterator[Rows]:
    """Yield rows by key, in batches of `size`."""
    for batch in rows.to_batches(max_chunksize=size):
        part = pa.Table.from_batches([batch])
        yield dict(zip(row_keys(part), part.to_pylist(), strict=True))


def rows_of(folder: Folder, name: str) -> pa.Table:
    """Return a snapshot's vectors of one kind, with their filter fields."""
    vectors = folder.open_arrow(ARROW_TABLES[name])
    if name != "chunk_vectors":
        return vectors
    chunks = folder.read_table("chunks", ["chunk_id", "document_id"])
    documents = folder.read_table("documents", ["document_id", "media_type", LABELS])
    return with_fields(vectors, chunks, documents)


def with_fields(vectors: pa.Table, chunks: pa.Table, documents: pa.Table) -> pa.Table:
    """Append the columns of `FIELDS["chunk"]` to the vectors of chunks."""
    of_chunk = pc.index_in(vectors["id"], value_set=chunks["chunk_id"])
    document_ids = chunks["document_id"].take(of_chunk)
    of_document = pc.index_in(document_ids, value_set=documents["document_id"])
    labels = pa.array([document or [] for document in documents[LABELS].to_pylist()], pa.list_(pa.string()))
    return (
        vectors.append_column("document_id", document_ids)
        .append_column(LABELS, labels.take(of_document.combine_chunks()))
        .append_column("media_type", documents["media_type"].take(of_document))
    )


# Filters of a vector server's search, as Milvus expressions from validated values.

Where = Mapping[str, Collection[str]]  # Allowed values by scalar field: a row must have one of them.

ANYWHERE: Where = MappingProxyType({})

_VALUE = re.compile(r"[\w.:/+-]{1,64}", re.ASCII)
_LABEL = re.compile(LABEL_PATTERN)


def condition(where: Where) -> str:
    """Return the filter expression for rows in which every field has an allowed value."""
    return " and ".join(_one_of(field, list(values)) for field, values in where.items())


def _one_of(field: str, values: list[str]) -> str:
    pattern = _LABEL if field == LABELS else _VALUE
    odd = [value for value in values if not pattern.fullmatch(value)]
    if odd or not (field.isascii() and field.isidentifier()):
        raise QueryError(f"a filter may not hold {odd or field!r}", f"filters, {field}")
    listed = json.dumps(values)
    return f"array_contains_any({field}, {listed})" if field == LABELS else f"{field} in {listed}"

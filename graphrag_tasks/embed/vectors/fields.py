"""Rows of a vector server: scalar fields and keys."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

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

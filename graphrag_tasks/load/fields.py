"""What rows of a vector server can be filtered by beside their vector."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pyarrow as pa
import pyarrow.compute as pc

FIELDS: Mapping[str, tuple[str, ...]] = MappingProxyType({"chunk": ("document_id", "media_type")})
"""Scalar fields by kind of vector.

Each follows from a row's id, so a row never changes: a chunk lies in one document, whose media
type follows from its name. Entities and relations lie in many documents and have none.
"""


def with_fields(vectors: pa.Table, chunks: pa.Table, documents: pa.Table) -> pa.Table:
    """Append to the vectors of chunks what they can be filtered by.

    Args:
        vectors: Rows of `schemas.vectors_schema`, of chunks.
        chunks: Columns chunk_id and document_id.
        documents: Columns document_id and media_type.

    Returns:
        The vectors with the columns of `FIELDS["chunk"]`.
    """
    of_chunk = pc.index_in(vectors["id"], value_set=chunks["chunk_id"])
    document_ids = chunks["document_id"].take(of_chunk)
    of_document = pc.index_in(document_ids, value_set=documents["document_id"])
    return vectors.append_column("document_id", document_ids).append_column(
        "media_type", documents["media_type"].take(of_document)
    )

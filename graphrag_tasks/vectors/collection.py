"""Collections in Milvus: what they are made of, from the columns of their rows, and their keys."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pymilvus import DataType, MilvusClient

from graphrag_tasks.vectors.fields import LABELS

_LENGTH = 64  # of keys, ids and scalar values
_LABEL_LENGTH = 128  # as config.LABEL_PATTERN
_MOST_LABELS = 4096  # as many as an array in Milvus may hold
_OWN_COLUMNS = ("id", "text_sha256", "vector")


def open_collection(client: MilvusClient, name: str, columns: pa.Schema) -> None:
    """Load a collection for rows with these columns, searched exactly; make it where it is absent.

    Args:
        client: Of the server.
        name: Physical name.
        columns: `schemas.vectors_schema`; further columns are scalar fields.
    """
    if client.has_collection(name):
        client.load_collection(name)
    else:
        _create(client, name, columns)


def keys_in(client: MilvusClient, name: str, size: int) -> Iterator[str]:
    """Yield the keys of all rows of a collection."""
    client.load_collection(name)
    rows = client.query_iterator(name, batch_size=size, output_fields=["key"])
    while batch := rows.next():
        yield from (row["key"] for row in batch)
    rows.close()


def _create(client: MilvusClient, name: str, columns: pa.Schema) -> None:
    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("key", DataType.VARCHAR, max_length=_LENGTH, is_primary=True)
    dimension = columns.field("vector").type.list_size
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimension)
    for field in ("id", *sorted(set(columns.names).difference(_OWN_COLUMNS, {LABELS}))):
        schema.add_field(field, DataType.VARCHAR, max_length=_LENGTH)
    if LABELS in columns.names:
        schema.add_field(
            LABELS, DataType.ARRAY, element_type=DataType.VARCHAR,
            max_capacity=_MOST_LABELS, max_length=_LABEL_LENGTH,
        )  # fmt: skip
    index = client.prepare_index_params()
    index.add_index("vector", index_type="FLAT", metric_type="IP")
    # rows are counted right after they were inserted
    client.create_collection(name, schema=schema, index_params=index, consistency_level="Strong")

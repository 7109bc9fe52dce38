"""Extract and embed on Ray Data: the functions of `batches` by `map_batches`.

Workers need the package with its extra `index` installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from graphrag_tasks.core.config import EmbedConfig, ExtractConfig
from graphrag_tasks.core.extras import require_version
from graphrag_tasks.integrations.batches import (
    TRIPLES,
    VECTORS,
    BatchFunction,
    triples_of_documents,
    vectors_of_chunks,
)

if TYPE_CHECKING:
    from ray.data import Dataset

OLDEST = "2.40"
"""The oldest release of ray that this was made for."""

require_version("ray", "ray", OLDEST)

_DOCUMENTS = 16
"""Documents of a batch: enough for a worker to be busy, and few to lose with it. Chosen."""
_CHUNKS = 256
"""Chunks of a batch: a few seconds of work for a core. Chosen."""


def extract_on_ray(documents: Dataset, config: ExtractConfig) -> Dataset:
    """Return the triples of documents.

    Args:
        documents: The rows of `batches.documents_with_tables`.
        config: The stage's settings.

    Returns:
        The columns of the table `triples`.
    """
    return _mapped(documents, triples_of_documents(config), TRIPLES, _DOCUMENTS)


def embed_on_ray(chunks: Dataset, config: EmbedConfig) -> Dataset:
    """Return the vectors of chunks.

    Args:
        chunks: `chunk_id`, `text` and `heading_path`.
        config: The stage's settings.

    Returns:
        `id` of the chunk, `text_sha256`, and `vector` as a list of floats.
    """
    return _mapped(chunks, vectors_of_chunks(config), VECTORS, _CHUNKS)


def _mapped(rows: Dataset, function: BatchFunction, schema: pa.Schema, size: int) -> Dataset:
    def table(batch: pa.Table) -> pa.Table:
        return pa.Table.from_batches(function(iter(batch.combine_chunks().to_batches())), schema)

    return rows.map_batches(table, batch_format="pyarrow", batch_size=size)

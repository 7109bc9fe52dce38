"""The embed stage: one unit vector for each chunk, entity and relation.

Paper, section 3.3: entities, chunks and relations have embeddings of their own. A text that an
earlier snapshot embedded with the same model keeps its vector, found by the text's hash.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks import schemas
from graphrag_tasks.config import EmbedConfig
from graphrag_tasks.embed.protocol import Embedder
from graphrag_tasks.ids import text_sha256
from graphrag_tasks.stage import StageResult

REQUIRES = ("chunks", "entities", "relations")
PRODUCES = schemas.VECTOR_TABLES
DEPENDENCIES = ("onnxruntime", "tokenizers")

_COLUMNS = {
    "chunk_vectors": ("chunk_id", "text"),
    "entity_vectors": ("entity_id", "name"),
    "relation_vectors": ("relation_id", "text"),
}


def make_embedder(config: EmbedConfig) -> Embedder:
    """Return the configured embedder; its model is loaded on first use.

    Raises:
        MissingDependencyError: The model is not installed.
    """
    from graphrag_tasks.embed.local import LocalEmbedder

    return LocalEmbedder(config.model, max_tokens=config.max_tokens, threads=config.threads)


def embed(
    chunks: pa.Table,
    entities: pa.Table,
    relations: pa.Table,
    *,
    embedder: Embedder,
    reusable: Mapping[str, pa.Table] | None = None,
) -> StageResult:
    """Embed the texts of chunks, the names of entities and the words of relations.

    Args:
        chunks: Rows of `schemas.CHUNKS`.
        entities: Rows of `schemas.ENTITIES`.
        relations: Rows of `schemas.RELATIONS`.
        embedder: The model.
        reusable: Vector tables of the same model, by name, to take known texts from.

    Returns:
        One table of `schemas.vectors_schema` per kind, in the order of the given rows.
    """
    inputs = {"chunk_vectors": chunks, "entity_vectors": entities, "relation_vectors": relations}
    tables: dict[str, pa.Table] = {}
    stats: dict[str, int | float] = {"embedded": 0, "reused": 0}
    for name, rows in inputs.items():
        id_column, text_column = _COLUMNS[name]
        texts = rows[text_column].to_pylist()
        hashes = [text_sha256(text) for text in texts]
        known = _known(reusable.get(name) if reusable else None, hashes)
        vectors, fresh = _vectors(texts, hashes, known, embedder)
        stats["embedded"] += fresh
        stats["reused"] += len(texts) - fresh
        tables[name] = _table(rows[id_column], hashes, vectors)
    stats["vectors"] = sum(table.num_rows for table in tables.values())
    return StageResult(tables, stats)


def _known(table: pa.Table | None, hashes: list[str]) -> dict[str, NDArray[np.float32]]:
    if table is None or not table.num_rows:
        return {}
    wanted = pa.array(sorted(set(hashes)), pa.string())
    table = table.filter(pc.is_in(table["text_sha256"], value_set=wanted))
    return dict(zip(table["text_sha256"].to_pylist(), as_matrix(table), strict=True))


def _vectors(
    texts: list[str],
    hashes: list[str],
    known: dict[str, NDArray[np.float32]],
    embedder: Embedder,
) -> tuple[NDArray[np.float32], int]:
    """Return the matrix of all texts and the number of texts that had to be embedded."""
    new = [index for index, digest in enumerate(hashes) if digest not in known]
    matrix = np.zeros((len(texts), embedder.dimension), np.float32)
    if new:
        matrix[new] = embedder.encode([texts[index] for index in new])
    for index, digest in enumerate(hashes):
        if digest in known:
            matrix[index] = known[digest]
    return matrix, len(new)


def _table(ids: pa.ChunkedArray, hashes: list[str], matrix: NDArray[np.float32]) -> pa.Table:
    dimension = matrix.shape[1]
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), dimension)
    return pa.table(
        [ids, pa.array(hashes, pa.string()), vectors], schema=schemas.vectors_schema(dimension)
    )


def as_matrix(table: pa.Table) -> NDArray[np.float32]:
    """Return a vector table's vectors as a matrix of shape (rows, dimension), without a copy.

    Args:
        table: Rows of `schemas.vectors_schema`, memory-mapped or not.
    """
    column = table["vector"].combine_chunks()
    dimension = column.type.list_size
    return np.asarray(column.flatten()).reshape(-1, dimension)

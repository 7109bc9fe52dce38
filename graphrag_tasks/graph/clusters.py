"""Clusters of near chunk vectors, so that a question is compared with few chunks of many.

An inverted file without quantization (Jégou, Douze and Schmid, "Product quantization for nearest neighbor search", IEEE
TPAMI 2011, section 4), by spherical k-means of a sample of the vectors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.core.schemas import (
    CLUSTER_TABLES,
    CLUSTERED,
    LEAST_CLUSTERED,
    VECTOR_CLUSTERS,
    VECTOR_MOMENTS,
    empty,
)
from graphrag_tasks.storage.artifacts import column, numbers

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


_PER_ROOT = 4  # Clusters per square root of the number of vectors, as faiss advises.
_SAMPLED, _ROUNDS, _SEED = 20, 4, 0
"""Vectors per cluster that k-means sees, and its rounds: more of either find no more of the sixty nearest chunks
(benchmarks/README.md)."""
_AT_ONCE = 8_192

_Matrix = NDArray[np.float32]


def cluster_tables(vectors: pa.Table | None) -> dict[str, pa.Table]:
    """Return `CLUSTER_TABLES` of a vector table; empty ones for fewer than `LEAST_CLUSTERED`."""
    if vectors is None or vectors.num_rows < LEAST_CLUSTERED:
        return {name: empty(name) for name in CLUSTER_TABLES}
    flat = column(vectors, "vector")
    matrix = numbers(flat.flatten()).reshape(len(flat), -1)
    count = int(_PER_ROOT * math.sqrt(len(matrix)))
    centroids = _centroids(matrix, count)
    nearest = _nearest(matrix, centroids)
    rows = np.argsort(nearest, kind="stable").astype(np.int32)
    ends = np.cumsum(np.bincount(nearest, minlength=count)).astype(np.int32)
    return {
        "clustered": pa.table([rows], schema=CLUSTERED),
        "vector_clusters": pa.table([ends, list(centroids)], schema=VECTOR_CLUSTERS),
        "vector_moments": pa.table([list(_moments(matrix))], schema=VECTOR_MOMENTS),
    }


def _moments(matrix: _Matrix) -> _Matrix:
    """Return the mean of vectors, above their mean outer product.

    With them, a reader knows the mean and deviation of the cosines that it does not compute.
    """
    width = matrix.shape[1]
    sums = np.zeros((1 + width, width))
    for start in range(0, len(matrix), _AT_ONCE):
        part = matrix[start : start + _AT_ONCE]
        sums[0] += part.sum(axis=0)
        sums[1:] += part.T @ part
    return (sums / len(matrix)).astype(np.float32)


def _centroids(matrix: _Matrix, count: int) -> _Matrix:
    from scipy import sparse  # not at the top: pages are served without SciPy

    generator = np.random.Generator(np.random.PCG64(_SEED))
    drawn = generator.choice(len(matrix), min(len(matrix), _SAMPLED * count), replace=False)
    sample = matrix[np.sort(drawn)]
    centroids = sample[np.sort(generator.choice(len(sample), count, replace=False))]
    for _ in range(_ROUNDS):
        nearest = _nearest(sample, centroids)
        members = (np.ones(len(sample), np.float32), (nearest, np.arange(len(sample))))
        sums = sparse.csr_matrix(members, shape=(count, len(sample))) @ sample
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        centroids = np.where(lengths > 0, sums / np.maximum(lengths, 1e-9), centroids)
    return centroids


def _nearest(matrix: _Matrix, centroids: _Matrix) -> NDArray[np.intp]:
    """Return the nearest centroid of each vector, reading some vectors at a time."""
    starts = range(0, len(matrix), _AT_ONCE)
    return np.concatenate([(matrix[start : start + _AT_ONCE] @ centroids.T).argmax(axis=1) for start in starts])

"""Vectors into Milvus Lite, and whether all of them are there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from graphrag_tasks.core.config import LoadConfig
from graphrag_tasks.core.ids import text_sha256
from graphrag_tasks.core.progress import Cost, measured
from graphrag_tasks.core.schemas import vectors_schema
from graphrag_tasks.embed.vectors.vector_store import open_vector_store
from graphrag_tasks.storage.artifacts import Folder

_DIMENSION = 384
_MEGABYTE = 1_000_000


@dataclass(frozen=True)
class VectorLoad:
    """What a load cost, and what a second one found missing.

    Attributes:
        rows: Vectors.
        inserted: By the first load, in a store that was empty.
        seconds: It took, with the check that every row is there.
        megabytes: Peak memory of the process, the embedded server included.
        inserted_again: By a second load of the same rows, after the folder was opened anew.
        seconds_again: It took.
    """

    rows: int
    inserted: int
    seconds: float
    megabytes: int
    inserted_again: int
    seconds_again: float


def measure_vectors(folder: Path, rows: int) -> VectorLoad:
    """Load random unit vectors twice.

    Args:
        folder: Where Milvus Lite keeps them.
        rows: How many.
    """
    vectors = _vectors(rows)
    inserted, first = _load(folder, vectors)
    again, second = _load(folder, vectors)
    megabytes = first.peak_memory_bytes // _MEGABYTE
    return VectorLoad(rows, inserted, first.seconds, megabytes, again, second.seconds)


def _load(folder: Path, vectors: pa.Table) -> tuple[int, Cost]:
    with measured() as cost:
        server = open_vector_store(Folder(folder), LoadConfig(vector_store="milvus_lite"))
        if server is None:
            raise RuntimeError("Milvus Lite is switched off")
        try:
            inserted = server.insert_new("chunk_benchmark", vectors)
        finally:
            server.close()
    return inserted, cost


def _vectors(rows: int) -> pa.Table:
    matrix = np.random.default_rng(0).normal(size=(rows, _DIMENSION)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    ids = [f"{number:024x}" for number in range(rows)]
    return pa.table(
        [
            pa.array(ids),
            pa.array([text_sha256(one) for one in ids]),
            pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), _DIMENSION),
        ],
        schema=vectors_schema(_DIMENSION),
    )

"""The query encoder: the snapshot's own embedding model, loaded on the first search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np

from graphrag_tasks.core.errors import QueryError, SnapshotError
from graphrag_tasks.embed.protocol import Embedder
from graphrag_tasks.retrieval.view.arrays import Vectors


class QueryEncoder:
    """Encodes questions with the model the snapshot was embedded with, by default a local one.

    Raises:
        SnapshotError: The embedder is not the one the snapshot was embedded with.
    """

    def __init__(self, embedding: Mapping[str, Any], embedder: Embedder | None = None) -> None:
        self._embedding = embedding
        self._lock = Lock()
        if embedder is not None:
            _check(embedder, embedding)
        self._embedder = embedder

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the unit vectors of texts, shape (texts, dimension).

        Raises:
            SnapshotError: The installed model is not the one the snapshot was embedded with.
            QueryError: The embedder returns something else.
            MissingDependencyError: The model is not installed.
        """
        with self._lock:
            if self._embedder is None:
                from graphrag_tasks.embed.local import LocalEmbedder  # brings ONNX Runtime

                model, most = self._embedding["model"], self._embedding["max_tokens"]
                embedder = LocalEmbedder(str(model), max_tokens=int(most))
                _check(embedder, self._embedding)
                self._embedder = embedder
        vectors = np.asarray(self._embedder.encode(texts), dtype=np.float32)
        width = self._embedding["dimension"]
        if vectors.shape != (len(texts), width) or not np.isfinite(vectors).all():
            raise QueryError(
                f"returned no vector of {width} numbers for the question (shape {vectors.shape})",
                "query encoder",
                "Its `encode` returns a finite unit row for each text",
            )
        return np.ascontiguousarray(vectors)


def _check(embedder: Embedder, embedding: Mapping[str, Any]) -> None:
    wanted = (embedding["fingerprint"], embedding["dimension"])
    if (embedder.fingerprint, embedder.dimension) != wanted:
        raise SnapshotError(
            f"was embedded with {wanted[0]} ({wanted[1]} dimensions), but the query encoder is "
            f"{embedder.fingerprint} ({embedder.dimension} dimensions)",
            "snapshot",
            f"Use the model it was embedded with ({embedding.get('model')}, max_tokens "
            f"{embedding.get('max_tokens')}), or embed again: graphrag-tasks index SOURCE",
        )

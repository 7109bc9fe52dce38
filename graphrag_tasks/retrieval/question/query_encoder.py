"""The query encoder named in the snapshot's manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np

from graphrag_tasks.core.commands import command
from graphrag_tasks.core.config import BudgetConfig, EmbedConfig, LlmConfig
from graphrag_tasks.core.errors import QueryError, SnapshotError
from graphrag_tasks.embed.protocol import ENDPOINT, Embedder
from graphrag_tasks.retrieval.view.arrays import Vectors


class QueryEncoder:
    """Encodes questions with the snapshot's model, by default a local one."""

    def __init__(self, embedding: Mapping[str, Any], embedder: Embedder | None = None) -> None:
        self._embedding = embedding
        self._lock = Lock()
        if embedder is not None:
            _check(embedder, embedding)
        self._embedder = embedder

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the unit vectors of texts, shape (texts, dimension)."""
        with self._lock:
            if self._embedder is None:
                embedder = embedder_of(self._embedding)
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


def embedder_of(embedding: Mapping[str, Any]) -> Embedder:
    """Return the embedder that a manifest names."""
    if embedding.get("embedder") == ENDPOINT:
        from graphrag_tasks.embed.endpoint import EndpointEmbedder
        from graphrag_tasks.llm import Client

        query, passage = embedding["prompts"]
        config = EmbedConfig(
            model=embedding["model"], dimensions=embedding["dimension"],
            query_prompt=query, passage_prompt=passage,
        )  # fmt: skip
        free = BudgetConfig(usd=0)  # a reader spends little, and has no run to count it for
        llm = LlmConfig(base_url=embedding["base_url"], budget=free)
        return EndpointEmbedder(config, Client(llm))
    from graphrag_tasks.embed.local import LocalEmbedder  # brings ONNX Runtime

    return LocalEmbedder(str(embedding["model"]), max_tokens=int(embedding["max_tokens"]))


def _check(embedder: Embedder, embedding: Mapping[str, Any]) -> None:
    wanted = (embedding["fingerprint"], embedding["dimension"])
    if (embedder.fingerprint, embedder.dimension) != wanted:
        raise SnapshotError(
            f"was embedded with {wanted[0]} ({wanted[1]} dimensions), but the query encoder is "
            f"{embedder.fingerprint} ({embedder.dimension} dimensions)",
            "snapshot",
            f"Use the model it was embedded with ({embedding['model']}, max_tokens "
            f"{embedding.get('max_tokens')}), or embed again: {command('index')}",
        )

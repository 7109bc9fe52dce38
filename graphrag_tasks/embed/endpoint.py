"""Embeddings from an endpoint: OpenAI's, or any server with the same API.

Paper, section 3.1.4: entities, chunks and relations are embedded by `text-embedding-3-large`.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.config import EmbedConfig
from graphrag_tasks.core.errors import ConfigError, EndpointError
from graphrag_tasks.core.progress import Progress
from graphrag_tasks.embed.protocol import Encoded
from graphrag_tasks.llm import Client

log = logging.getLogger(__name__)

_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072}
"""Dimensions of OpenAI's models, by its documentation."""
_SHORTENED = "text-embedding-3"  # Prefix of model names that support shorter vectors on request.
_TEXTS, _CHARACTERS = 64, 100_000  # Most texts and characters in one request.
_LONGEST = 20_000  # Most characters of a text per request: every OpenAI model accepts this many.
_BLANK = "."


class EndpointEmbedder:
    """Sends texts to an endpoint; several threads may use it.

    A text longer than the limit is cut into parts, and its vector is the mean of the parts' vectors.

    Args:
        config: Model, address, dimension, and prompts.
        client: Sends requests, within the limits and the budget.
    """

    def __init__(self, config: EmbedConfig, client: Client) -> None:
        self._config = config
        self._client = client.at(config.base_url)
        if not self.dimension:
            hint = "Set embed.dimensions to it"
            what = f"how long a vector of {config.model} is is not known"
            raise ConfigError(what, "embed.dimensions", hint)

    @property
    def dimension(self) -> int:
        """Length of one vector."""
        return self._config.dimensions or _DIMENSIONS.get(self._config.model, 0)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the model, its provider, and the prompts."""
        config = self._config
        parts = [
            self._client.identity(model=config.model).provider, config.model, self.dimension,
            config.query_prompt, config.passage_prompt,
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def engine(self) -> str:
        """Provider that computes the vectors."""
        return f"endpoint {self._client.identity(model=self._config.model).provider}"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of questions as rows, shape (len(texts), dimension)."""
        return self._encoded(texts, self._config.query_prompt).vectors

    def encode_detailed(self, texts: Sequence[str]) -> Encoded:
        """Embed passages, and count texts and windows."""
        return self._encoded(texts, self._config.passage_prompt)

    def _encoded(self, texts: Sequence[str], prompt: str) -> Encoded:
        unique = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        parts = [
            (row, prompt + (text[start : start + _LONGEST].strip() or _BLANK))
            for text, row in unique.items()
            for start in range(0, max(len(text), 1), _LONGEST)
        ]
        vectors = np.zeros((len(unique), self.dimension), np.float32)
        rows = np.array([row for row, _ in parts], np.intp)
        np.add.at(vectors, rows, self._sent([text for _, text in parts]))
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.maximum(lengths, np.finfo(np.float32).tiny)
        order = np.fromiter((unique[text] for text in texts), np.intp, len(texts))
        windowed = int((np.bincount(rows, minlength=len(unique)) > 1).sum()) if parts else 0
        return Encoded(vectors[order], len(unique), windowed, len(parts))

    def _sent(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of texts; requests run concurrently."""
        wanted = self.dimension if self._config.model.startswith(_SHORTENED) else 0
        progress = Progress(log, "embed", len(texts), "texts")
        found: list[NDArray[np.float32]] = []
        sent = 0
        with self._client.connected(), ThreadPoolExecutor(self._client.concurrency) as pool:
            for vectors in pool.map(
                lambda part: self._client.embed(part, self._config.model, wanted), _requests(texts)
            ):
                found.append(vectors)
                sent += len(vectors)
                progress.reach(sent)
        vectors = np.concatenate([np.empty((0, self.dimension), np.float32), *map(self._own, found)])
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: NDArray[np.float32] = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
        return unit

    def _own(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        if vectors.shape[1:] != (self.dimension,) or not np.isfinite(vectors).all():
            what = f"gives vectors of {vectors.shape[-1]} numbers, not {self.dimension} finite ones"
            hint = "Set embed.dimensions, or name another model"
            raise EndpointError(f"{self._config.model} {what}", "embed", hint)
        return vectors


def _requests(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts of each request, in order."""
    part: list[str] = []
    for text in texts:
        if part and (len(part) == _TEXTS or sum(map(len, part)) + len(text) > _CHARACTERS):
            yield part
            part = []
        part.append(text)
    if part:
        yield part

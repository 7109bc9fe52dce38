"""The interface of an embedding backend, for the stages and for retrieval."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.core import schemas
from graphrag_tasks.core.errors import ArtifactError
from graphrag_tasks.core.ids import content_id, text_sha256
from graphrag_tasks.core.progress import Progress
from graphrag_tasks.core.registry import Registry
from graphrag_tasks.storage.artifacts import Folder, column, numbers


@dataclass(frozen=True)
class Encoded:
    """Vectors and encoding statistics.

    Attributes:
        vectors: Unit vectors in the order of the texts, shape (texts, dimension).
        unique: Number of distinct texts, each of which was encoded once.
        windowed: Number of those longer than the model's input: their vector is a mean.
        windows: Number of windows that were encoded.
    """

    vectors: NDArray[np.float32]
    unique: int
    windowed: int
    windows: int


class Embedder(Protocol):
    """Turns texts into unit vectors, so that a dot product is the cosine similarity.

    A vector depends only on the text and on what `fingerprint` covers, not on the other texts of the call or the order
    of calls. So vectors may be stored by text hash and fingerprint and reused; where they must be bit-identical, also
    by library versions.
    """

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def fingerprint(self) -> str:
        """Hex SHA-256 of all that defines the vector space: weights, tokenizer, settings."""

    @property
    def engine(self) -> str:
        """The engine that computes the vectors, with its version.

        Vectors of two engines share a space and differ in their last bits.
        """

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of questions as rows, shape (len(texts), dimension).

        The list may be empty, and texts may be equal or empty.
        """

    def encode_detailed(self, texts: Sequence[str]) -> Encoded:
        """Embed passages, and count texts and windows."""


ENDPOINT = "endpoint"  # Name of the embedder that sends texts to a server.

EMBEDDERS: Registry[Embedder] = Registry(
    "embedder",
    "graphrag_tasks.embedders",
    "embed.embedder",
    {
        "local": "graphrag_tasks.embed.local:make_local_embedder",
        ENDPOINT: "graphrag_tasks.embed.endpoint:EndpointEmbedder",
    },
)
"""Factories of embedders; each takes the settings and the language model's client."""


# Vectors saved as they are made, so that an interrupted run embeds nothing twice.

log = logging.getLogger(__name__)

KEPT_VECTORS = "vectors"  # Folder in staging.

_BATCH_CHARACTERS = 200_000
"""Characters of a batch: some ten seconds of one core, the most that a kill can cost. Chosen."""

_HASH, _VECTOR = "text_sha256", "vector"
_SUFFIX = ".arrow"


class KeptVectors:
    """An embedder that saves another embedder's passage vectors and reuses them.

    Args:
        embedder: Makes the vectors.
        folder: Where vectors are saved; for one model and engine only.
    """

    def __init__(self, embedder: Embedder, folder: Folder) -> None:
        self._embedder, self._folder = embedder, folder
        self.dimension, self.fingerprint = embedder.dimension, embedder.fingerprint
        self.engine = embedder.engine

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed questions, which are not saved."""
        return self._embedder.encode(texts)

    def encode_detailed(self, texts: Sequence[str]) -> Encoded:
        """Embed the passages without saved vectors, and count only these."""
        hashes = [text_sha256(text) for text in texts]
        first = {key: row for row, key in reversed(list(enumerate(hashes)))}
        vectors = np.empty((len(texts), self.dimension), np.float32)
        missing = {key: texts[row] for key, row in first.items()}
        for key, vector in self._kept():
            if key in missing:
                vectors[first[key]] = vector
                del missing[key]
        progress = Progress(log, "embed", len(missing), "texts")
        counts = Counter[str]()
        for batch in _batches(missing):
            made = self._embedder.encode_detailed(list(batch.values()))
            self._keep(list(batch), made.vectors)
            vectors[[first[key] for key in batch]] = made.vectors
            counts.update(unique=made.unique, windowed=made.windowed, windows=made.windows)
            progress.reach(counts["unique"])
        for row, key in enumerate(hashes):
            if row != first[key]:
                vectors[row] = vectors[first[key]]
        return Encoded(vectors, counts["unique"], counts["windowed"], counts["windows"])

    def _kept(self) -> Iterator[tuple[str, NDArray[np.float32]]]:
        for table in self._tables():
            kept = column(table, _VECTOR)
            matrix = numbers(kept.flatten()).reshape(-1, kept.type.list_size)
            yield from zip(table[_HASH].to_pylist(), matrix, strict=True)

    def _tables(self) -> Iterator[pa.Table]:
        for name in self._folder.names():
            if not name.endswith(_SUFFIX):
                continue  # another part of the stage is writing it
            try:
                yield self._folder.open_arrow(name).select([_HASH, _VECTOR])
            except (ArtifactError, KeyError) as error:
                log.warning("kept vectors are made again: %s", error)
                self._folder.delete(name)

    def _keep(self, hashes: Sequence[str], vectors: NDArray[np.float32]) -> None:
        rows = schemas.vectors_schema(self.dimension)
        flat = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), self.dimension)
        table = pa.table([pa.array(hashes, pa.string()), flat], names=[_HASH, _VECTOR])
        table = table.cast(pa.schema([rows.field(name) for name in table.column_names]))
        self._folder.write_arrow(f"{content_id('vectors', *hashes)}{_SUFFIX}", table)


def _batches(texts: dict[str, str]) -> Iterator[dict[str, str]]:
    """Split texts by hash into batches, short texts first, so lengths in a batch are similar."""
    batch: dict[str, str] = {}
    size = 0
    for key, text in sorted(texts.items(), key=lambda item: (len(item[1]), item[0])):
        batch[key] = text
        size += len(text)
        if size >= _BATCH_CHARACTERS:
            yield batch
            batch, size = {}, 0
    if batch:
        yield batch

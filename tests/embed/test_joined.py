"""Two encoders whose vectors are joined."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from graphrag_tasks.core.config import Config, EmbedConfig
from graphrag_tasks.core.errors import SnapshotError
from graphrag_tasks.embed.joined import JoinedEmbedder
from graphrag_tasks.embed.local import LocalEmbedder
from graphrag_tasks.embed.protocol import Encoded
from graphrag_tasks.embed.stage import make_embedder
from graphrag_tasks.pipeline import vectors
from graphrag_tasks.retrieval.question.query_encoder import QueryEncoder, embedder_of

TEXTS = ["a b c", "", "z y", "a b c", "q " * 40]


class Turning:
    """Turns a text into a point of the circle, another one for questions."""

    dimension = 2
    fingerprint = "turning"
    engine = "geometry"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        angles = np.array([len(text) for text in texts], np.float32)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)

    def encode_detailed(self, texts: Sequence[str]) -> Encoded:
        return Encoded(-self.encode(texts), len(set(texts)), 1, len(texts))


def joined_config(first: Path, second: str) -> EmbedConfig:
    return EmbedConfig(model=str(first), second_model=second, threads=1)


def test_the_cosine_is_the_weighted_mean_of_both(tiny_model: Path) -> None:
    tiny, turning = LocalEmbedder(tiny_model, max_tokens=16), Turning()
    joined = JoinedEmbedder(tiny, turning, 0.25)
    asked, passages = joined.encode(TEXTS), joined.encode_detailed(TEXTS)
    assert joined.dimension == asked.shape[1] == tiny.dimension + 2
    assert asked.dtype == passages.vectors.dtype == np.float32
    mean = 0.75 * tiny.encode(TEXTS) @ tiny.encode_detailed(TEXTS).vectors.T
    mean += 0.25 * turning.encode(TEXTS) @ turning.encode_detailed(TEXTS).vectors.T
    assert asked @ passages.vectors.T == pytest.approx(mean, abs=1e-6)
    assert np.linalg.norm(asked, axis=1) == pytest.approx(1)
    assert (passages.unique, passages.windowed, passages.windows) == (4, 1, 6 + 5)
    assert joined.encode([]).shape == (0, joined.dimension)


def test_a_reader_asks_with_the_models_that_the_manifest_names(
    tiny_model: Path, write_model: Callable[..., Path]
) -> None:
    config = joined_config(tiny_model, str(write_model(layer_norm_eps=0.5)))
    embedder = make_embedder(config)
    manifest = vectors.identity(Config(embed=config), embedder.engine)
    asked = QueryEncoder(manifest).encode(TEXTS)
    assert asked.tobytes() == embedder.encode(TEXTS).tobytes()
    assert embedder_of(manifest).fingerprint == manifest["fingerprint"]
    alone = EmbedConfig(model=str(tiny_model))
    assert "second_model" not in vectors.identity(Config(embed=alone), "any")


def test_a_second_model_that_has_changed_is_refused(tiny_model: Path, write_model: Callable[..., Path]) -> None:
    config = joined_config(tiny_model, str(write_model(layer_norm_eps=0.5)))
    manifest = vectors.identity(Config(embed=config), "any")
    changed = manifest | {"second_model": str(tiny_model)}
    with pytest.raises(SnapshotError, match=r"32 dimensions"):
        QueryEncoder(changed).encode(["a"])
    with pytest.raises(SnapshotError) as caught:
        QueryEncoder(manifest, LocalEmbedder(tiny_model, max_tokens=16))
    assert "(16 dimensions)" in str(caught.value)
    assert str(config.second_model) in caught.value.hint

"""The embedder on a tiny model: what it returns, and that its bytes depend on nothing else."""

import socket
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.embed.local import LocalEmbedder
from graphrag_tasks.embed.protocol import Embedder

WriteModel = Callable[..., Path]
TEXTS = st.lists(st.text("ab c🙂", max_size=70), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def embedder(tiny_model: Path) -> LocalEmbedder:
    return LocalEmbedder(tiny_model, max_tokens=16, threads=1)


@pytest.fixture(scope="module")
def others(tiny_model: Path) -> list[LocalEmbedder]:
    return [
        LocalEmbedder(tiny_model, max_tokens=16, threads=threads, batch_tokens=tokens)
        for threads, tokens in ((1, 1), (2, 32), (2, 100_000))
    ]


def test_unit_rows_in_the_order_of_the_texts(embedder: LocalEmbedder) -> None:
    backend: Embedder = embedder
    texts = ["d", "a b c d e f g", "a", "a b", "d"]
    vectors = backend.encode(texts)
    assert vectors.shape == (5, backend.dimension) == (5, 16)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert vectors.tobytes() == b"".join(embedder.encode([text]).tobytes() for text in texts)


@given(TEXTS)
def test_bytes_depend_on_the_text_alone(embedder: LocalEmbedder, others: list[LocalEmbedder], texts: list[str]) -> None:
    together = embedder.encode(texts)
    assert together.tobytes() == embedder.encode(texts[::-1])[::-1].tobytes()
    assert together.tobytes() == b"".join(embedder.encode([text]).tobytes() for text in texts)
    for other in others:
        assert together.tobytes() == other.encode(texts).tobytes()


def test_equal_texts_are_encoded_once_and_long_ones_in_windows(embedder: LocalEmbedder) -> None:
    long = " ".join("abcdefghijklmnopqrstuvwxyz" * 2)  # 52 tokens: 14 + 14 + 14 + 10
    encoded = embedder.encode_detailed(["a", long, "a", "b"])
    assert (encoded.unique, encoded.windowed, encoded.windows) == (3, 1, 6)
    assert encoded.vectors[0].tobytes() == encoded.vectors[2].tobytes()


def test_the_fingerprint_covers_what_can_change_a_vector(write_model: WriteModel, tiny_model: Path) -> None:
    fingerprint = LocalEmbedder(tiny_model, max_tokens=16).fingerprint
    same = LocalEmbedder(write_model(), max_tokens=16, threads=2, batch_tokens=1)
    assert same.fingerprint == fingerprint
    folder = write_model()
    (folder / "tokenizer.json").write_text((folder / "tokenizer.json").read_text() + "\n")
    changed = {
        LocalEmbedder(tiny_model, max_tokens=17).fingerprint,
        LocalEmbedder(write_model(layer_norm_eps=1e-6), max_tokens=16).fingerprint,
        LocalEmbedder(write_model(prefix="bert."), max_tokens=16).fingerprint,
        LocalEmbedder(folder, max_tokens=16).fingerprint,
    }
    assert len(changed | {fingerprint}) == 5


def test_nothing_is_fetched(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object) -> NoReturn:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    LocalEmbedder(tiny_model, max_tokens=16).encode(["a"])

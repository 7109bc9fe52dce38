"""The models that come along: the default one, and MiniLM as it was published."""

import sys

import numpy as np
import pytest

from graphrag_tasks.embed.local import DEFAULT_MODEL, LocalEmbedder, verify_weights
from graphrag_tasks.embed.model_files import MINILM


@pytest.fixture(scope="module", params=[DEFAULT_MODEL, MINILM])
def model(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def embedder(model: str) -> LocalEmbedder:
    return LocalEmbedder(model, threads=1)


def test_its_files_are_the_known_ones(model: str) -> None:
    assert verify_weights(model).ok


def test_paraphrases_are_closer_than_unrelated_texts(embedder: LocalEmbedder) -> None:
    question, paraphrase, unrelated = embedder.encode(
        [
            "How do I reset my password?",
            "What are the steps to recover a forgotten login password?",
            "The glacier lost twelve metres of ice last summer.",
        ]
    )
    assert question @ paraphrase > 0.6
    assert question @ unrelated < 0.15


def test_rows_are_unit_vectors_of_384(embedder: LocalEmbedder) -> None:
    vectors = embedder.encode(["Berlin", "", "a plant 🌱 in a pot"])
    assert vectors.shape == (3, embedder.dimension) == (3, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_bytes_depend_on_the_text_alone(model: str, embedder: LocalEmbedder) -> None:
    texts = [" ".join(["material", "planning", "of", "a", "plant"] * 9)[:size] for size in
             (3, 4, 8, 9, 17, 18, 40, 90, 200, 201)]  # fmt: skip
    together = embedder.encode(texts)
    assert together.tobytes() == b"".join(embedder.encode([text]).tobytes() for text in texts)
    other = LocalEmbedder(model, threads=2, batch_tokens=64)
    assert together.tobytes() == other.encode(texts[::-1])[::-1].tobytes()


def test_a_text_of_thousands_of_words_is_windowed(embedder: LocalEmbedder) -> None:
    encoded = embedder.encode_detailed(["plan " * 1100])
    assert (encoded.windowed, encoded.windows) == (1, 3)


def test_no_framework_is_imported(embedder: LocalEmbedder) -> None:
    embedder.encode(["a"])
    assert MINILM not in sys.modules
    assert "torch" not in sys.modules

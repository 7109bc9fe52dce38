"""The models that come along: the default one, and MiniLM as it was published."""

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

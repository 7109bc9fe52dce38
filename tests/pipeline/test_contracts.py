"""What every exchangeable part must do, whichever package it is of: one test for each kind."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from graphrag_tasks.core.config import (
    BudgetConfig,
    CommunitiesConfig,
    EmbedConfig,
    ExtractConfig,
    LanguageConfig,
    LlmConfig,
    LoadConfig,
    RerankConfig,
)
from graphrag_tasks.embed.protocol import EMBEDDERS
from graphrag_tasks.embed.stage import make_embedder
from graphrag_tasks.embed.vectors import open_vector_store
from graphrag_tasks.embed.vectors.vector_store import VECTOR_STORES, row_key
from graphrag_tasks.extract import EXTRACTORS, make_extractor
from graphrag_tasks.graph.communities import CitedSentence, CommunityContext, make_summarizer
from graphrag_tasks.graph.communities.summaries import SUMMARIZERS
from graphrag_tasks.llm import Client
from graphrag_tasks.retrieval import reranker as rerankers
from graphrag_tasks.storage.artifacts import Folder
from tests.embed.vectors.some_vectors import DIMENSION, vectors
from tests.llm.endpoint import scripted


@pytest.fixture
def client() -> Iterator[Client]:
    """Asks an endpoint that answers anything."""
    with scripted() as endpoint:
        yield Client(LlmConfig(base_url=endpoint.url, model="m", budget=BudgetConfig(usd=0)))


SENTENCES = ("The report ZSALES reads the table VBBS.", "", "It was replaced by VBBE in 2019.")


@pytest.mark.parametrize("name", EXTRACTORS.names)
def test_an_extractor_reads_each_sentence_by_itself(name: str) -> None:
    extractor = make_extractor(ExtractConfig(extractor=name), LanguageConfig())
    together = list(extractor.extract(SENTENCES))
    assert [bool(frames) for frames in together] == [True, False, True]
    assert list(extractor.extract([])) == []
    alone = [frames for one in SENTENCES for frames in extractor.extract([one])]
    assert alone == together
    assert {frame.extractor for frames in together for frame in frames} == {extractor.name}
    assert extractor.fingerprint == make_extractor(ExtractConfig(extractor=name), LanguageConfig()).fingerprint


@pytest.mark.parametrize("name", EMBEDDERS.names)
def test_an_embedder_gives_a_unit_vector_for_each_text(name: str, client: Client) -> None:
    embedder = make_embedder(EmbedConfig(embedder=name, dimensions=8), client)
    found = embedder.encode([*SENTENCES, SENTENCES[0]])
    assert found.shape == (4, embedder.dimension)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(found[0], found[3])
    assert np.allclose(embedder.encode([SENTENCES[2]])[0], found[2], atol=1e-6)
    assert embedder.encode([]).shape == (0, embedder.dimension)
    assert embedder.encode_detailed(["a", "a"]).unique == 1


@pytest.mark.parametrize("name", rerankers.RERANKERS.names)
def test_a_reranker_scores_each_passage_by_itself(name: str) -> None:
    reranker = rerankers.make_reranker(RerankConfig(reranker=name))
    passages = [rerankers.Passage("Reports", text) for text in (*SENTENCES, "word " * 500)]
    question = "What replaced VBBS in 2019?"
    together = reranker.scores(question, passages)
    assert together.argmax() == 2
    assert together.tolist() == [reranker.scores(question, [one])[0] for one in passages]
    assert len(reranker.scores(question, [])) == 0
    assert len(reranker.scores(question * 100, passages)) == 4
    assert len(reranker.fingerprint) == 64


@pytest.mark.parametrize("name", SUMMARIZERS.names)
def test_a_summarizer_writes_one_summary_for_each_community(name: str, client: Client) -> None:
    summarizer = make_summarizer(CommunitiesConfig(summarizer=name), client)
    sentence = CitedSentence("VBBE replaces VBBS.", "Cookbook", 2)
    small = CommunityContext(2, ("VBBS", "VBBE"), (), ())
    large = CommunityContext(9, ("VBBS",), ("VBBE replace VBBS",), (sentence,))
    found = summarizer.summarize([small, large])
    assert all(one.title and one.text for one in found)
    assert (summarizer.summarize([small]), summarizer.summarize([])) == (found[:1], [])


@pytest.mark.parametrize("name", sorted(set(VECTOR_STORES.names) - {"milvus"}))
def test_a_vector_store_holds_each_row_once_and_finds_it(name: str, tmp_path: Path) -> None:
    """The server is held to the same in `tests/services`."""
    store = open_vector_store(Folder(tmp_path), LoadConfig(vector_store=name))
    assert store is not None
    try:
        assert store.insert_new("chunk_a", vectors("a", "b", "c")) == 3
        assert store.insert_new("chunk_a", vectors("b", "d")) == 1
        hits = store.search("chunk_a", [1.0] * DIMENSION, 2)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert (store.dimension("chunk_a"), store.dimension("chunk_b")) == (DIMENSION, None)
        found = store.vectors("chunk_a", [row_key("id-b", "b"), "absent"])
        assert {key: list(one) for key, one in found.items()} == {
            row_key("id-b", "b"): vectors("a", "b")["vector"][1].as_py()
        }
        assert store.remove_others("chunk_a", {row_key("id-b", "b")}.__contains__) == 3
        assert [hit.id for hit in store.search("chunk_a", [1.0] * DIMENSION, 9)] == ["id-b"]
    finally:
        store.close()

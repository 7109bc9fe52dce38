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
    assert first.failure is None
    assert first.metrics == {
        "recall@2": 0.5,
        "recall@5": 1.0,
        "recall@10": 1.0,
        "all_gold@8": 1.0,
        "mrr@10": 1.0,
    }
    assert second.gold == ("a",)
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
    assert report.cost.wall_ms.mean >= 0
    assert report.cost.search_cpu_ms is None


def test_renderings(report: RetrievalReport) -> None:
    values = report.to_dict()
    assert json.loads(json.dumps(values)) == values
    assert values["snapshot_id"] == "snap"
    frame = report.to_frame()
    assert frame["recall@2"].tolist() == [0.5, 0.0]
    assert frame["ranking"].tolist() == [["a", "b", "c"], ["b", "c", "a"]]
    lines = report.to_markdown().splitlines()
    assert lines[4] == "| all | 2 | 0.250 | 1.000 | 1.000 | 1.000 | 0.667 | 0 | 0 | 0 |"
    assert lines[6].startswith("| single/x | 1 |")
    assert len({line.count("|") for line in lines[2:7]}) == 1


def test_a_question_without_its_gold_among_the_first_eight_fails() -> None:
    texts = [str(number) for number in range(20)]
    index = fake_index({"q?": [f"a/{one}" for one in range(20)]}, {"a": texts, "b": ["x"]})
    result = evaluate_retrieval(index, [question("q", "", "a", "b")], mode="dense").results[0]
    assert result.found_at == (1, None)
    assert result.failure == "ranking"


def test_asks_for_more_until_there_are_ten_documents() -> None:
    corpus = {f"p{number}": [str(one) for one in range(7)] for number in range(20)}
    chunks = [f"{path}/{one}" for path in corpus for one in range(7)]
    corpus["few"] = [str(one) for one in range(500)]
    index = FakeIndex(
        {"q?": chunks, "few?": [f"few/{one}" for one in range(500)]}, snapshot_of(corpus)
    )
    result = evaluate_retrieval(
        cast("Index", index), [question("q", "", "p9")], mode="dense"
    ).results[0]
    assert index.asked == [30, 30, 60, 120]
    assert result.ranking == tuple(corpus)[:10]
    few = evaluate_retrieval(
        cast("Index", index), [question("few", "", "p9")], mode="dense"
    ).results[0]
    assert few.ranking == ("few",)
    assert max(index.asked) == 960


def test_unknown_gold_ids_are_refused() -> None:
    index = FakeIndex({}, snapshot_of({"a": ["x"]}))
    with pytest.raises(ConfigError, match="'x' is no document of the index") as caught:
        evaluate_retrieval(cast("Index", index), [question("q", "", "a", "x", "y")])
    assert caught.value.where == "question q"
    assert index.asked == []


def test_no_questions_are_refused() -> None:
    with pytest.raises(ConfigError, match="no questions"):
        evaluate_retrieval(fake_index({}, {"a": ["x"]}), [])

"""The paired bootstrap, comparisons of modes, and what is written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from graphrag_tasks.workbench.evaluation import Comparison, Question, evaluate_retrieval, paired_bootstrap
from graphrag_tasks.workbench.evaluation.report import write_files
from tests.workbench.evaluation.fake_index import fake_index


def test_interval_and_p_are_those_of_the_normal_distribution_in_a_large_sample() -> None:
    generator = np.random.default_rng(7)
    other = generator.normal(size=2000)
    one = other + generator.normal(0.1, 1.0, size=2000)
    found = paired_bootstrap(one.tolist(), other.tolist())
    error = np.std(one - other) / np.sqrt(2000)
    assert found.low == pytest.approx(found.mean - 1.96 * error, abs=0.1 * error)
    assert found.high == pytest.approx(found.mean + 1.96 * error, abs=0.1 * error)
    assert found.p is not None and found.p < 0.001
    by_chance = generator.normal(size=2000)
    assert (paired_bootstrap(by_chance.tolist(), [0.0] * 2000).p or 0) > 0.05


@pytest.fixture
def comparison() -> Comparison:
    corpus = {name: ["text"] for name in "abcdefghijkl"}
    questions = [Question(id=name, question=name, type="t", gold_ids=(name,)) for name in "ab"]
    right = fake_index({"a": ["a/0"], "b": ["b/0"]}, corpus)
    wrong = fake_index({"a": ["c/0", "a/0"], "b": ["c/0"]}, corpus)
    reports = [evaluate_retrieval(right, questions, mode="dense"), evaluate_retrieval(wrong, questions, mode="bm25")]
    return Comparison.of(reports, "dense")


def test_differences_are_of_the_others_from_one(comparison: Comparison) -> None:
    assert list(comparison.differences) == ["bm25"]
    assert comparison.differences["bm25"]["recall@2"].mean == -0.5
    assert comparison.differences["bm25"]["mrr@10"].mean == -0.75
    values = comparison.to_dict()
    assert json.loads(json.dumps(values)) == values
    assert "| bm25 | -0.500 [-1.000, +0.000] |" in comparison.to_markdown()


def test_what_is_written(comparison: Comparison, tmp_path: Path) -> None:
    write_files(comparison.files(), tmp_path / "out")
    rows = pq.read_table(tmp_path / "out" / "results.parquet").to_pylist()
    assert [(row["mode"], row["id"]) for row in rows] == [("dense", "a"), ("dense", "b"), ("bm25", "a"), ("bm25", "b")]
    assert rows[2]["found_at"] == [2]
    assert rows[2]["wall_ms"] > 0
    assert (tmp_path / "out" / "results.md").read_text() == comparison.to_markdown()

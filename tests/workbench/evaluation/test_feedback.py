"""Judged answers: one line a question, read by evaluations where somebody said what answers it."""

import json
from pathlib import Path

import pytest

from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.workbench.evaluation import GoldSpan, read_questions
from graphrag_tasks.workbench.evaluation.gate import judge, judged_file, judgement_of
from tests.workbench.evaluation.test_gold_spans import gold


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "questions.jsonl"


def span() -> GoldSpan:
    return gold("MATDOC", "a.md", 53)


def test_the_last_judgement_of_a_question_counts(file: Path) -> None:
    judge(file, "Where lies stock?", "wrong", [])
    judge(file, "Who posts orders?", "right", [span()])
    judge(file, "where LIES  stock?", "right", [span()])
    assert [one.question for one in read_questions(file)] == ["Who posts orders?", "where LIES stock?"]
    judge(file, "Where lies stock?", "wrong", [])
    assert [one.question for one in read_questions(file)] == ["Who posts orders?"]
    assert len(file.read_text().splitlines()) == 2


def test_what_a_person_wrote_stays(file: Path) -> None:
    own = json.dumps({"id": "q1", "question": "Who?", "gold_ids": ["a.md"], "note": "ours"})
    file.write_text(f"{own}\n\n")
    judge(file, "Where lies stock?", "right", [span()])
    assert file.read_text().startswith(f"{own}\n\n")
    before = file.read_text()
    with pytest.raises(ConfigError, match="line 1: the question is there already"):
        judge(file, "who?", "wrong", [])
    assert file.read_text() == before
    assert judgement_of(file, "Who?") is None


def test_a_last_line_without_its_end_stays_a_line(file: Path) -> None:
    judge(file, "Where lies stock?", "right", [span()])
    file.write_text(file.read_text().rstrip("\n"))
    judge(file, "Who posts orders?", "right", [span()])
    assert len(read_questions(file)) == 2


def test_the_file_lies_in_a_local_store_or_where_the_setting_says(tmp_path: Path) -> None:
    config = load_config(overrides={"store": str(tmp_path)}, environ={})
    assert judged_file(config) == tmp_path / "questions.jsonl"
    named = {"store": "memory://x", "pages": {"questions": str(tmp_path / "own.jsonl")}}
    assert judged_file(load_config(overrides=named, environ={})) == tmp_path / "own.jsonl"
    config = load_config(overrides={"store": "memory://x"}, environ={})
    with pytest.raises(ConfigError, match=r"object store.*pages\.questions"):
        judged_file(config)

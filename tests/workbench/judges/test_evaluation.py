"""Answers judged from end to end: an index of three documents, and a scripted judge."""

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.llm import Client
from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.workbench.evaluation import read_questions
from graphrag_tasks.workbench.evaluation.gold import Gold, locate
from graphrag_tasks.workbench.evaluation.report import write_files
from graphrag_tasks.workbench.judges import Judge, evaluate_answers
from tests.corpora import made
from tests.llm.endpoint import scripted
from tests.workbench.judges.scripted_judges import first_place, honest, judge

HIDDEN = "The pump Zephyr needs 12 bar of pressure."
DOCUMENTS = {
    "tables.md": "# Tables\n\nThe table VBBE replaces the table VBBS in release 1511.\n",
    "reports.md": "# Reports\n\nThe report ZSALES does not read the table VBBS.\n",
    "board/pump.md": f"# Pump\n\n{HIDDEN}\n",
}
QUESTIONS = (
    ("q1", "Which table replaces VBBS?", "The table VBBE replaces the table VBBS.", "tables.md"),
    ("q2", "Which report does not read VBBS?", "The report ZSALES does not read it.", "reports.md"),
    ("q3", "How much pressure does the pump Zephyr need?", "It needs 12 bar.", "board/pump.md"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judged")
    made(folder, DOCUMENTS)
    lines = [
        json.dumps({"id": name, "question": asked, "answer": answer, "gold_ids": [path]})
        for name, asked, answer, path in QUESTIONS
    ]
    (folder / "questions.jsonl").write_text("\n".join(lines))
    return folder


@pytest.fixture(scope="module")
def index(folder: Path) -> Index:
    return open_index(folder / "store")


@pytest.fixture(scope="module")
def gold(folder: Path, index: Index) -> Gold:
    return locate(read_questions(folder / "questions.jsonl"), index.snapshot)


def test_without_a_model_gold_and_words_judge(index: Index, gold: Gold) -> None:
    report = evaluate_answers(index, gold, ["bm25", "auto"], against="bm25")
    found = report.to_dict()["modes"]["auto"]
    assert found["coverage"]["mean"] == found["answered"]["mean"] == 100
    assert found["citation_recall"]["mean"] == 100
    assert 0 < found["citation_precision"]["mean"] <= 100
    for figures in found.values():
        assert figures.get("low", 0) < figures.get("high", 1)
    gaps = report.to_dict()["differences"]["auto"]
    assert {gap["p"] for gap in gaps.values()} == {None}
    text = report.to_markdown()
    assert text.startswith("Judged without a model")
    assert "`auto` less `bm25`" in text


def test_a_judged_report_says_first_whether_the_judge_can_be_trusted(index: Index, gold: Gold, tmp_path: Path) -> None:
    for compare, said in ((honest, "passed its own check"), (first_place, "prefers a place")):
        with scripted(answer=judge(compare)) as endpoint:
            config = {"base_url": endpoint.url, "model": "m", "budget": {"usd": 0}}
            client = Client(LlmConfig.model_validate(config))
            report = evaluate_answers(index, gold, ["bm25", "auto"], against="bm25", judge=Judge(client))
        first = report.to_markdown().splitlines()[0]
        assert said in first
        if compare is first_place:
            assert "Do not rely on it" in first
    write_files(report.files(), tmp_path / "out")
    rows = pq.read_table(tmp_path / "out" / "answers.parquet").to_pylist()
    measures = {row["measure"] for row in rows}
    assert {"alignment", "faithfulness", "answer_relevancy", "context_precision", "coverage"} <= (measures)
    votes = [row for row in rows if row["measure"] == "alignment" and row["mode"] == "auto"]
    assert len(votes) == 3 * len(QUESTIONS)
    assert all(row["value"] is None or 0 <= row["value"] <= 1 for row in rows)
    assert "nan" not in (tmp_path / "out" / "answers.md").read_text().lower()


def test_what_must_not_be_sent_is_in_no_request(index: Index, gold: Gold) -> None:
    with scripted(answer=judge(honest)) as endpoint:
        config = {"base_url": endpoint.url, "model": "m", "budget": {"usd": 0}}
        report = evaluate_answers(
            index, gold, ["bm25", "auto"], against="bm25",
            judge=Judge(Client(LlmConfig.model_validate(config))), exclude=["board/**"],
        )  # fmt: skip
        sent = json.dumps(endpoint.bodies)
    assert endpoint.bodies
    assert "Zephyr" not in sent
    assert "12 bar" not in sent
    assert "q3" in report.modes[1].withheld
    assert "were not judged by the model" in report.to_markdown()


def test_the_command_prints_the_report_and_asks_nothing_twice(folder: Path, tmp_path: Path) -> None:
    asked = ["eval", "answers", "--questions", str(folder / "questions.jsonl")]
    asked += ["--store", str(folder / "store"), "--judge", "m", "--mode", "bm25"]
    with scripted(answer=judge(honest)) as endpoint:
        settings = tmp_path / "graphrag.toml"
        settings.write_text(f'[llm]\nbase_url = "{endpoint.url}"\nbudget.usd = 0\n')
        asked += ["--config", str(settings), "--out", str(tmp_path / "out")]
        prices = 'models.judge = "m"\nprices.m = {input = 1, output = 2}\n'
        settings.write_text(settings.read_text() + prices)
        first = CliRunner().invoke(app, asked)
        assert first.exit_code == 0, first.output
        requests = endpoint.requests
        told = re.search(r"asked for verdicts: (\d+) requests, .* for about 0\.\d+ USD", first.stderr)
        assert told and int(told[1]) >= requests > 0
        assert requests > 0
        again = CliRunner().invoke(app, asked)
        assert endpoint.requests == requests
    assert "Judge `m`" in first.stdout
    assert again.stdout == first.stdout
    assert (tmp_path / "out" / "answers.md").read_text("utf-8").strip() == first.stdout.strip()


def test_an_answer_that_a_model_wrote_is_compared_by_its_words(index: Index, gold: Gold) -> None:
    with scripted(answer=lambda _: "The table VBBE replaces the table VBBS [1].") as endpoint:
        config = {"base_url": endpoint.url, "model": "m", "budget": {"usd": 0}}
        writer = Client(LlmConfig.model_validate(config))
        report = evaluate_answers(index, gold, ["auto"], writer=writer)
    first = report.modes[0].unaided[0]
    assert (first.exact_match, first.word_f1) == (1, 1)
    assert report.modes[0].unaided[2].exact_match == 0
    quoted = evaluate_answers(index, gold, ["auto"]).modes[0]
    assert quoted.unaided[0].exact_match is None
    assert "exact_match" not in quoted.values()

"""Questions made from headings: gold that is found, and only of what a reader may see."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.retrieval.view.visibility import visible
from graphrag_tasks.storage.snapshots.store import Snapshot, Store
from graphrag_tasks.workbench.evaluation import Question, read_questions
from graphrag_tasks.workbench.evaluation.gold import locate
from graphrag_tasks.workbench.evaluation.made import make_questions
from graphrag_tasks.workbench.judges import evaluate_answers
from tests.corpora import made

DOCUMENTS = {
    "reports.md": "# Reports\n\nThe Stock Report starts the Delivery Monitor.\n\n"
    "## Importing the delivery notes\n\nOpen the menu of the Stock Report and choose the file. You "
    "can then select the shipping point and press the button to import the delivery notes.\n\n"
    "## Painting tools\n\nThe tools lie in the box. You can use each of them as long as you want, "
    "and put it back when you are done with it.\n",
    "board/pump.md": "# Pump\n\n## How to vent a `Zephyr | Pump`\n\nNo {code} is asked for, though "
    "you can open the valve of the pump and press the button until no air is left in it.\n\n"
    "## 1.2 Adding a Zephyr Pump\n\nChoose a place near the cooling circuit, open the valve, and "
    "press the button. You can then set the pressure to low, medium or high.\n",
    "LICENSE.md": "# License\n\n## Using the software\n\nYou can use the software as you choose, "
    "and you can copy it, open it and run it on each of your machines.\n",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(made(tmp_path_factory.mktemp("made"), DOCUMENTS).store)


@pytest.fixture(scope="module")
def snapshot(store: Path) -> Snapshot:
    return Store(str(store)).open()


def test_headings_that_say_what_to_do_are_asked_and_their_sections_are_found(snapshot: Snapshot) -> None:
    asked = make_questions(snapshot, 9)
    assert {one.question for one in asked} == {"How do I import the delivery notes?", "How do I add a Zephyr Pump?"}
    found = locate(asked, snapshot)
    assert (found.stale, found.moved) == ((), 0)
    assert all(all(target.chunks) for target in found.targets)
    assert [make_questions(snapshot, 1, seed) for seed in (0, 0)] == [asked[:1], asked[:1]]
    assert {make_questions(snapshot, 1, seed)[0].id for seed in range(9)} == {one.id for one in asked}


def test_a_reader_gets_questions_about_visible_documents_alone(tmp_path: Path) -> None:
    rules = [{"path": "board/**", "labels": ["board"]}]
    access = {"enabled": True, "default": ["public"], "rules": rules}
    snapshot = Store(made(tmp_path, DOCUMENTS, access=access).store).open()
    seen = make_questions(visible(snapshot, []))
    assert [one.question for one in seen] == ["How do I import the delivery notes?"]
    with pytest.raises(ConfigError, match="must be at least 1"):
        make_questions(snapshot, 0)


def test_without_questions_some_are_made_and_written(store: Path, tmp_path: Path) -> None:
    shown = CliRunner().invoke(app, ["eval", "retrieval", "--store", str(store), "--out", str(tmp_path), "--json"])
    assert shown.exit_code == 0, shown.output
    assert len(read_questions(tmp_path / "questions.jsonl")) == 2
    assert "paper" in shown.stdout
    for kind in ("retrieval", "answers"):
        none = CliRunner().invoke(app, ["eval", kind, "--questions", os.devnull, "--store", str(store)])
        assert "no questions to evaluate" in str(none.exception)


def test_unanswerable_questions_are_read_on_wish_and_judged_by_refusal(store: Path, tmp_path: Path) -> None:
    index = open_index(store)
    (known,) = make_questions(index.snapshot, 1)
    missing = Question(id="no", question="Which valve has the Boreas Fan?", answerable=False)
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(one.model_dump_json() for one in (known, missing)), "utf-8")
    assert read_questions(file, unanswerable=True) == [known, missing]
    assert read_questions(file) == [known]
    gold = locate([known], index.snapshot)
    report = evaluate_answers(index, gold, ["bm25"], unanswerable=[missing])
    found = report.to_dict()["modes"]["bm25"]
    assert (found["refused"]["answers"], found["coverage"]["answers"]) == (1, 1)
    assert "| refused |" in report.to_markdown()
    with pytest.raises(ValueError, match="not answerable has no gold"):
        Question.model_validate(known.model_dump() | {"answerable": False})

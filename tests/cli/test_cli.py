"""The command: what it prints for people and programs, and how it fails."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import graphrag_tasks
from graphrag_tasks.cli import app, main
from graphrag_tasks.core.errors import GraphragError
from graphrag_tasks.storage.snapshots.store import Store
from tests.llm.endpoint import scripted

RUNNER = CliRunner()


def run(*arguments: str | Path) -> str:
    result = RUNNER.invoke(app, [str(one) for one in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def run_json(*arguments: str | Path) -> Any:
    return json.loads(run(*arguments, "--json"))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of two small documents, made by the command itself."""
    folder = tmp_path_factory.mktemp("cli")
    (folder / "docs").mkdir()
    (folder / "docs" / "a.md").write_text("# Tables\n\nSAP replaced the table VBBS with VBBE.\n")
    (folder / "docs" / "b.txt").write_text("The report ZSALES reads the table VBBS.\n")
    config = folder / "graphrag.toml"
    config.write_text('[load]\nvector_store = "none"\n')
    made = run_json("index", folder / "docs", "--store", folder / "store", "--config", config)
    assert made["changed"] is True
    return folder / "store"


def test_commands_are_taken_as_they_are_guessed(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def typed(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["graphrag-tasks", *words])
        with pytest.raises(SystemExit):
            main()
        return "".join(capsys.readouterr())

    assert typed("help") == typed("--help")
    assert typed("help", "query") == typed("query", "--help")
    assert typed("version") == typed("--version")
    of = ("-s", str(store))
    question = ["What", "replaced", "the", "table", "VBBS?"]
    quoted = typed("answer", " ".join(question), "--store", str(store))
    assert "VBBE" in quoted and typed("answer", *question, *of, "-k", "5") == quoted
    assert "2. " not in typed("query", "table", "VBBS", "-k", "1", *of).partition("Relations")[0]
    assert typed("snapshots", *of) == typed("snapshots", "show", "--store", str(store))
    assert "Did you mean 'show'" in typed("snapshots", "shw", *of)
    assert "is now `graphrag-tasks doctor`" in typed("snapshots", "verify", *of)


def test_an_interrupted_command_says_so(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("graphrag_tasks.retrieval.open_index", interrupted)
    monkeypatch.setattr(sys, "argv", ["graphrag-tasks", "query", "x", "-s", str(store)])
    with pytest.raises(SystemExit, match="130"):
        main()
    assert capsys.readouterr().err == "Stopped. What was finished is kept.\n"


def test_another_folder_for_a_store_is_refused_with_the_command_that_has_both(store: Path, tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# Other\n\nThe pump feeds the tank.\n")
    refused = RUNNER.invoke(app, ["index", str(tmp_path), "--store", str(store)])
    assert "To replace: --allow-mass-delete" in str(refused.exception)
    both = str(refused.exception).partition("To have both: ")[2].partition(". To replace")[0]
    shown = RUNNER.invoke(app, [*shlex.split(both)[1:], "--dry-run"]).stdout
    for line in (r"^added +1 ", r"^removed +0"):
        assert re.search(line, shown, re.MULTILINE)


def test_graph_statistics_are_those_of_the_manifest_with_the_hubs(store: Path) -> None:
    figures = run_json("snapshots", "show", "--graph", "--store", store)
    shown = Store(str(store)).open().manifest.as_dict()
    hubs = figures.pop("hubs")
    assert figures == {name: shown["stats"]["counts"][name] for name in figures}
    assert hubs[0]["degree"] == figures["highest_degree"]
    assert "VBBE" in {hub["name"] for hub in hubs}
    assert "largest component share" in run("snapshots", "show", "--graph", "--store", store)


def test_query_shows_where_every_item_comes_from(store: Path) -> None:
    printed = run("query", "What replaced VBBS?", "--store", store)
    assert "docs/a.md" in printed
    assert "“SAP replaced the table VBBS with VBBE.”" in " ".join(printed.split())
    context = run_json("query", "What replaced VBBS?", "--store", store, "--mode", "dense")
    assert context["mode"] == "dense"
    assert {"chunks", "relations", "entity"} <= set(context)


def test_answer_quotes_and_a_model_is_asked_only_with_llm(store: Path, tmp_path: Path) -> None:
    text = "SAP replaced the table VBBS with VBBE [1]. SAP replaced 7 tables [1]."
    with scripted(answer=lambda _: text) as endpoint:
        config = tmp_path / "graphrag.toml"
        config.write_text(f'[llm]\nbase_url = "{endpoint.url}"\nmodel = "m"\n[llm.prices.m]\ninput = 1\n')
        asked = ("answer", "What replaced VBBS?", "--store", store, "--config", config)
        quoted = run_json(*asked)
        assert (quoted["model"], endpoint.requests) == (None, 0)
        written = run_json(*asked, "--llm")
        assert (written["model"], endpoint.requests) == ("m", 1)
        problems = [one["problem"] for one in written["sentences"]]
        assert problems == [None, "the number 7 is not in its source"]
        printed = " ".join(run(*asked, "--llm").split())
        assert "(to be checked: the number 7 is not in its source)" in printed
        assert "Written by m for 0.0000 USD" in printed
        assert endpoint.requests == 1
        cheap = run_json(*asked[:1], "What did SAP replace?", *asked[2:], "--llm", "--max-usd", 0)
        assert (cheap["model"], endpoint.requests) == (None, 1)


def test_a_follow_up_says_how_it_was_asked(store: Path) -> None:
    asked = ("answer", "And what replaced it?", "--store", store, "--after", "Who reads VBBS?")
    assert run_json(*asked)["asked_as"] == "What replaced VBBS?"
    assert "Asked as: “What replaced VBBS?”" in run(*asked)


def test_snapshots_are_listed_and_shown_with_every_hash(store: Path) -> None:
    (listed,) = run_json("snapshots", "--store", store)
    assert (listed["current"], listed["documents"]) == (True, 2)
    shown = run_json("snapshots", listed["snapshot_id"], "--store", store)
    assert shown["tables"]["documents"]["rows"] == 2
    assert all(len(table["sha256"]) == 64 for table in shown["tables"].values())
    printed = run("snapshots", listed["snapshot_id"], "--store", store)
    assert all(name in printed for name in ("documents", "evidence", "relation_vectors"))


def test_extract_shows_frames(tmp_path: Path) -> None:
    file = tmp_path / "sentences.txt"
    file.write_text("The company bought two stores .\nHello .\n")
    frames = run_json("extract", "--text", file)
    assert [len(one["frames"]) for one in frames] == [1, 0]
    assert "svo" in run("extract", "--text", file)


def test_eval_retrieval_on_passages(tmp_path: Path) -> None:
    (tmp_path / "passages.jsonl").write_text(
        "\n".join(
            json.dumps({"id": f"p{place}", "title": name, "text": f"{name} is a {kind}."})
            for place, (name, kind) in enumerate(
                [("Berlin", "city in Germany"), ("Paris", "city in France"), ("Tea", "drink")]
            )
        )
    )
    (tmp_path / "questions.jsonl").write_text(
        json.dumps({"id": "q", "question": "Which city lies in France?", "answer": "Paris",
                    "type": "single", "gold_titles": ["Paris"], "gold_ids": ["p1"]})
    )  # fmt: skip
    store, out = tmp_path / "store", tmp_path / "out"
    found = run_json(
        "eval", "retrieval", "--passages", tmp_path / "passages.jsonl",
        "--questions", tmp_path / "questions.jsonl", "--mode", "dense", "--against", "paper",
        "--store", store, "--out", out,
    )  # fmt: skip
    assert list(found["modes"]) == ["paper", "dense"]
    assert found["modes"]["dense"]["overall"]["metrics"]["recall@2"] == 1
    assert found["modes"]["dense"]["overall"]["cpu_ms"] >= 0
    assert found["differences"]["dense"]["mrr@10"]["p"] is None  # of one pair
    assert (out / "results.parquet").exists()
    again = run("eval", "retrieval", "--questions", tmp_path / "questions.jsonl", "--store", store)
    assert "Mode `paper`" in again


def test_doctor_names_what_is_missing_and_the_fix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHRAG__LANGUAGE__MODEL", "en_core_web_missing")
    result = RUNNER.invoke(app, ["doctor", "--store", str(tmp_path), "--json"])
    assert result.exit_code == 1
    (failed,) = [check for check in json.loads(result.stdout) if not check["ok"]]
    assert failed["name"] == "spaCy model"
    assert "spacy download en_core_web_missing" in failed["fix"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["query", "x", "--store", "absent"], "nothing is published here"),
        (["index", "absent-folder"], "the source does not exist"),
        (["extract", "--text", "absent.txt"], "cannot be read"),
        (["eval", "retrieval", "--questions", "absent.jsonl"], "there is nothing to search"),
    ],
)
def test_errors_are_raised_by_name(arguments: list[str], said: str) -> None:
    with pytest.raises(GraphragError, match=said):
        RUNNER.invoke(app, arguments, catch_exceptions=False)


def test_an_error_is_one_line_and_a_status_of_one(tmp_path: Path) -> None:
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "graphrag_tasks", "query", "x", "--store", str(tmp_path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "-m graphrag_tasks index FOLDER --store" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_document_is_printed_in_each_form(store: Path) -> None:
    text = run("documents", "docs/a.md", "--store", store)
    assert text == "# Tables\n\nSAP replaced the table VBBS with VBBE.\n"
    document = ("documents", "docs/a.md", "--store", store, "--as")
    assert [block["kind"] for block in json.loads(run(*document, "blocks"))] == ["title", "paragraph"]


def test_a_whole_graph_is_exported_for_graph_databases(store: Path, tmp_path: Path) -> None:
    run("export", tmp_path / "out", "--format", "csv", "--store", store)
    rows = (tmp_path / "out" / "nodes.csv").read_text("utf-8").splitlines()
    figures = run_json("snapshots", "show", "--graph", "--store", store)
    assert len(rows) == figures["nodes"] + 1
    relations = (tmp_path / "out" / "relationships.csv").read_text("utf-8").splitlines()
    assert len(relations) == figures["entity_relations"] + 1


def test_only_facts_are_exported_unless_all_relations_are_asked_for(store: Path, tmp_path: Path) -> None:
    kinds = Store(str(store)).open().table("relations", ["kind"])["kind"].to_pylist()
    for options, wanted in ((), kinds.count("fact")), (("--all-relations",), len(kinds)):
        run("export", tmp_path / "graph.json", *options, "--store", store)
        assert len(json.loads((tmp_path / "graph.json").read_text("utf-8"))["edges"]) == wanted


def test_an_export_that_cannot_be_says_what_can(store: Path, tmp_path: Path) -> None:
    for arguments, words in (
        (["x.doc"], "Name one by --format"),
        (["x.html", "--entity", "VBBX"], "Did you mean 'vbbe'?"),
        (["x.html", "--community", "nothing"], "there is no community"),
        (["x.html", "--community", "a", "--entity", "b"], "choose one part"),
    ):
        with pytest.raises(GraphragError) as caught:
            run("export", tmp_path / arguments[0], *arguments[1:], "--store", store)
        assert words in str(caught.value)


def test_the_version_is_printed() -> None:
    found = CliRunner().invoke(app, ["--version"])
    assert (found.exit_code, found.output) == (0, f"graphrag-tasks {graphrag_tasks.__version__}\n")

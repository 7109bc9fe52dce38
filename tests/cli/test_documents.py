"""`documents`: what became of each file, in words and as JSON."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable

import pytest
from typer.testing import CliRunner, Result

from graphrag_tasks.cli import app

MIXED = {
    "good.md": b"# Tables\n\nSAP replaced the table VBBS with VBBE.\n<!-- 1 -->\n\n<!-- 2 -->\n",
    "mail/a.pst": b"Subject: x\n\nText.\n",
    "mail/b.pst": b"Subject: y\n\nText.\n",
    "memo.rtf": b"{\\rtf1 The pump feeds it.}",
    "letter.doc": b"PK",
    "plan.png": b"\x89PNG",
    "program": b"\x7fELF\x00",
    "empty.txt": b"",
    "broken.pdf": b"%PDF-1.4 nothing",
}
Command = Callable[..., Result]


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Command:
    folder = tmp_path_factory.mktemp("mixed")
    for name, data in MIXED.items():
        file = folder / "files" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    environment = {
        "GRAPHRAG__LOAD__VECTOR_STORE": "none",
        "GRAPHRAG__MERGE_SHARDS__MAX_FAILED_SHARE": "1",
        "COLUMNS": "80",
    }
    store = ["--store", str(folder / "store")]

    def command(*words: str) -> Result:
        return CliRunner().invoke(app, [*words, *store], env=environment)

    made = CliRunner().invoke(app, ["index", str(folder / "files"), *store, "--workers", "1"], env=environment)
    assert made.exit_code == 0, made.output
    assert "Documents that were not read as a whole" in made.stdout
    planned = CliRunner().invoke(app, ["index", "--dry-run", str(folder / "files"), *store], env=environment)
    assert "not read: 2 .pst, 1 .doc, 1 .png, 1 .rtf, 1 no ending" in " ".join(planned.stdout.split())
    assert re.search(r"^added +0", planned.stdout, re.MULTILINE)
    return command


def test_documents_are_listed_failed_ones_first_and_not_all_of_many(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = command("documents").stdout
    order = re.findall(r"  (failed|empty|skipped|parsed)  ", printed)
    assert order == ["failed", "empty", *["skipped"] * 6, "parsed"]
    assert max(map(len, printed.splitlines())) <= 80
    assert re.search(r"  md\s+parsed\s+1  ", printed)
    assert "more" not in printed
    monkeypatch.setattr("graphrag_tasks.cli.documents._MOST_LISTED", 1)
    printed = command("documents").stdout
    assert f"{len(MIXED)} documents of" in printed and f"and {len(MIXED) - 1} more" in printed
    assert "  failed  " in printed and "  parsed  " not in printed


def test_problems_come_by_kind_with_what_to_do(command: Command) -> None:
    text = command("documents", "--problems").stdout
    assert "good.md" not in text
    assert re.search(r"Left out of documents\s+part +documents +parts\s+─+\s+comment +1 +2", text)
    assert text.index("failed, pdf: 1 (broken)") < text.index("skipped, .pst: 2 (unknown_type)")
    for kind, advice in (
        (".pst", "Save each message"), (".doc", "soffice --headless --convert-to docx"), (".rtf", "--convert-to docx"),
        (".png", "Put it into a PDF"), ("no ending", "If it holds text"),
    ):  # fmt: skip
        part = text.partition(f"skipped, {kind}:")[2].partition("skipped,")[0]
        assert advice in " ".join(part.split()), kind
    few = command("documents", "--problems", "--names", "1").stdout
    assert "and 1 more" in few and "b.pst" not in few


def test_programs_read_json(command: Command) -> None:
    every = json.loads(command("documents", "--json").stdout)
    some = json.loads(command("documents", "--json", "--problems").stdout)
    assert len(every) == len(MIXED)
    assert every[-1]["encoding"] == "utf-8" and every[0]["encoding"] is None
    assert [one for one in every if one["status"] != "parsed"] == some
    assert {one["kind"] for one in some} >= {".pst", ".doc", ".png", "no ending", "pdf", "txt"}


def test_the_next_command_runs_as_it_is_printed(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    again = command("index", "--workers", "1")
    hint = again.stdout.rpartition("what to do: ")[2].splitlines()[0]
    words = shlex.split(hint)[1:]
    assert "--store" in words
    typed = CliRunner().invoke(app, words, env={"COLUMNS": "80"})
    assert "failed, pdf: 1 (broken)" in typed.stdout


def test_a_store_takes_its_own_sources_again_and_says_which(command: Command) -> None:
    assert "the store's own are taken again, files=" in command("index", "--dry-run").stderr
    share = {"GRAPHRAG__SOURCES": '["/none"]'}
    named = CliRunner().invoke(app, ["index", "--dry-run", "--store", "x"], env=share)
    assert "/none: the source does not exist" in str(named.exception)
    none = CliRunner().invoke(app, ["index", "--dry-run", "--store", "not-there"])
    assert "no source is named" in str(none.exception)
    assert "index FOLDER --store not-there" in str(none.exception)

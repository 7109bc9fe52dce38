"""Each command, given what cannot be: one line says what, where and what to do."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from graphrag_tasks.cli import app, main

NOT_THERE = "not-there"
STORE = ("--store", NOT_THERE)
NOTHING = "not-there: nothing is published here. Index documents first"
NO_SOURCE = "not-there: the source does not exist. Nothing was changed. Check the path"
NO_FILE = "No such file"
WRONG: dict[str, tuple[tuple[str, ...], str]] = {
    "try": ((NOT_THERE, *STORE, "--no-open"), NO_SOURCE),
    "index": ((NOT_THERE, *STORE), NO_SOURCE),
    "query": (("What?", *STORE), NOTHING),
    "answer": (("What?", *STORE), NOTHING),
    "serve": (("--config", "no.toml"), "no.toml: the configuration file does not exist"),
    "mcp": (STORE, NOTHING),
    "extract": (("--text", NOT_THERE), NO_FILE),
    "adapt": (("--questions", "q.jsonl", "--out", "models", *STORE), NOTHING),
    "export": (("graph.docx", *STORE), "the file's ending names no format"),
    "spending": (STORE, NOTHING),
    "doctor": (("--config", "no.toml"), "no.toml: the configuration file does not exist"),
    "eval retrieval": ((), "Give --passages or --store"),
    "eval answers": (("--questions", "q.jsonl", *STORE), NO_FILE),
    "snapshots show": (STORE, NOTHING),
    "snapshots rollback": (STORE, NOTHING),
    "snapshots gc": (STORE, NOTHING),
    "documents": (STORE, NOTHING),
    "changes": (STORE, NOTHING),
    "entities": (("VBBE", "--merge", "VBBS"), "resolve.overrides"),
    "ontology": (STORE, NOTHING),
}
"""Arguments of each command, and what its error must say."""


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name))


def test_each_command_has_an_error_here() -> None:
    assert set(WRONG) == set(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("command", WRONG)
def test_what_cannot_be_is_one_line(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, expected = WRONG[command]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["graphrag-tasks", *command.split(), *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert ended.value.code in (1, 2)
    assert printed.out == ""
    lines = printed.err.splitlines()
    assert lines[-1].startswith("error: ")
    assert sum(line.startswith("error: ") for line in lines) == 1
    assert expected in lines[-1]
    assert not list(tmp_path.iterdir())


def complained(line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.setattr(sys, "argv", ["graphrag-tasks", *line.split()])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert ended.value.code in (1, 2), line
    return printed.err or printed.out


@pytest.mark.parametrize("command", WRONG)
def test_no_command_fails_in_silence(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = command.split()
    odd = complained(f"{command} --no-such-option", monkeypatch, capsys)
    assert "No such option: --no-such-option" in odd
    assert f"'graphrag-tasks {command} --help'" in odd
    unknown = complained(" ".join([*path[:-1], f"{path[-1]}x"]), monkeypatch, capsys)
    assert f"Did you mean '{path[-1]}'?" in unknown or "-x" in command


def test_a_group_alone_prints_its_commands(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for group in ("", "snapshots", "eval"):
        assert "Commands" in complained(group, monkeypatch, capsys)


@pytest.mark.parametrize(
    ("typed", "meant"), [("serach", "query"), ("search", "query"), ("ask", "answer"), ("snapshot", "snapshots")]
)
def test_the_right_neighbour_of_a_mistyped_command_is_named(
    typed: str, meant: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"Did you mean '{meant}'?" in complained(f"{typed} x", monkeypatch, capsys)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("index --dry-run https://e.org/a --store s", "Download it into a folder"),
        ("index --dry-run ~/none --store=~/s", "/home-of-test/none: the source does not exist"),
        ("serve --store not-there", "not-there: nothing is published here"),
    ],
)
def test_odd_places_are_told_with_the_next_step(
    line: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", "/home-of-test")
    assert said in complained(line, monkeypatch, capsys)

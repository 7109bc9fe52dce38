"""What is printed never moves a terminal, and never decides how a command ends."""

import io
import json
import logging
import os
import random
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.panel import Panel

from graphrag_tasks.cli import main
from graphrag_tasks.cli.output import TerminalConsole, table
from graphrag_tasks.core.visible import VisibleFormatter

HOSTILE = "a\x1b]0;pwned\x07\x1b[2J\u202egpj.md"
SIGNS = [*map(chr, range(32)), "\x7f", "\x9b", "\u202e", "\u2066", "\u200f", "\u061c", "\u2028"]
ENCODINGS = ("ascii", "latin-1", "utf-8", "cp1252")
CASES = 13  # Each command once.

MANY_CASES = 2000


def is_harmless(text: str) -> bool:
    kept = text.replace("\n", "").replace("\t", "")
    is_sign = [unicodedata.category(one) in ("Cc", "Zl", "Zp", "Cs") for one in kept]
    return not any(is_sign) and not {*kept} & {*"\u061c\u200e\u200f\u202a\u202e\u2066\u2069"}


class Gone(io.RawIOBase):
    """A pipe whose reader has gone."""

    def writable(self) -> bool:
        return True

    def write(self, _: object) -> int:
        raise BrokenPipeError


def stream(encoding: str, raw: io.RawIOBase | io.BytesIO) -> io.TextIOWrapper:
    return io.TextIOWrapper(raw, encoding=encoding, write_through=True)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store, documents of hostile names, and settings."""
    folder = tmp_path_factory.mktemp("terminal")
    (folder / "docs").mkdir()
    (folder / "docs" / HOSTILE).write_text("SAP replaced the table VBBS with VBBE.\n")
    (folder / "docs" / os.fsdecode(b"\xff\x1b.txt")).write_text("ZSALES reads the table VBBS.\n")
    (folder / "docs" / f"{HOSTILE}.access.yaml").write_text("labels: hr")
    (folder / "graphrag.toml").write_text(
        '[load]\nvector_store = "none"\n[access]\nenabled = true\ndefault = ["public"]\n'
    )
    with pytest.MonkeyPatch.context() as patch:
        index = ["index", *places(folder)]
        code, _, told = ran(patch, index, columns=3, encoding="ascii")
    assert code == 0, told
    return folder


def places(folder: Path) -> list[str]:
    settings = ["--store", str(folder / "store"), "--config", str(folder / "graphrag.toml")]
    return [f"docs={folder / 'docs'}", *settings]


Case = tuple[int, list[str]]


def commands(folder: Path) -> list[Case]:
    """Return commands with the exit code that each has to end with."""
    place = ["--store", str(folder / "store")]
    return [
        (0, ["index", "--dry-run", *places(folder)]),
        (0, ["index", "--dry-run", *places(folder), "--access"]),
        (0, ["index", "--dry-run", *places(folder), "--json", "--access"]),
        (0, ["snapshots", *place]),
        (0, ["snapshots", "show", "--summary", *place]),
        (0, ["snapshots", "show", "--graph", *place]),
        (0, ["documents", r"docs/./\xff" + "\x1b.txt", *place]),
        (0, ["index", "--dry-run", "--help"]),
        (1, ["documents", HOSTILE, *place]),
        (1, ["index", "--dry-run", HOSTILE, *place]),
        (2, ["index", "--dry-run", f"--{HOSTILE}"]),
        (2, [HOSTILE]),
        (2, []),
    ]


def ran(
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    columns: int = 80,
    encoding: str = "utf-8",
    *,
    is_gone: bool = False,
) -> tuple[object, str, str]:
    """Run a command in this process, and return how it ended and what it printed."""
    out, err = (Gone() if is_gone else io.BytesIO() for _ in range(2))
    with monkeypatch.context() as patch:
        patch.setenv("COLUMNS", str(columns))
        patch.setattr(sys, "argv", ["graphrag-tasks", *arguments])
        patch.setattr(sys, "stdout", stream(encoding, out))
        patch.setattr(sys, "stderr", stream(encoding, err))
        with pytest.raises(SystemExit) as ended:
            main()
        for held in (sys.stdout, sys.stderr):
            held.detach()  # type: ignore[attr-defined]  # else it is flushed once more
    printed = [raw.getvalue().decode(encoding) if isinstance(raw, io.BytesIO) else "" for raw in (out, err)]
    case = (arguments, columns, encoding, is_gone)
    for text in printed:
        assert is_harmless(text), (case, text)
        assert "Traceback" not in text, (case, text)
    return ended.value.code, printed[0], printed[1]


def run_cases(folder: Path, monkeypatch: pytest.MonkeyPatch, cases: int) -> None:
    rng = random.Random(cases)
    listed = commands(folder)
    for number in range(cases):
        wanted, arguments = listed[number % len(listed)]
        columns, encoding, is_gone = rng.randint(1, 200), rng.choice(ENCODINGS), rng.random() < 0.2
        code, out, _ = ran(monkeypatch, arguments, columns, encoding, is_gone=is_gone)
        assert code == wanted, (arguments, columns, encoding, is_gone)
        if "--json" in arguments and not is_gone:
            assert f"docs/{HOSTILE}" in [one["uri"] for one in json.loads(out)["access"]]


def test_commands_end_as_they_should_in_any_terminal(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_cases(store, monkeypatch, CASES)


@pytest.mark.slow
def test_many_commands_end_as_they_should_in_any_terminal(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_cases(store, monkeypatch, MANY_CASES)


def test_a_program_shows_hostile_names_in_output_log_and_errors(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = ["--store", str(store / "store")]
    query = ["query", "What reads VBBS?", *place, "--as", "x", "--mode", "bm25"]
    code, out, _ = ran(monkeypatch, query, columns=7)
    assert (code, r"\u001b.txt" in out) == (0, True)
    code, _, err = ran(monkeypatch, ["index", "--dry-run", f"--{HOSTILE}"])
    assert (code, r"\u001b[2J" in err) == (2, True)
    code, _, err = ran(monkeypatch, ["index", "--dry-run", HOSTILE, *place])
    assert (code, r"error: a\u001b]0;pwned" in err) == (1, True)


def test_a_reader_that_goes_away_costs_nothing(store: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "graphrag_tasks", "index", "--dry-run", "--json", *places(store)],
        stdout=writing, stderr=subprocess.PIPE, text=True, check=False,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    os.close(writing)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_every_renderable_is_harmless_and_fits() -> None:
    rng = random.Random(7)
    shapes: tuple[Callable[[str], object], ...] = (
        lambda text: table(text, (text, "b"), [(text, 1), (text, None)]),
        lambda text: Panel(text, title=text, subtitle=text),
        lambda text: text,
    )
    for _ in range(200):
        text = "".join(rng.choices([*SIGNS, "a", " ", "“", "漢", "\ud800"], k=rng.randint(0, 30)))
        raw, encoding = io.BytesIO(), rng.choice(ENCODINGS)
        console = TerminalConsole(file=stream(encoding, raw))
        console.print(rng.choice(shapes)(text))
        assert is_harmless(raw.getvalue().decode(encoding))


def test_a_record_of_the_log_is_one_line_with_its_traceback_below() -> None:
    formatter = VisibleFormatter("%(levelname)s: %(message)s")
    name = "a\nERROR: forged\x1b[2J"
    record = logging.LogRecord("x", logging.WARNING, "", 0, "cannot read %s", (name,), None)
    assert formatter.format(record) == "WARNING: cannot read a\\nERROR: forged\\u001b[2J"
    try:
        raise ValueError("x\u202e")
    except ValueError:
        record.exc_info = sys.exc_info()
    lines = formatter.format(record).splitlines()
    assert lines[1].startswith("Traceback")
    assert lines[-1] == "ValueError: x\\u202e"

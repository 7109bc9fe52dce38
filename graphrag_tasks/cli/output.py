"""Output of the commands: JSON for programs, tables for people."""

from __future__ import annotations

import difflib
import json
import logging
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import typer
from rich.box import SIMPLE_HEAD
from rich.console import JustifyMethod
from rich.markup import escape
from rich.table import Table

from graphrag_tasks.cli.terminal import PlainStream, TerminalConsole, plain_output
from graphrag_tasks.core.commands import command
from graphrag_tasks.core.counted import counted
from graphrag_tasks.core.errors import ConfigError, GraphragError
from graphrag_tasks.core.extras import as_missing
from graphrag_tasks.core.ids import is_id

if TYPE_CHECKING:
    from graphrag_tasks.storage.snapshots.manifests import Manifest


log = logging.getLogger(__name__)

CONSOLE = TerminalConsole()
ERRORS = TerminalConsole(stderr=True)

_UsageError: type[Exception] = typer.BadParameter.__bases__[0]
_INTERRUPTED = 130  # by Ctrl-C, as shells have it
_NO_COMMAND = re.compile(r"No such command '([^']*)'")
_ALSO_CALLED = {"search": "query", "ask": "answer", "build": "index", "run": "index", "ui": "serve"}
"""Other programs' names for our commands; chosen."""


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Convert system errors to a `ConfigError` that names the file."""
    try:
        yield
    except OSError as error:
        what = f"cannot be written: {error.strerror or error}"
        hint = "Name a file in a folder that is there and may be written to"
        raise ConfigError(what, str(target), hint) from error


def print_json(value: object) -> None:
    """Write a value to standard output as JSON."""
    print_text(json.dumps(value, indent=2, ensure_ascii=not _has_all_characters(sys.stdout)))


def print_text(text: str) -> None:
    """Write lines to standard output, with control characters escaped."""
    stream = PlainStream(getattr(sys.stdout, "rich_proxied_file", sys.stdout))
    stream.write(f"{text}\n")
    stream.flush()


def _has_all_characters(stream: TextIO) -> bool:
    return (stream.encoding or "utf-8").lower().startswith("utf")


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """Return a table; numbers are right-aligned, text is not interpreted, ids are not wrapped."""
    rows = [list(row) for row in rows]
    made = Table(
        title=title, title_justify="left", title_style="bold", min_width=len(title),
        box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False, show_edge=False, collapse_padding=True,
    )  # fmt: skip
    for place, name in enumerate(columns):
        values = [row[place] for row in rows]
        numeric = bool(rows) and all(isinstance(value, int | float) for value in values)
        whole = any(isinstance(value, str) and is_id(value) for value in values)
        justify: JustifyMethod = "right" if numeric else "left"
        made.add_column(name, justify=justify, overflow="fold", no_wrap=whole)
    for row in rows:
        made.add_row(*(_cell(value) for value in row))
    return made


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.3f}" if abs(value) < 1 else f"{value:,.1f}"
    return escape(str(value))


def print_summary(manifest: Manifest) -> None:
    """Print the contents of a snapshot, and each stage's cost."""
    from graphrag_tasks.storage.snapshots.publish import reading

    counts: Mapping[str, Any] = manifest.stats.get("counts", {})
    words = json.loads(files(__package__).joinpath("counts.json").read_text("utf-8"))
    shown = [(said, counts[name]) for name, said in words.items() if counts.get(name)]
    CONSOLE.print(table(f"Snapshot {manifest.snapshot_id}", ("what", "rows"), shown))
    if llm := manifest.stats.get("llm"):
        CONSOLE.print(f"{reading(llm)}.")
    stages = [
        (stage["stage"], stage["tasks"], float(stage["seconds"]),
         stage["peak_memory_bytes"] // 1_000_000)
        for stage in manifest.stats.get("stages", [])
    ]  # fmt: skip
    title = "What each stage cost (seconds summed over its tasks)"
    CONSOLE.print(table(title, ("stage", "tasks", "seconds", "peak memory MB"), stages))


_LINES = (
    ("documents", "documents_failed", "pages", "chunks"),
    ("sentences", "sentences_kept", "triples"),
    ("entities", "relations", "communities"),
)
"""The most important counts of a new snapshot, by line."""


def print_result(manifest: Manifest) -> None:
    """Print the contents of a snapshot in three lines, and the next commands.

    With `--verbose` all counts and stage costs come first.
    """
    if log.isEnabledFor(logging.INFO):
        print_summary(manifest)
    counts: Mapping[str, Any] = manifest.stats.get("counts", {})
    words = json.loads(files(__package__).joinpath("counts.json").read_text("utf-8"))
    CONSOLE.print(f"Snapshot {manifest.snapshot_id}", highlight=False)
    for names in _LINES:
        said = ", ".join(counted(counts[name], words[name]) for name in names if counts.get(name))
        if said:
            CONSOLE.print(f"  {said}", highlight=False)
    for what, line in (
        ("Ask", command("answer", "YOUR QUESTION")),
        ("Look at answers, documents and the graph", command("serve", "--open")),
    ):
        CONSOLE.print(f"{what}: {line}", markup=False, highlight=False, soft_wrap=True)


def report_errors(run: Callable[..., int | None]) -> None:
    """Run the commands; print an error of the package or the system as one line."""
    with plain_output():
        sys.exit(_reported(run))


def _reported(run: Callable[..., int | None]) -> int:
    try:
        code = copy_context().run(run, standalone_mode=False) or 0
        if code == _INTERRUPTED:
            ERRORS.print("Stopped. What was finished is kept.")
        return code
    except _UsageError as error:
        _print_usage(error)
        return 2
    except typer.Abort:
        ERRORS.print("Aborted.")
        return 1
    except ModuleNotFoundError as error:
        missing = as_missing(error)
        if missing is None:
            raise
        _print_error(str(missing))
        return 1
    except (GraphragError, OSError) as error:
        text = str(error)
        if isinstance(error, OSError):
            log.info("where it was raised", exc_info=error)
            text = ": ".join(str(one) for one in (error.filename, error.strerror or error) if one)
        _print_error(text)
        return 1


def _print_error(text: str) -> None:
    line = f"[bold red]error:[/] {escape(' '.join(text.split()))}"
    ERRORS.print(line, markup=True, highlight=False, soft_wrap=True)


def _print_usage(error: Any) -> None:  # noqa: ANN401 - an error of typer's, whose class is its own
    said = error.format_message()
    if not said:  # the page of --help was printed instead
        return
    if unknown := _NO_COMMAND.match(said):
        said = f"{unknown[0]}. {_neighbour(unknown[1], error.ctx.command.commands)}"
    if error.ctx is not None:
        ERRORS.print(escape(error.ctx.get_usage()), highlight=False, soft_wrap=True)
        hint = f"Try '{error.ctx.command_path} --help' for help."
        ERRORS.print(hint, markup=False, highlight=False, soft_wrap=True)
    line = f"[bold red]error:[/] {escape(' '.join(said.split()))}"
    ERRORS.print(line, highlight=False, soft_wrap=True)


def _neighbour(unknown: str, commands: Mapping[str, object]) -> str:
    known = {name: name for name in commands}
    known |= {other: name for other, name in _ALSO_CALLED.items() if name in commands}
    near = difflib.get_close_matches(unknown, known, n=1)
    return f"Did you mean '{known[near[0]]}'?" if near else f"Known here: {', '.join(commands)}"

"""What the commands print: JSON for programs, tables for people."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from graphrag_tasks.core.errors import ConfigError, GraphragError
from graphrag_tasks.snapshots.manifests import Manifest
from graphrag_tasks.snapshots.summary import reading

log = logging.getLogger(__name__)

CONSOLE = Console()
ERRORS = Console(stderr=True)


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Turn an error of the system into a `ConfigError` that names the file."""
    try:
        yield
    except OSError as error:
        what = f"cannot be written: {error.strerror or error}"
        hint = "Name a file in a folder that is there and may be written to"
        raise ConfigError(what, str(target), hint) from error


def print_json(value: object) -> None:
    """Write a value to standard output as JSON."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """Return a table; numbers are set to the right, text is shown as it is."""
    rows = [list(row) for row in rows]
    made = Table(title=title, title_justify="left", title_style="bold", min_width=len(title))
    for place, name in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[place], int | float) for row in rows)
        made.add_column(name, justify="right" if numeric else "left", overflow="fold")
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
    """Print what a snapshot holds and what each stage cost."""
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


def report_errors(run: Callable[[], None]) -> None:
    """Run a command; print an error of the project, or of the system, as one line."""
    try:
        run()
    except (GraphragError, OSError) as error:
        text = str(error)
        if isinstance(error, OSError):
            log.info("where it was raised", exc_info=error)
            text = ": ".join(str(one) for one in (error.filename, error.strerror or error) if one)
        line = f"[bold red]error:[/] {escape(' '.join(text.split()))}"
        ERRORS.print(line, markup=True, highlight=False, soft_wrap=True)
        raise SystemExit(1) from error

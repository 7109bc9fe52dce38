"""Output of the commands: JSON for programs, tables and progress for people, in terminals of any width and encoding."""

from __future__ import annotations

import difflib
import io
import json
import logging
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import copy_context
from datetime import timedelta
from importlib.resources import files
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TextIO, cast

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleDimensions, ConsoleOptions, JustifyMethod, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from graphrag_tasks.core import progress
from graphrag_tasks.core.commands import as_missing, command
from graphrag_tasks.core.errors import ConfigError, GraphragError
from graphrag_tasks.core.ids import is_id
from graphrag_tasks.core.visible import counted, visible

if TYPE_CHECKING:
    from graphrag_tasks.storage.snapshots.manifests import Manifest


_LEAST_COLUMNS, _MOST_COLUMNS = 40, 1000  # a table of nine columns needs some


class LenientStream:
    """A stream that escapes characters its encoding lacks, and ignores a closed reader."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text; if the reader is gone, do nothing."""
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        with self._reader_may_be_gone():
            self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        return len(text)

    def flush(self) -> None:
        """Flush the stream."""
        with self._reader_may_be_gone():
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the stream has
        if name == "buffer":  # Typer would write around this stream where that is ASCII
            raise AttributeError(name)
        return getattr(self._stream, name)

    @contextmanager
    def _reader_may_be_gone(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            # What is still in the stream's buffer would raise again when the program ends.
            with suppress(io.UnsupportedOperation, AttributeError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, self._stream.fileno())
                os.close(nowhere)


class PlainStream(LenientStream):
    """A stream for non-console output: control characters are escaped."""

    @property
    def rich_proxied_file(self) -> LenientStream:
        """The stream for consoles, which write their own escape sequences."""
        return LenientStream(self._stream)

    def write(self, text: str) -> int:
        """Write a text."""
        return super().write(visible(text))


class TerminalConsole(Console):
    """A console of a width that fits tables, which shows texts literally."""

    def __init__(self, *, stderr: bool = False, file: IO[str] | None = None) -> None:
        # Rich reads COLUMNS here unless it is given a size, and fails if that is no number.
        super().__init__(stderr=stderr, file=file, width=80, height=25)

    @property  # type: ignore[misc]  # nobody sets it
    def size(self) -> ConsoleDimensions:
        """The terminal's current size, within bounds."""
        columns, lines = shutil.get_terminal_size((80, 25))
        return ConsoleDimensions(_bounded(columns), max(lines, 1))

    @property
    def file(self) -> IO[str]:
        """The stream to write to."""
        stream = self._file or (sys.stderr if self.stderr else sys.stdout)
        while hasattr(stream, "rich_proxied_file"):
            stream = stream.rich_proxied_file
        return cast("IO[str]", LenientStream(stream))

    @file.setter
    def file(self, new: IO[str]) -> None:
        self._file = new

    def render_str(self, text: str, **options: Any) -> Text:  # noqa: ANN401 - rich's own options
        """Return a text to print, with control characters escaped."""
        return super().render_str(visible(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the output, also escaping text that is not a string, such as a panel's title."""
        for segment in super().render(renderable, options):
            shown = segment.text if segment.control else visible(segment.text)
            yield Segment(shown, segment.style, segment.control)


def _bounded(columns: int) -> int:
    return min(max(columns, _LEAST_COLUMNS), _MOST_COLUMNS)


@contextmanager
def plain_output() -> Iterator[None]:
    """Make all output, including libraries' and warnings, follow this module's rules."""
    columns = shutil.get_terminal_size((80, 25)).columns
    if "COLUMNS" in os.environ or columns != _bounded(columns):
        os.environ["COLUMNS"] = str(_bounded(columns))  # for the pages of --help
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast("Any", PlainStream(stream)) for stream in before)
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        sys.stdout, sys.stderr = before


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


# Progress of a run: bars in a terminal, elsewhere a line each half minute.

Show = Callable[[str, int, int], None]  # Takes a stage's name, the number of steps done, and their total.


@contextmanager
def stage_progress() -> Iterator[Show]:
    """Yield a function that shows a stage's progress on standard error."""
    with _bars() if ERRORS.is_terminal else _lines() as show:
        yield show


@contextmanager
def _bars() -> Iterator[Show]:
    stage_name = TextColumn("{task.description:>16}")
    columns = (stage_name, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=ERRORS, transient=True) as bars:
        bar = bars.add_task("starting", total=None)

        def show(stage: str, done: int, steps: int) -> None:
            bars.update(bar, description=stage, completed=done, total=steps)

        yield show


@contextmanager
def _lines() -> Iterator[Show]:
    began = time.monotonic()
    ended = threading.Event()
    at = ("starting", 0, 0)

    def show(stage: str, done: int, steps: int) -> None:
        nonlocal at
        at = stage, done, steps

    def tell() -> None:
        while not ended.wait(progress.INTERVAL_SECONDS):
            stage, done, steps = at
            reached = f"{stage} {done:,} / {steps:,}" if steps > 1 else stage
            so_far = timedelta(seconds=int(time.monotonic() - began))
            ERRORS.print(f"{reached}, {so_far} so far", highlight=False, soft_wrap=True)

    teller = threading.Thread(target=tell, name="progress", daemon=True)
    teller.start()
    try:
        yield show
    finally:
        ended.set()
        teller.join()

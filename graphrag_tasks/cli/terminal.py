"""Robust output: terminals of any width and encoding, and pipes whose reader is gone.

Printing never changes a command's exit code, and only `TerminalConsole` writes escape sequences (see `core.visible`).
"""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, cast

from rich.console import Console, ConsoleDimensions, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from graphrag_tasks.core.visible import visible

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

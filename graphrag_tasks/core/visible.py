"""Text that a terminal or a log shows and never obeys.

A name of a file may hold an escape sequence that sets a window's title or clears the screen, or a
sign that turns the order of what follows. Whatever shows names of files passes them through here:
texts and titles of documents have no such characters, as `parse` takes them out.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import QueueHandler, QueueListener
from typing import Any, TextIO

TURNS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""The characters that turn the direction of writing."""

_UNSEEN = re.compile(
    f"[\x00-\x08\x0b-\x1f\x7f-\x9f{TURNS}"  # control characters but tab and new line
    "\u2028\u2029"  # what some programs take for a new line
    "\ud800-\udfff]"  # halves of characters: bytes of a name that are not UTF-8
)


def visible(text: str) -> str:
    r"""Return a text with `\u001b` for an escape character, and so on; new lines and tabs stay.

    In JSON, where such characters stand in strings alone, it means the same as before.
    """
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class VisibleFormatter(logging.Formatter):
    """Formats records so that no message can forge a line of the log, or move the terminal."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Return the line of a record; only a traceback, which follows it, has several."""
        return super().formatMessage(record).replace("\n", "\\n")

    def format(self, record: logging.LogRecord) -> str:
        """Return the whole of a record."""
        return visible(super().format(record))


class _StandardError(logging.StreamHandler[TextIO]):
    """Writes to standard error as it is now: a progress bar stands in for it while it is shown."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        """Standard error."""
        return sys.stderr


def log_visibly(level: int = logging.WARNING) -> None:
    """Log to standard error, unless logging is set up already."""
    handler = _StandardError()
    handler.setFormatter(VisibleFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])


class _ToParent(QueueHandler):
    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """Make a record of plain values, which keeps its traceback apart."""
        if record.exc_info:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        record.msg, record.args, record.exc_info = record.getMessage(), None, None
        return record


class _Here(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Log a record of another process, by this one's handlers."""
        logger = logging.getLogger(record.name)
        if logger.isEnabledFor(record.levelno):
            logger.handle(record)


def log_to(queue: Any, level: int) -> None:  # noqa: ANN401 - a queue between processes
    """Log to a queue that the parent process reads; in a worker process, to begin with."""
    logging.basicConfig(level=level, handlers=[_ToParent(queue)])


@contextmanager
def logs_from(queue: Any) -> Iterator[None]:  # noqa: ANN401 - a queue between processes
    """Log what worker processes put into a queue, so that no line cuts through a progress bar."""
    listener = QueueListener(queue, _Here())
    listener.start()
    try:
        yield
    finally:
        listener.stop()

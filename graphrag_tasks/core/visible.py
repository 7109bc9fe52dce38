"""Text for people: safe to show in a terminal or log, counts, near names, and no thoughts of a model.

A file name may hold an escape sequence that sets a window's title or clears the screen, or a character that reverses
the text direction. Everything that shows file names passes them through here; `parse` removes such characters from
document texts and titles.
"""

from __future__ import annotations

import difflib
import logging
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from logging.handlers import QueueHandler, QueueListener
from typing import Any, TextIO

TURNS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Characters that change the direction of writing."""

_UNSEEN = re.compile(
    f"[\x00-\x08\x0b-\x1f\x7f-\x9f{TURNS}"  # control characters but tab and new line
    "\u2028\u2029"  # what some programs take for a new line
    "\ud800-\udfff]"  # halves of characters: bytes of a name that are not UTF-8
)


def visible(text: str) -> str:
    r"""Return a text with control characters escaped, such as `\u001b`; new lines and tabs stay.

    JSON, where such characters occur only in strings, keeps its meaning.
    """
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class VisibleFormatter(logging.Formatter):
    """Formats log records so that no message can forge a log line or control the terminal."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Return the line of a record; only its traceback has several lines."""
        return super().formatMessage(record).replace("\n", "\\n")

    def format(self, record: logging.LogRecord) -> str:
        """Return the whole of a record."""
        return visible(super().format(record))


class _StandardError(logging.StreamHandler[TextIO]):
    """Writes to the current standard error, which a progress bar may replace."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        return sys.stderr


def log_visibly(level: int = logging.WARNING) -> None:
    """Log to standard error, unless logging is already set up."""
    handler = _StandardError()
    handler.setFormatter(VisibleFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])


class _ToParent(QueueHandler):
    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """Convert a record to plain values for another process; its traceback stays separate."""
        if record.exc_info:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        record.msg, record.args, record.exc_info = record.getMessage(), None, None
        return record


class _Here(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Log a record of another process by this one's handlers."""
        logger = logging.getLogger(record.name)
        if logger.isEnabledFor(record.levelno):
            logger.handle(record)


def log_to(queue: Any, level: int) -> None:  # noqa: ANN401 - a queue between processes
    """Log to a queue that the parent process reads; called first in a worker process."""
    logging.basicConfig(level=level, handlers=[_ToParent(queue)])


@contextmanager
def logs_from(queue: Any) -> Iterator[None]:  # noqa: ANN401 - a queue between processes
    """Log what worker processes put into a queue, so that no line breaks a progress bar."""
    listener = QueueListener(queue, _Here())
    listener.start()
    try:
        yield
    finally:
        listener.stop()


# Counts as people write them: "1 entity", "2,000 entities".


def counted(count: int, plural: str) -> str:
    """Return a number and what it counts, in the singular for 1; the first word is declined."""
    what, space, rest = plural.partition(" ")
    if count == 1:
        what = f"{what[:-3]}y" if what.endswith("ies") else what.removesuffix("s")
    return f"{count:,} {what}{space}{rest}"


# Suggest known names with a similar spelling.

_SHOWN = 3  # Most suggested names; chosen.


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question that suggests known names similar to a name, or sharing a word; else ""."""
    names = sorted(set(known))
    near = difflib.get_close_matches(name, names, n=_SHOWN)
    if not near:
        by_word = {word: one for one in reversed(names) for word in one.split()}
        close = difflib.get_close_matches(name, by_word, n=_SHOWN)
        near = list(dict.fromkeys(by_word[word] for word in close))
    return f"Did you mean {' or '.join(map(repr, near))}?" if near else ""


# Remove a model's reasoning text before its answer.

_TAG = "(?:think|thinking|thought|reasoning)"
_WHOLE = re.compile(rf"<({_TAG})>.*?</\1>", re.DOTALL | re.IGNORECASE)
_REST = re.compile(rf"\A.*</{_TAG}>[ \t]*(?:\n|\Z)", re.DOTALL | re.IGNORECASE)
"""Servers may put the opening tag into the prompt: then the text begins inside the reasoning."""
_OPEN = re.compile(rf"\A\s*<{_TAG}>.*", re.DOTALL | re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """Return a text without reasoning sections, even if a tag is missing."""
    return _OPEN.sub("", _REST.sub("", _WHOLE.sub("", text)))

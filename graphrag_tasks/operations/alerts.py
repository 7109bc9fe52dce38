"""What is told of a run: how it ended, and that it is late."""

from __future__ import annotations

import logging
import re
from typing import Any

NOTE = "note"
"""Key of the XCom in which a task says how it ended: the plugin writes it into the run's note."""

log = logging.getLogger(__name__)

_MARKS = re.compile(r"[\\`*\[\]~|]|(?<![^\W_])_|_(?![^\W_])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def as_markdown(text: str) -> str:
    """Return text as Markdown that shows it and nothing else, in one line.

    Airflow renders notes as Markdown, and names of files are written by anybody: one may hold an
    element of HTML, or an address that a picture would be fetched from.
    """
    line = " ".join(text.split())
    escaped = "".join(_ENTITIES.get(character, character) for character in line)
    return _MARKS.sub(r"\\\g<0>", escaped)


async def deadline_missed(context: Any = None, **_: Any) -> None:  # noqa: ANN401 - the scheduler's
    """Log that a run has not ended in time; the published snapshot is still there and readable.

    Args:
        context: The scheduler's: its entry `dag_run` is the run, as Airflow's API gives it.
    """
    run = (context or {}).get("dag_run") or {}
    log.error(
        "%s: the run %s is late. Readers see the last published snapshot; look for the task that "
        "has been running longest",
        run.get("dag_id"), run.get("dag_run_id"),
    )  # fmt: skip

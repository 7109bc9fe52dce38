"""Notes of runs in Airflow's UI, and the alert for a late run."""

from __future__ import annotations

import logging
import re
from html import escape
from typing import Any

NOTE = "note"  # Key of the XCom that the plugin writes into the run's note.

log = logging.getLogger(__name__)

_MARKS = re.compile(r"[\\`*\[\]~|]|(?<![^\W_])_|_(?![^\W_])")


def as_markdown(text: str) -> str:
    """Return text as one line of Markdown without markup.

    Airflow renders notes as Markdown, and a file name may hold HTML or an image address.
    """
    return _MARKS.sub(r"\\\g<0>", escape(" ".join(text.split()), quote=False))


async def deadline_missed(context: Any = None, **_: Any) -> None:  # noqa: ANN401 - the scheduler's
    """Log that a run is late; the scheduler's `context` has it as `dag_run`."""
    run = (context or {}).get("dag_run") or {}
    log.error(
        "%s: the run %s is late. Readers see the last published snapshot; look for the task that "
        "has been running longest",
        run.get("dag_id"), run.get("dag_run_id"),
    )  # fmt: skip

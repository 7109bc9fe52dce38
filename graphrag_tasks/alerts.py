"""What is told of a run: how it ended, and that it is late."""

from __future__ import annotations

import logging
from typing import Any

NOTE = "note"
"""Key of the XCom in which a task says how it ended: the plugin writes it into the run's note."""

log = logging.getLogger(__name__)


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

"""What stands before `ask` where the settings want it: somebody's approval, and batches.

`llm.budget.approve_above_usd` brings **price**, **approve** and **approved**: a reading that is expected to cost more
waits for a person, in Airflow's list of required actions. `llm.batch` brings **batches**: requests are answered within
a day at half the price, and the task sleeps between two looks at them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.hitl import ApprovalOperator
from airflow.sdk import get_current_context, task
from graphrag_defaults import LLM_POOL

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import TransientError
from graphrag_tasks.operations.runner import POLL_SECONDS

log = logging.getLogger(__name__)

_ANSWER_WITHIN = timedelta(hours=8)
_LONGEST_BATCH = timedelta(hours=26)  # A provider ends a batch after 24 hours, whatever is done.


def approval(config: Config, open_run: Callable[[], Any], then: str) -> list[Any]:
    """Return the tasks that have a person approve what `then` would spend; none by default."""
    above = config.llm.budget.approve_above_usd
    if not above:
        return []

    @task.branch(trigger_rule="none_failed")
    def price() -> str:
        """Compare the expected price of reading with what needs no approval."""
        run = open_run()
        if not run.asks:
            return then
        told = run.price()
        model = run.state.config.llm.model_for("extract")
        if not told.requests or (told.usd is not None and told.usd <= above):
            return then
        usd = "a price that is not known" if told.usd is None else f"about {told.usd:.2f} USD"
        instance = get_current_context()["ti"]
        instance.xcom_push("subject", f"Spend {usd} on {told.requests:,} requests to {model}?")
        instance.xcom_push("body", _body(told, run.state.config))
        return "approve"

    approve = ApprovalOperator(
        task_id="approve",
        subject="{{ ti.xcom_pull(task_ids='price', key='subject') }}",
        body="{{ ti.xcom_pull(task_ids='price', key='body') }}",
        defaults=ApprovalOperator.REJECT,
        response_timeout=_ANSWER_WITHIN,
        execution_timeout=_ANSWER_WITHIN + timedelta(hours=1),
    )

    @task
    def approved() -> bool:
        """Say that a person agreed; skipped where nobody did."""
        return True

    return [price(), approve, approved()]


def may_spend() -> bool:
    """Return whether nobody was asked to approve, or somebody did."""
    instance = get_current_context()["ti"]
    was_asked = instance.xcom_pull(task_ids="price", key="subject") is not None
    return not was_asked or instance.xcom_pull(task_ids="approved") is True


def batches(config: Config, open_run: Callable[[], Any]) -> list[Any]:
    """Return the task that has batches answer what `ask` would ask; none by default."""
    if config.llm.batch == "off":
        return []

    @task.sensor(
        task_id="batches",
        pool=LLM_POOL,
        mode="reschedule",
        poke_interval=POLL_SECONDS,
        timeout=_LONGEST_BATCH.total_seconds(),
        trigger_rule="none_failed",
    )
    def wait() -> bool:
        """Make batches, and look at them until all have ended."""
        run = open_run()
        if not run.asks or not may_spend():
            return True
        try:
            under_way = run.batch()
        except TransientError as error:
            log.warning("%s; looked at again later", error)
            return False
        log.info("%d requests are under way in batches", under_way)
        return not under_way

    return [wait()]


def _body(told: Any, config: Config) -> str:
    """Return what a person should know who decides, as Markdown."""
    cap = config.llm.budget.usd
    priced = [("expected price, USD", f"{told.usd or 0:.2f}")]
    rows = [
        ("requests", f"{told.requests:,}"),
        ("answered before", f"{told.known:,}"),
        ("tokens of prompts", f"{told.prompt_tokens:,}"),
        ("tokens of answers, assumed", f"{told.completion_tokens:,}"),
        *(priced if told.usd else []),
        ("most that the run may spend, USD", f"{cap:g}" if cap else "no cap"),
    ]
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])

"""What the DAGs share: how they retry, what they tell, and the asset that joins them."""

from __future__ import annotations

import logging
import os
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from airflow.sdk import (
    Asset,
    BaseOperatorLink,
    ExceptionRetryPolicy,
    Param,
    RetryAction,
    RetryRule,
)
from airflow.sdk.configuration import conf
from airflow.sdk.definitions.callback import AsyncCallback
from airflow.sdk.definitions.deadline import DeadlineAlert, DeadlineReference
from airflow.sdk.execution_time.xcom import XCom

from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import GraphragError
from graphrag_tasks.operations.alerts import NOTE

log = logging.getLogger(__name__)

SNAPSHOT = Asset("graphrag_snapshot")
"""Has an event for every snapshot that is published."""

SHARD_POOL = os.environ.get("GRAPHRAG_AIRFLOW_POOL", "default_pool")
LLM_POOL = os.environ.get("GRAPHRAG_AIRFLOW_LLM_POOL", "default_pool")
"""Of the task that asks a language model: with one slot, one run asks at a time."""


def store_param() -> Param:
    """Return the param that names the store, as every form shows it."""
    return Param(
        load_config().store,
        type="string",
        minLength=1,
        title="Store",
        description="Folder or URI that snapshots are published under",
    )


def deadline() -> DeadlineAlert | None:
    """Return what tells of a late run, where `GRAPHRAG_AIRFLOW_DEADLINE_HOURS` sets a deadline.

    There is none by default: `airflow dags test` of Airflow 3.3 fails on a DAG that has one.
    """
    hours = os.environ.get("GRAPHRAG_AIRFLOW_DEADLINE_HOURS")
    if not hours:
        return None
    return DeadlineAlert(
        reference=DeadlineReference.DAGRUN_QUEUED_AT,
        interval=timedelta(hours=float(hours)),
        callback=AsyncCallback("graphrag_tasks.operations.alerts.deadline_missed"),
    )


def tell_failure(context: Any) -> None:
    """Log what failed in one line, and note it at the run; the error says where, and what to do."""
    instance, error = context["ti"], context.get("exception")
    log.error(
        "%s.%s (shard %s, try %s) failed: %s",
        instance.dag_id, instance.task_id, instance.map_index, instance.try_number, error,
    )  # fmt: skip
    # What other errors say is not known to hold no secret: the log has it, the database not.
    why = error if isinstance(error, GraphragError) else f"{type(error).__name__}, see its log"
    instance.xcom_push(NOTE, f"{instance.task_id} failed: {why}")


class SnapshotLink(BaseOperatorLink):
    """A link of the publish task to the plugin's page of what it published."""

    @property
    def name(self) -> str:
        """What the button says."""
        return "Snapshot"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        """Return the page's address; none where nothing new was published."""
        del operator
        summary = XCom.get_value(ti_key=ti_key, key="summary")
        if not summary:
            return ""
        base = urlsplit(conf.get("api", "base_url", fallback="")).path.rstrip("/")
        return f"{base}/graphrag/snapshots/{summary['snapshot_id']}"


DEFAULT_ARGS = {
    "retries": 2,
    "retry_delay": timedelta(seconds=30),
    "retry_exponential_backoff": True,
    "retry_policy": ExceptionRetryPolicy(
        rules=[
            RetryRule("graphrag_tasks.core.errors.TerminalError", RetryAction.FAIL),
            RetryRule("graphrag_tasks.core.errors.TransientError", RetryAction.RETRY),
        ]
    ),
    "execution_timeout": timedelta(hours=4),
    # Equal weights go by shard: one that was begun is finished before the next one begins.
    "weight_rule": "absolute",
    "on_failure_callback": tell_failure,
}

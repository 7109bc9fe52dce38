"""What the DAGs share: how they retry, what they tell, and the asset that joins them."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from airflow.sdk import Asset, BaseOperatorLink, ExceptionRetryPolicy, Param, RetryAction, RetryRule
from airflow.sdk.configuration import conf
from airflow.sdk.definitions.callback import AsyncCallback
from airflow.sdk.definitions.deadline import DeadlineAlert, DeadlineReference
from airflow.sdk.execution_time.xcom import XCom

from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import ConfigError, GraphragError
from graphrag_tasks.core.visible import did_you_mean
from graphrag_tasks.operations.metrics import NOTE

log = logging.getLogger(__name__)

SNAPSHOT = Asset("graphrag_snapshot")  # Has an event for every snapshot that is published.

SHARD_POOL = os.environ.get("GRAPHRAG_AIRFLOW_POOL", "default_pool")
LLM_POOL = os.environ.get("GRAPHRAG_AIRFLOW_LLM_POOL", "default_pool")
"""Of the task that asks a language model: with one slot, one run asks at a time."""

_CORPUS_POD = os.environ.get("GRAPHRAG_AIRFLOW_CORPUS_POD")
CORPUS_POD = {"pod_template_file": _CORPUS_POD} if _CORPUS_POD else None
"""Of tasks that see the whole corpus: KubernetesExecutor makes their pods by this template."""


def store_param() -> Param:
    """Return the param that names the store, as every form shows it."""
    return Param(
        load_config().store,
        type="string",
        minLength=1,
        title="Store",
        description="Folder or URI that snapshots are published under",
    )


def params_of(context: Any) -> Any:
    """Return a run's params; Airflow takes those of any name, also of a misspelt one."""
    known = context["dag"].params
    for name in context["dag_run"].conf or ():
        if name not in known:
            hint = did_you_mean(name, known) or f"Known: {', '.join(known)}"
            raise ConfigError(f"there is no param '{name}'", "the run's configuration", hint)
    return context["params"]


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
        callback=AsyncCallback("graphrag_tasks.operations.metrics.deadline_missed"),
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


def _page(told: Mapping[str, Any], page: str = "") -> str:
    """Return the address of a page of a snapshot, within Airflow's frame; none if it is not shown.

    Args:
        told: Has the snapshot's id, and its store.
        page: What the page's own address ends with.
    """
    from graphrag_tasks.inspect.pages.reader import path_of_store

    store = path_of_store(load_config(), told["store"])
    if store is None:
        return ""
    base = urlsplit(conf.get("api", "base_url", fallback="")).path.rstrip("/")
    # Airflow's UI shows in the frame of `url_route` what stands after it.
    return f"{base}/plugin/graphrag{base}/graphrag{store}/snapshots/{told['snapshot_id']}{page}"


class SnapshotLink(BaseOperatorLink):
    """A link of a task to the plugin's page of the snapshot that it made or looked at.

    Args:
        key: Of the XCom in which the task says `snapshot_id` and `store`.
    """

    def __init__(self, key: str = "summary") -> None:
        self._key = key

    @property
    def name(self) -> str:
        """What the button says."""
        return "Snapshot"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        """Return the page's address; none where the task names no snapshot that is shown."""
        del operator
        told = XCom.get_value(ti_key=ti_key, key=self._key)
        return _page(told) if told else ""


class LaterLink(BaseOperatorLink):
    """A link of a task to a page that is there once its run has published: see `link_pages`."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def name(self) -> str:
        """What the button says."""
        return self._name

    @property
    def xcom_key(self) -> str:
        """Where Airflow's UI looks for the address."""
        return f"_link_{self._name}"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        """Return none: when the task ends, nothing is published."""
        del operator, ti_key
        return ""


_DOCUMENTS, _MAP = LaterLink("Documents"), LaterLink("Map")
LATER_LINKS = {"parse": (_DOCUMENTS,), "communities": (_MAP,)}  # By stage.


def linked(made: Any, *links: BaseOperatorLink) -> Any:
    """Give a task, as its decorator made it, links among its details; return it."""
    made.operator.operator_extra_links = links
    return made


def link_pages(instance: Any, summary: Mapping[str, Any], parse_tasks: int) -> None:
    """Give earlier tasks of a run their links to what it published.

    `parse` leads to the documents: to those that failed, if any did. `communities` leads to the map. There are none
    where the pages do not show the store.
    """
    documents = _page(summary, f"/documents{'?status=failed' if summary['failed'] else ''}")
    links = [("communities", -1, _MAP, _page(summary, "/map"))]
    links += [("shard.parse", index, _DOCUMENTS, documents) for index in range(parse_tasks)]
    for task_id, map_index, link, address in links if documents else ():
        XCom.set(
            link.xcom_key, address, dag_id=instance.dag_id, run_id=instance.run_id,
            task_id=task_id, map_index=map_index,
        )  # fmt: skip


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

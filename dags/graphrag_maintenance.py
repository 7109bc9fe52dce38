"""### Look after published GraphRAG snapshots.

**gc** removes snapshots beyond the newest ones, and what killed runs left; **verify** compares
every file of the kept ones with its hash and names those that are damaged. The current snapshot is
never removed: where it is damaged, index again, or roll back.
"""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from typing import Any

from airflow.sdk import CronTriggerTimetable, Param, dag, get_current_context, task
from graphrag_defaults import DEFAULT_ARGS, params_of, store_param

from graphrag_tasks.core.config import load_config

DEFAULTS = load_config()


@dag(
    schedule=CronTriggerTimetable("0 5 * * 0", timezone="UTC"),
    catchup=False,
    max_active_runs=1,
    is_paused_upon_creation=True,
    dagrun_timeout=timedelta(hours=12),
    default_args=DEFAULT_ARGS,
    params={
        "store": store_param(),
        "keep": Param(
            DEFAULTS.retention.keep,
            type="integer",
            minimum=0,
            title="Keep",
            description="Snapshots kept beside the current one",
        ),
        "dry_run": Param(False, type="boolean", title="Dry run", description="Only say what would be removed"),
    },
    description="Remove old snapshots, and verify every file of those kept",
    doc_md=__doc__,
    tags=["graphrag"],
)
def graphrag_maintenance() -> None:
    @task
    def gc() -> dict[str, Any]:
        """Remove old snapshots, and what killed runs left."""
        from graphrag_tasks.embed.vectors.vector_store import open_vector_store
        from graphrag_tasks.operations.retention import collect_garbage
        from graphrag_tasks.storage.locks import sole_run
        from graphrag_tasks.storage.snapshots.store import Store

        params = params_of(get_current_context())
        store = Store(params["store"])
        with sole_run(store.folder), ExitStack() as stack:
            server = None if params["dry_run"] else open_vector_store(store.folder, DEFAULTS.load)
            if server is not None:
                stack.callback(server.close)
            removed = collect_garbage(
                store, keep=params["keep"], llm=DEFAULTS.llm, server=server, dry_run=params["dry_run"]
            )
        return {
            "snapshots": list(removed.snapshots),
            "staging": list(removed.staging),
            "freed_bytes": removed.freed_bytes,
            "vectors": removed.vectors,
            "answers": removed.answers,
        }

    @task
    def verify() -> list[str]:
        """Compare every file of every snapshot with its hash."""
        from graphrag_tasks.operations.retention import verify_all
        from graphrag_tasks.storage.snapshots.store import Store

        return verify_all(Store(get_current_context()["params"]["store"]))

    gc() >> verify()


graphrag_maintenance()

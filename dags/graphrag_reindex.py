"""### Reindex documents into a published GraphRAG snapshot.

**plan** compares the sources with the published snapshot. Added and changed documents go, in
shards, through **parse**, **chunk**, **filter_sentences** and **extract**. Where the settings name
a language model there are **ask**, which has it read with the extractor llm or hybrid, and
**adopt**, which keeps what the sentences support; by the settings somebody **approve**s the price
before, and **batches** halve it.
**merge_shards** joins the rows with those of the unchanged documents; **versions** compares
releases of a document; **entity_dictionary** to
**relationships** make entities, their mentions and relations; **communities** groups and summarises
them; **embed** makes vectors, **load** the graph's arrays; **publish** verifies everything,
compares its quality with what is published, and flips `CURRENT`.

A small run does several stages in one task, as each task costs seconds to start:
**parse** up to **extract**, **merge_shards** up to **normalize**, **resolve** up to
**communities**, **embed** and **load**. The others are then skipped, which is no failure; the log
of the task that did their work names them.

Readers see the old snapshot or the new one, never parts of both. A document that cannot be read
gets an error row and stops nothing. Nothing is published when nothing changed: all tasks after
**plan** are then skipped. Tasks hand on receipts (where, rows, hashes, seconds); data stays in the
store.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from airflow.sdk import CronTriggerTimetable, Metadata, Param, chain, dag, get_current_context, task, task_group
from airflow.sdk.exceptions import AirflowSkipException, DownstreamTasksSkipped
from graphrag_asking import approval, batches, may_spend
from graphrag_defaults import (
    CORPUS_POD,
    DEFAULT_ARGS,
    LATER_LINKS,
    LLM_POOL,
    SHARD_POOL,
    SNAPSHOT,
    SnapshotLink,
    deadline,
    link_pages,
    linked,
    params_of,
    store_param,
)
from graphrag_telemetry import tell_publish, tell_stage

from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.visible import visible
from graphrag_tasks.extract import EXTRACTORS
from graphrag_tasks.operations.metrics import NOTE
from graphrag_tasks.pipeline.stages import CORPUS_STAGES, MODEL_STAGES, SHARD_STAGES

log = logging.getLogger(__name__)

DEFAULTS = load_config()
MOST_OF_NAME = 200  # Characters of a document's name, its end; Airflow's database holds 250 for a mapped task.
TOGETHER = ("parse", "merge_shards", "resolve", "embed")
"""Stages whose task does the stages up to the next of these, too, in a small run: see `Run.is_small`."""
PARTS, OF_PARTS = list(range(DEFAULTS.plan.parts)), "_parts"
ASK, ADOPT = MODEL_STAGES["ask"], MODEL_STAGES["adopt"]

READING, WORK, LIMITS = "Extractor", "Rebuild", "Safety limits"
"""Sections of the form, closed at first; what stands in none must be given and comes first."""

PARAMS = {
    "sources": Param(
        list(DEFAULTS.sources),
        type="array",
        items={"type": "string", "minLength": 1},
        title="Sources",
        description="Folders, files or URIs, one a line. NAME=URI gives a source a name. None: those of the store",
    ),
    "store": store_param(),
    "extractor": Param(
        DEFAULTS.extract.extractor,
        type="string",
        enum=EXTRACTORS.names,
        title="Extractor",
        section=READING,
        description="Rules (dependency) cost nothing. A language model (llm), or both (hybrid), "
        "needs [llm] in the settings",
    ),
    "budget_usd": Param(
        DEFAULTS.llm.budget.usd,
        type=["number", "null"],
        minimum=0,
        title="Budget in USD",
        section=READING,
        description="Most that the language model may cost in this run. 0 sets no cap; empty: as in the settings",
    ),
    "full_refresh": Param(
        DEFAULTS.plan.full_refresh,
        type=["boolean", "null"],
        title="Full refresh",
        section=WORK,
        description="Process every document again, changed or not",
    ),
    "max_failed_share": Param(
        DEFAULTS.merge_shards.max_failed_share,
        type=["number", "null"],
        minimum=0,
        maximum=1,
        title="Tolerated failures",
        section=LIMITS,
        description="Share of the documents that may fail, from 0 to 1. The run fails if more do; "
        "empty: as in the settings",
    ),
    "allow_mass_delete": Param(
        DEFAULTS.plan.allow_mass_delete,
        type=["boolean", "null"],
        title="Allow mass delete",
        section=LIMITS,
        description="Publish although a source is empty or lost most of its documents",
    ),
    "allow_quality_drop": Param(
        DEFAULTS.quality.allow_drop,
        type=["boolean", "null"],
        title="Allow quality drop",
        section=LIMITS,
        description="Publish although the new snapshot is worse than the published one",
    ),
}


def shard_stage(stage: str, doc: str) -> Any:
    @task(task_id=stage, pool=SHARD_POOL, doc_md=doc, map_index_template="{{ named }}")
    def run_stage(work: dict[str, Any]) -> dict[str, Any]:
        from graphrag_tasks.pipeline import Run

        run = Run.open(work["run"])
        show_as(name_of(run, work["shards"]))
        done = together(run, stage, list(SHARD_STAGES))
        receipts = []
        for name in done:
            made = run.process_lot(name, work["shards"])
            tell_stage(run, name, made, work["shards"])
            receipts += [one.as_dict() for one in made]
        behind = [f"shard.{name}" for name in done[1:]]  # the scheduler may have mapped them already, or not
        return skip_done({**work, "receipts": receipts}, [*behind, *((name, 0) for name in behind)])

    return run_stage


def part_stage(stage: str, doc: str) -> Any:
    @task(
        task_id=stage + OF_PARTS,
        pool=SHARD_POOL,
        doc_md=doc,
        map_index_template="{{ named }}",
        trigger_rule="none_failed",
        executor_config=CORPUS_POD,
    )
    def run_stage(part: int) -> Any:
        show_as(f"part {part + 1} of {len(PARTS)}")
        run = open_run()
        receipt = run.process_part(stage, part)
        tell_stage(run, stage, [receipt] if receipt else [])
        return receipt and receipt.as_dict()

    return run_stage.expand(part=PARTS)


def corpus_stage(stage: str, doc: str) -> Any:
    # With nothing added or changed there are no shards: skipped work is no failure.
    @task(task_id=stage, doc_md=doc, trigger_rule="none_failed", executor_config=CORPUS_POD)
    def run_stage() -> Any:
        run = open_run()
        done = together(run, stage, list(CORPUS_STAGES))
        receipts = []
        for name in done:
            receipt = run.process_corpus(name)
            tell_stage(run, name, [receipt])
            receipts.append(receipt.as_dict())
        parts = [(f"embed{OF_PARTS}", part) for part in PARTS] if "communities" in done[1:] else []
        return skip_done({"receipts": receipts}, [*done[1:], *parts])

    return linked(run_stage(), *LATER_LINKS.get(stage, ()))


def together(run: Any, stage: str, stages: list[str]) -> list[str]:
    """Return the stages that the task of a stage does: in a small run, those behind it, too."""
    if stage not in TOGETHER or not run.is_small:
        return [stage]
    behind = stages[stages.index(stage) + 1 :]
    ends = (place for place, name in enumerate(behind) if name in TOGETHER)
    done = [stage, *behind[: next(ends, len(behind))]]
    log.info("This run is small: this task does %s", ", ".join(done))
    return done


def skip_done(result: dict[str, Any], done: list[Any]) -> dict[str, Any]:
    """Return what a task hands on; have Airflow skip the tasks whose work it has done."""
    if not done:
        return result
    get_current_context()["ti"].xcom_push("return_value", result)
    raise DownstreamTasksSkipped(tasks=done)  # type: ignore[no-untyped-call]


def model_tasks(shards: Any) -> Any:
    """Have a language model read after the shards, where the settings name one; return the last."""
    if not DEFAULTS.llm.model_for("extract"):
        return shards

    @task(task_id=ASK.name, pool=LLM_POOL, doc_md=ASK.doc, trigger_rule="none_failed")
    def ask() -> list[dict[str, Any]]:
        run = open_run()
        asked = run.ask(may_spend=may_spend()) if run.asks else []
        tell_stage(run, ASK.name, asked)
        receipts = [receipt.as_dict() for receipt in asked]
        get_current_context()["ti"].xcom_push("receipts", receipts)
        # One task that does nothing, where the run has no model read: none would be a skipped one.
        return [{"run": run.uri, "shards": shards} for shards in (run.lots if run.asks else [[]])]

    asked, waited = ask(), batches(DEFAULTS, open_run)
    approving = approval(DEFAULTS, open_run, then="batches" if waited else ASK.name)
    adopted = shard_stage(ADOPT.name, ADOPT.doc).expand(work=asked)
    chain(shards, *approving, *waited, asked, adopted)
    if approving:
        chain(approving[0], *waited, asked)  # where nobody needs to be asked
    return adopted


@dag(
    schedule=CronTriggerTimetable("0 2 * * *", timezone="UTC"),
    catchup=False,
    max_active_runs=1,
    is_paused_upon_creation=True,
    dagrun_timeout=timedelta(hours=12),
    default_args={**DEFAULT_ARGS, "priority_weight": 2},  # before maintenance and evaluation
    deadline=deadline(),
    params=PARAMS,
    description="Index documents that were added or changed, and publish a snapshot",
    doc_md=__doc__,
    tags=["graphrag"],
)
def graphrag_reindex() -> None:
    @task
    def plan() -> list[dict[str, Any]]:
        """List the sources, compare them with the published snapshot, cut shards."""
        from graphrag_tasks.pipeline import Run

        context = get_current_context()
        params = params_of(context)
        overrides = {
            "sources": params["sources"],
            "store": params["store"],
            "extract": {"extractor": params["extractor"]},
            "llm": {"budget": {"usd": params["budget_usd"]}},
            "merge_shards": {"max_failed_share": params["max_failed_share"]},
            "plan": {name: params[name] for name in ("full_refresh", "allow_mass_delete")},
            "quality": {"allow_drop": params["allow_quality_drop"]},
        }
        run, receipt = Run.start(load_config(overrides=overrides))
        context["ti"].xcom_push("run", run.uri)
        context["ti"].xcom_push("receipt", receipt.as_dict())
        tell_stage(run, "plan", [receipt])
        skip_needless(run, context["dag"].task_ids)
        return [{"run": run.uri, "shards": shards} for shards in run.lots]

    @task_group
    def shard(work: Any) -> None:
        for name, stage in SHARD_STAGES.items():
            work = linked(shard_stage(name, stage.doc)(work), *LATER_LINKS.get(name, ()))

    @task(outlets=[SNAPSHOT], executor_config=CORPUS_POD, trigger_rule="none_failed")
    def publish() -> Any:
        """Verify the staged snapshot, flip CURRENT, and tell who waits for the asset."""
        from graphrag_tasks.operations import runner
        from graphrag_tasks.storage.snapshots.publish import headline, note
        from graphrag_tasks.versions.told import since

        instance = get_current_context()["ti"]
        run = open_run()
        parse_tasks = len(run.lots)
        published = runner.publish(run)
        snapshot_id = published.manifest.snapshot_id
        summary = headline(run.state.store.open(snapshot_id))
        tell_publish(published, summary)
        told = note(summary, changed=published.changed)
        if changed := since(run.state.store.open(snapshot_id), run.state.parent):
            told = f"{told} {changed}."
        instance.xcom_push(NOTE, told)
        if not published.changed:
            instance.xcom_push("summary", {})  # Airflow logs an error where a link finds none
            raise AirflowSkipException(told)
        summary = {**summary, "store": run.state.config.store}
        instance.xcom_push("summary", summary)
        link_pages(instance, summary, parse_tasks)
        yield Metadata(SNAPSHOT, summary)

    shards = shard.expand(work=plan())  # a task of each stage for a lot of shards
    stages = []
    for name, stage in CORPUS_STAGES.items():
        if stage.divisible:
            stages.append(part_stage(name, f"{stage.doc}: of a part of the rows"))
        stages.append(corpus_stage(name, stage.doc))
    published = linked(publish(), SnapshotLink())
    chain(model_tasks(shards), *stages, published)


def name_of(run: Any, shards: list[int]) -> str:
    """Return what a person calls a mapped task: by its first document, and how many more."""
    uris = [uri for shard in shards for uri in run.state.shard_rows(shard)["uri"].to_pylist()]
    if not uris:
        return "no model reads in this run"
    more = f" and {len(uris) - 1:,} more" if len(uris) > 1 else ""
    return visible(uris[0])[-MOST_OF_NAME:] + more


def show_as(name: str) -> None:
    """Have Airflow's UI show a mapped task by a name."""
    get_current_context()["named"] = name  # type: ignore[typeddict-unknown-key]


def skip_needless(run: Any, task_ids: Iterable[str]) -> None:
    """Skip all tasks after `plan` but `publish`, which says so, where nothing changed."""
    if not run.is_up_to_date:
        return
    needless = sorted({*task_ids} - {"plan", "publish"})
    parts = [(one, part) for one in needless if one.endswith(OF_PARTS) for part in PARTS]
    raise DownstreamTasksSkipped(tasks=[*needless, *parts])  # type: ignore[no-untyped-call]


def open_run() -> Any:
    """Open the run that the plan task of this DAG run started."""
    from graphrag_tasks.pipeline import Run

    return Run.open(get_current_context()["ti"].xcom_pull(task_ids="plan", key="run"))


graphrag_reindex()

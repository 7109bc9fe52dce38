"""Figures of a run for a monitoring system, from its stages' receipts; notes and alerts in Airflow's UI.

Names are `graphrag.<stage>.<figure>`: the stage is part of the name, as StatsD has no tags.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

from graphrag_tasks.storage.artifacts import Receipt

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


_FACTS = {"extract": "triples", "adopt": "adopted_triples"}  # Tables of facts, by the stage that makes them.

_PUBLISHED = ("documents", "chunks", "triples", "entities", "relations")


@dataclass(frozen=True)
class Figure:
    """A monitoring figure.

    `kind`: a `counter` adds up over tasks and runs, a `gauge` keeps its last value, a `timer` is in seconds.
    """

    name: str
    kind: Literal["counter", "gauge", "timer"]
    value: float


def stage_figures(stage: str, receipts: Sequence[Receipt], documents: Sequence[int] = ()) -> list[Figure]:
    """Return the figures of a stage's task; reused work is only counted.

    Args:
        stage: Name of the stage, or `plan`.
        receipts: The task's receipts: of each shard, of a part, or one.
        documents: Number of documents of each of these shards; empty for corpus stages.
    """
    of = f"graphrag.{stage}"
    done = [one for one in receipts if not one.reused]
    told = [Figure(f"{of}.reused", "counter", len(receipts) - len(done))]
    if not done:
        return told
    seconds = sum(one.seconds for one in done)
    told += [Figure(f"{of}.duration", "timer", one.seconds) for one in done]
    told.append(Figure(f"{of}.rows", "counter", _rows(done)))
    peak = max(one.peak_memory_bytes for one in done)
    told.append(Figure(f"{of}.peak_memory_bytes", "gauge", peak))
    if documents:
        sizes = zip(receipts, documents, strict=True)
        told += _paced(of, "documents", sum(size for one, size in sizes if not one.reused), seconds)
    if table := _FACTS.get(stage):
        told += _paced(of, "facts", _rows(done, table), seconds)
    if stage == "parse":
        failed = int(sum(one.stats.get("failed", 0) for one in done))
        told.append(Figure(f"{of}.documents_failed", "counter", failed))
    if stage == "ask":
        asked = int(sum(one.stats.get("requests", 0) for one in done))
        told.append(Figure(f"{of}.requests", "counter", asked))
    return told


def publish_figures(summary: Mapping[str, Any], *, changed: bool) -> list[Figure]:
    """Return the figures of a publish: counts of the current snapshot, and whether it is new.

    `summary` comes from `snapshots.publish.headline`; `changed` tells whether this run published it.
    """
    counts = {name: summary[name] for name in _PUBLISHED}
    counts["documents_failed"] = len(summary["failed"])
    held = [Figure(f"graphrag.snapshot.{name}", "gauge", count) for name, count in counts.items()]
    return [Figure("graphrag.publish.changed", "counter", int(changed)), *held]


def spending(usd: float | None) -> list[Figure]:
    """Return the figure of a run's spending on language models; none if no price is known."""
    return [] if usd is None else [Figure("graphrag.llm.usd", "gauge", usd)]


def _paced(of: str, what: str, count: int, seconds: float) -> list[Figure]:
    told = [Figure(f"{of}.{what}", "counter", count)]
    if seconds:
        told.append(Figure(f"{of}.{what}_per_second", "gauge", round(count / seconds, 3)))
    return told


def _rows(receipts: Sequence[Receipt], wanted: str | None = None) -> int:
    return sum(table.rows for one in receipts for name, table in one.tables.items() if wanted in (None, name))

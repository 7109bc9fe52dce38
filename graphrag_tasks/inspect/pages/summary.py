"""What the pages of one snapshot show: a summary, names that were searched, and relations."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.inspect.pages.reader import Reader
from graphrag_tasks.retrieval import Index, RelationHit
from graphrag_tasks.snapshots.manifests import StageCost

_MOST_NAMES = 30
_CHANGES = ("added", "changed", "removed", "unchanged")
_FAILURE = ["uri", "status", "error_code", "error_message"]


@dataclass(frozen=True)
class Summary:
    """One snapshot, as far as the reader may see it.

    Attributes:
        counts: Rows of its tables, by name for people.
        changes: Documents by change since the snapshot before; empty with labels.
        statuses: Documents by status.
        failed: Documents that could not be read: uri, error code and message.
        stages: The cost of each stage; empty with labels.
        quality: Figures of the gate: name, value, and the value of the snapshot before, if kept.
        mentioned: Name, type and mentions of the entities that are mentioned most.
    """

    counts: dict[str, int | float]
    changes: dict[str, int | float]
    statuses: dict[str, int]
    failed: list[dict[str, Any]]
    stages: list[StageCost]
    quality: list[tuple[str, float, float | None]]
    mentioned: list[dict[str, Any]]


def summarize(reader: Reader, index: Index) -> Summary:
    """Return the summary of a snapshot; `reader` finds the snapshot before.

    A reader who may not see every document gets counts of the visible ones, and no figures of the
    run, which cover all documents.
    """
    words = json.loads(files(__package__).joinpath("words.json").read_text("utf-8"))
    manifest = index.snapshot.manifest
    documents = index.snapshot.table("documents", _FAILURE).to_pylist()
    known = manifest.stats.get("counts", {})
    counts = {said: known[name] for name, said in words["counts"].items() if name in known}
    if not known:
        facts = asdict(index.facts)
        counts = {name: facts[name] for name in ("chunks", "entities", "relations")}
    figures, before = manifest.stats.get("quality", {}), dict[str, float]()
    if figures:
        found = [one for one in reader.store.manifests() if one.snapshot_id == manifest.parent_id]
        before = found[0].stats.get("quality", {}) if found else {}
    return Summary(
        counts=counts,
        changes={name: known[name] for name in _CHANGES if name in known},
        statuses=dict(sorted(Counter(row["status"] for row in documents).items())),
        failed=[row for row in documents if row["status"] == "failed"],
        stages=manifest.stats.get("stages", []),
        quality=[(words["quality"].get(name, name), value, before.get(name))
                 for name, value in figures.items()],
        mentioned=_most_mentioned(_entities(index)),
    )  # fmt: skip


def names_with(index: Index, text: str) -> list[dict[str, Any]]:
    """Return name, type and mentions of the entities whose name holds a text, in any case."""
    if not text.strip():
        return []
    entities = _entities(index)
    held = pc.match_substring(entities["name"], text.strip(), ignore_case=True)
    return _most_mentioned(entities.filter(held))


def neighbors(index: Index, name: str) -> tuple[tuple[RelationHit, ...], str]:
    """Return the relations of the entity with a name, or none and the reason."""
    if not name.strip():
        return (), ""
    try:
        return index.neighbors(name), ""
    except QueryError as error:
        return (), str(error)


def _entities(index: Index) -> pa.Table:
    return index.snapshot.table("entities", ["name", "type", "mentions"])


def _most_mentioned(entities: pa.Table) -> list[dict[str, Any]]:
    order = [("mentions", "descending"), ("name", "ascending")]
    found: list[dict[str, Any]] = entities.sort_by(order).slice(0, _MOST_NAMES).to_pylist()
    return found

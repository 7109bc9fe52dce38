"""What the page of one snapshot shows."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from graphrag_tasks.inspect.pages.reader import Reader
from graphrag_tasks.retrieval import Index
from graphrag_tasks.snapshots.manifests import StageCost

_MENTIONED = 30
_QUALITY = {
    "triples_per_sentence": "triples per sentence that was read",
    "orphan_share": "share of entities without a relation",
    "largest_component_share": "share of entities in the largest component",
    "merge_rate": "merges per name",
    "recall@5": "Recall@5 of the questions",
}
_COUNTS = {
    "documents": "documents",
    "pages": "pages",
    "chunks": "chunks",
    "sentences": "sentences",
    "sentences_kept": "sentences read",
    "triples": "triples",
    "entities": "entities",
    "relations": "relations",
    "communities": "communities",
    "vectors": "vectors",
    "vectors_inserted": "vectors inserted into the server",
}
_CHANGES = ("added", "changed", "removed", "unchanged")


@dataclass(frozen=True)
class Summary:
    """One snapshot, as far as the reader sees it.

    Attributes:
        counts: What it holds, in words.
        changes: Documents by what became of them since the snapshot before; empty with labels.
        statuses: Documents by status.
        failed: Documents that could not be read: uri, error code and message.
        stages: What each stage cost; empty with labels.
        quality: Figures of the gate: name, value, and the value of the snapshot before, if kept.
        mentioned: The entities that are mentioned most: name, type and mentions.
    """

    counts: dict[str, int | float]
    changes: dict[str, int | float]
    statuses: dict[str, int]
    failed: list[dict[str, Any]]
    stages: list[StageCost]
    quality: list[tuple[str, float, float | None]]
    mentioned: list[dict[str, Any]]


def summarize(reader: Reader, index: Index) -> Summary:
    """Return what there is to say of a snapshot.

    A reader who does not see every document gets counts of what they see, and nothing of the run,
    whose figures are of all documents.

    Args:
        reader: Finds the snapshot before.
        index: The opened snapshot.
    """
    manifest = index.snapshot.manifest
    documents = index.snapshot.table("documents", _COLUMNS).to_pylist()
    known = manifest.stats.get("counts", {})
    counts = {words: known[name] for name, words in _COUNTS.items() if name in known}
    if not known:
        facts = asdict(index.facts)
        counts = {name: facts[name] for name in ("chunks", "entities", "relations")}
    entities = index.snapshot.table("entities", ["name", "type", "mentions"])
    return Summary(
        counts=counts,
        changes={name: known[name] for name in _CHANGES if name in known},
        statuses=dict(sorted(Counter(row["status"] for row in documents).items())),
        failed=[row for row in documents if row["status"] == "failed"],
        stages=manifest.stats.get("stages", []),
        quality=_quality(reader, manifest.stats.get("quality", {}), manifest.parent_id),
        mentioned=entities.sort_by([("mentions", "descending"), ("name", "ascending")])
        .slice(0, _MENTIONED)
        .to_pylist(),
    )


_COLUMNS = ["uri", "status", "error_code", "error_message"]


def _quality(
    reader: Reader, figures: dict[str, float], parent_id: str | None
) -> list[tuple[str, float, float | None]]:
    before: dict[str, float] = {}
    if figures:
        found = [one for one in reader.store.manifests() if one.snapshot_id == parent_id]
        before = found[0].stats.get("quality", {}) if found else {}
    return [(_QUALITY.get(name, name), one, before.get(name)) for name, one in figures.items()]

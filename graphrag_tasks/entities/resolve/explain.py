"""Explain an entity: its names, and the decisions that joined or separated them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.errors import SnapshotError
from graphrag_tasks.core.visible import did_you_mean
from graphrag_tasks.language.names import entity_key, told
from graphrag_tasks.language.times import EVIDENCE_COLUMNS, times_of, when
from graphrag_tasks.storage.snapshots.store import Snapshot

_MOST_RELATIONS = 10  # Relations listed for an entity, by weight; chosen.


@dataclass(frozen=True)
class EntityExplanation:
    """An entity of a snapshot, with its evidence.

    Attributes:
        type_source: Source of its type, as in `schemas.ENTITIES`.
        mentions: Number of its mentions.
        aliases: Surface forms with their mentions, the most frequent first.
        decisions: Rows of `schemas.MERGES` with one of its names, `same` first.
        relations: Its strongest relations in words with their times, and the number of triples.
        documents: Titles of the documents that mention it, with their mentions.
    """

    entity_id: str
    name: str
    type: str | None
    type_source: str | None
    mentions: int
    aliases: list[tuple[str, int]]
    decisions: list[dict[str, Any]]
    relations: list[tuple[str, int]]
    documents: list[tuple[str, int]]

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values."""
        return asdict(self)


def explain_entity(snapshot: Snapshot, name: str) -> EntityExplanation:
    """Explain the entity of a name, in any of its spellings."""
    resolved = snapshot.table("resolved")
    key = entity_key(name)
    found = resolved.filter(pc.equal(resolved["key"], key))
    if not found.num_rows:
        hint = did_you_mean(key, resolved["key"].to_pylist())
        raise SnapshotError(f"no entity is called '{name}'", snapshot.folder.uri, hint)
    entity_id = found["entity_id"][0].as_py()
    keys = resolved.filter(pc.equal(resolved["entity_id"], entity_id))["key"].combine_chunks()
    row = found.slice(0, 1).to_pylist()[0]
    mentions = _of_entity(snapshot.table("mentions", ["entity_id", "document_id"]), entity_id)
    return EntityExplanation(
        entity_id=entity_id,
        name=row["name"],
        type=row["type"],
        type_source=row["type_source"],
        mentions=mentions.num_rows,
        aliases=_aliases(snapshot, entity_id),
        decisions=_decisions(snapshot, keys),
        relations=_relations(snapshot, entity_id),
        documents=_documents(snapshot, mentions),
    )


def _of_entity(table: pa.Table, entity_id: str) -> pa.Table:
    return table.filter(pc.equal(table["entity_id"], entity_id))


def _aliases(snapshot: Snapshot, entity_id: str) -> list[tuple[str, int]]:
    rows = _of_entity(snapshot.table("aliases"), entity_id).to_pylist()
    return sorted(((row["alias"], row["mentions"]) for row in rows), key=lambda r: (-r[1], r[0]))


def _decisions(snapshot: Snapshot, keys: pa.Array) -> list[dict[str, Any]]:
    merges = snapshot.table("merges")
    concerned = pc.or_(pc.is_in(merges["left"], value_set=keys), pc.is_in(merges["right"], value_set=keys))
    rows: list[dict[str, Any]] = merges.filter(concerned).to_pylist()
    return sorted(rows, key=lambda row: (row["verdict"] != "same", row["left"], row["right"]))


def _relations(snapshot: Snapshot, entity_id: str) -> list[tuple[str, int]]:
    relations = snapshot.table("relations")
    ends = (pc.equal(relations[end], entity_id) for end in ("head_id", "tail_id"))
    rows = relations.filter(pc.or_(*ends)).to_pylist()
    rows.sort(key=lambda row: (-row["weight"], -row["confidence"], row["text"]))
    rows = rows[:_MOST_RELATIONS]
    times = times_of(snapshot.table("evidence", EVIDENCE_COLUMNS))
    names = _names(snapshot, {row[end] for row in rows for end in ("head_id", "tail_id")})
    shown = []
    for row in rows:
        words = told(names[row["head_id"]], row["phrase"], names[row["tail_id"]])
        time = when(times.get(row["relation_id"]))
        shown.append((f"{words} ({time})" if time else words, int(row["weight"])))
    return shown


def _names(snapshot: Snapshot, entity_ids: set[str]) -> dict[str, str]:
    entities = snapshot.table("entities", ["entity_id", "name"])
    wanted = pa.array(sorted(entity_ids), pa.string())
    rows = entities.filter(pc.is_in(entities["entity_id"], value_set=wanted))
    return dict(zip(rows["entity_id"].to_pylist(), rows["name"].to_pylist(), strict=True))


def _documents(snapshot: Snapshot, mentions: pa.Table) -> list[tuple[str, int]]:
    counts = mentions.group_by("document_id").aggregate([([], "count_all")])
    titles = snapshot.table("documents", ["document_id", "title"])
    rows = counts.join(titles, "document_id").to_pylist()
    return sorted(((row["title"], row["count_all"]) for row in rows), key=lambda r: (-r[1], r[0]))

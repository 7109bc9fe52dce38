"""Some facts as a part of the graph: those in which two snapshots differ, or of a list."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.graph.drawing import ENTITIES, GAINED, LOST, RELATIONS, Selection
from graphrag_tasks.graph.relation_kinds import FACT
from graphrag_tasks.inspect.export.selection import agreeing_phrases
from graphrag_tasks.storage.snapshots.store import Snapshot

_SHOWN = 8  # Digits of a snapshot id in the title.


def changed_facts(before: Snapshot, after: Snapshot, *, limit: int = 40) -> Selection:
    """Return the facts that only one of two snapshots has, with their entities.

    The limit counts facts and keeps those with most support, half gained and half lost if there are enough. Entities
    that only one snapshot has are marked, too.
    """
    old, new = _facts(before), _facts(after)
    gained, lost = _missing(new, "relation_id", old), _missing(old, "relation_id", new)
    room = max(limit - lost.num_rows, (limit + 1) // 2)
    gained = gained.slice(0, room)
    lost = lost.slice(0, limit - gained.num_rows)
    changes = dict.fromkeys(gained["relation_id"].to_pylist(), GAINED)
    changes |= dict.fromkeys(lost["relation_id"].to_pylist(), LOST)
    relations = pa.concat_tables([gained, lost])
    ends = _ends(relations)
    entities, left = (_entities(snapshot, ends) for snapshot in (after, before))
    gone = _missing(left, "entity_id", entities)
    changes |= dict.fromkeys(gone["entity_id"].to_pylist(), LOST)
    came = _missing(entities, "entity_id", left)
    changes |= dict.fromkeys(came["entity_id"].to_pylist(), GAINED)
    entities = pa.concat_tables([entities, gone]).sort_by("entity_id")
    title = f"From {before.snapshot_id[:_SHOWN]} to {after.snapshot_id[:_SHOWN]}"
    return Selection(title, entities, agreeing_phrases(relations, entities), changes=changes)


def listed_facts(snapshot: Snapshot, title: str, relation_ids: Sequence[str]) -> Selection:
    """Return the relations with these ids that are facts, with their entities."""
    facts = _facts(snapshot)
    facts = facts.filter(pc.is_in(facts["relation_id"], value_set=pa.array(relation_ids)))
    entities = _entities(snapshot, _ends(facts)).sort_by("entity_id")
    return Selection(title, entities, agreeing_phrases(facts, entities))


def _ends(relations: pa.Table) -> pa.Array:
    return pa.concat_arrays([relations[end].combine_chunks() for end in ("head_id", "tail_id")])


def _facts(snapshot: Snapshot) -> pa.Table:
    relations = snapshot.table("relations")
    relations = relations.filter(pc.equal(relations["kind"], FACT))
    relations = relations.sort_by([("weight", "descending"), ("relation_id", "ascending")])
    relations = relations.append_column("support", relations["weight"])
    return relations.select(RELATIONS.names).cast(RELATIONS)


def _missing(rows: pa.Table, key: str, others: pa.Table) -> pa.Table:
    known = pc.is_in(rows[key], value_set=others[key].combine_chunks())
    return rows.filter(pc.invert(known))


def _entities(snapshot: Snapshot, ids: pa.Array) -> pa.Table:
    entities = snapshot.table("entities", ENTITIES.names)
    return entities.filter(pc.is_in(entities["entity_id"], value_set=ids)).cast(ENTITIES)

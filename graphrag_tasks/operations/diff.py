"""The differences between two snapshots of a store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.storage.snapshots.store import Snapshot

_TABLES = {
    "documents": ("document_id", "uri", "content_sha256"),
    "entities": ("entity_id", "name", "name"),
    "relations": ("relation_id", "text", "weight"),
    "communities": ("community_id", "title", "member_sha256"),
}
"""Compared tables: columns of the id, the name and the content."""


@dataclass(frozen=True)
class Changes:
    """Names of rows that only the later or only the earlier snapshot has, or that differ."""

    gained: tuple[str, ...]
    lost: tuple[str, ...]
    changed: tuple[str, ...] = ()


def difference(before: Snapshot, after: Snapshot) -> dict[str, Changes]:
    """Return which documents, entities, relations and communities were gained, lost and changed.

    A document changed if its bytes did, a relation if its weight did, and a community if its members did.
    """
    return {table: _changes(before, after, table, *columns) for table, columns in _TABLES.items()}


def _changes(before: Snapshot, after: Snapshot, table: str, key: str, name: str, content: str) -> Changes:
    columns = list(dict.fromkeys((key, name, content)))
    left, right = before.table(table, columns), after.table(table, columns)
    gained = right.filter(pc.invert(pc.is_in(right[key], left[key].combine_chunks())))
    lost = left.filter(pc.invert(pc.is_in(left[key], right[key].combine_chunks())))
    old = pa.table({"key": left[key], "before": left[content]})
    new = pa.table({"key": right[key], "name": right[name], "after": right[content]})
    both = new.join(old, "key", join_type="inner")
    changed = both.filter(pc.fill_null(pc.not_equal(both["before"], both["after"]), False))
    return Changes(_names(gained[name]), _names(lost[name]), _names(changed["name"]))


def _names(column: Iterable[pa.Scalar]) -> tuple[str, ...]:
    return tuple(sorted(str(one.as_py()) for one in column))

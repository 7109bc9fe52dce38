"""What two snapshots of a store have not in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.snapshots.store import Snapshot


@dataclass(frozen=True)
class Changes:
    """Rows of one kind that only one of two snapshots has, or that differ; named for people.

    Attributes:
        gained: Only in the later one.
        lost: Only in the earlier one.
        changed: In both, with other contents.
    """

    gained: tuple[str, ...]
    lost: tuple[str, ...]
    changed: tuple[str, ...] = ()


def difference(before: Snapshot, after: Snapshot) -> dict[str, Changes]:
    """Return what documents, entities, relations and communities were gained, lost and changed.

    A document changed when its bytes did; a relation when its evidence grew or shrank; a community
    when its members did, which makes it another one.

    Args:
        before: The earlier snapshot.
        after: The later one.
    """
    return {
        "documents": _changes(before, after, "documents", "document_id", "uri", "content_sha256"),
        "entities": _changes(before, after, "entities", "entity_id", "name", "name"),
        "relations": _changes(before, after, "relations", "relation_id", "text", "weight"),
        "communities": _changes(
            before, after, "communities", "community_id", "title", "member_sha256"
        ),
    }


def _changes(
    before: Snapshot, after: Snapshot, table: str, key: str, name: str, content: str
) -> Changes:
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

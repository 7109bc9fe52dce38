"""What there is of a name that was typed."""

from __future__ import annotations

from typing import Any

import pyarrow.compute as pc

from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.retrieval import Index, RelationHit

_MOST = 30


def names_with(index: Index, text: str) -> list[dict[str, Any]]:
    """Return entities whose name holds a text, the most mentioned first: name, type, mentions.

    Args:
        index: The opened snapshot.
        text: Any text; case does not count.
    """
    if not text.strip():
        return []
    entities = index.snapshot.table("entities", ["name", "type", "mentions"])
    held = pc.match_substring(entities["name"], text.strip(), ignore_case=True)
    order = [("mentions", "descending"), ("name", "ascending")]
    found: list[dict[str, Any]] = entities.filter(held).sort_by(order).slice(0, _MOST).to_pylist()
    return found


def neighbors(index: Index, name: str) -> tuple[tuple[RelationHit, ...], str]:
    """Return the relations of the entity of a name; or none, and why.

    Args:
        index: The opened snapshot.
        name: Any text; blank: nothing is looked for.
    """
    if not name.strip():
        return (), ""
    try:
        return index.neighbors(name), ""
    except QueryError as error:
        return (), str(error)

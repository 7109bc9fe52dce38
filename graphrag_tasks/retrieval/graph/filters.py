"""Filters by document fields, which decide which chunks may be returned."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.storage.columns import column
from graphrag_tasks.storage.snapshots.store import Snapshot

Filters = Mapping[str, str | Iterable[str]]
"""For each field, a value or pattern, or several alternatives."""

FIELDS = ("document_id", "uri", "source", "path", "media_type", "title", "language", "heading")
"""Columns of `documents`, and `heading`: any heading above the chunk."""


def allowed_chunks(snapshot: Snapshot, graph: Graph, filters: Filters) -> NDArray[np.bool_]:
    """Return which chunks all filters allow, shape (chunks,).

    Values are compared without case and may be file name patterns (`docs/*.md`).

    Raises:
        QueryError: A field is unknown, a value is no text, or the filters are not by field.
    """
    if not isinstance(filters, Mapping):
        example = "For example {'uri': 'docs/*.md'}"
        raise QueryError(f"must be values by field (got {filters!r})", "filters", example)
    allowed = np.ones(len(graph.chunks), dtype=np.bool_)
    for field, values in filters.items():
        patterns = _patterns(field, values)
        if field == "heading":
            paths = column(snapshot.table("chunks", ["heading_path"]), "heading_path").to_pylist()
            allowed &= np.array([_matches(path, patterns) for path in paths], dtype=np.bool_)
        else:
            found = column(snapshot.table("documents", [field]), field).to_pylist()
            fits = np.array([_matches([one or ""], patterns) for one in found], dtype=np.bool_)
            allowed &= fits[graph.chunk_documents]
    return allowed


def _patterns(field: str, values: str | Iterable[str]) -> list[str]:
    if field not in FIELDS:
        near = difflib.get_close_matches(field, FIELDS, n=1)
        hint = f"Did you mean '{near[0]}'? " if near else ""
        raise QueryError(
            f"there is no field '{field}'", "filters", f"{hint}Fields: {', '.join(FIELDS)}"
        )
    listed = values if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    patterns = list(listed)
    if wrong := [pattern for pattern in patterns if not isinstance(pattern, str)]:
        raise QueryError(f"a value must be text (got {wrong[0]!r})", f"filters, {field}")
    return [pattern.casefold() for pattern in patterns]


def _matches(values: Iterable[str], patterns: Iterable[str]) -> bool:
    folded = [value.casefold() for value in values]
    return any(
        value == pattern or fnmatchcase(value, pattern) for pattern in patterns for value in folded
    )

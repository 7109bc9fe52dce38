"""Filters by document fields, which decide which chunks may be returned."""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.language.known_names import is_written_as_name
from graphrag_tasks.language.names import INCLUDES
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.storage.artifacts import column
from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.versions.chains import order_of
from graphrag_tasks.versions.told import Releases

_IS = frozenset({"be", "be a", "be an", "is a"})


def kinds(graph: Graph, entity: int) -> set[str]:
    """Return the terms of an entity's name, type, and stated kinds.

    A common noun counts only by its last word: a "table view" is no table.
    """
    name = graph.entity_names[entity]
    own = terms(name)
    found = set(own if is_written_as_name(name.split()) else own[-1:])
    found |= set(terms(graph.entity_types[entity] or ""))
    for relation, other in graph.steps(entity):
        words = graph.relation_words[relation]
        is_head = graph.heads[relation] == entity
        if not graph.denied[relation] and words in (_IS if is_head else INCLUDES):
            found |= set(terms(graph.entity_names[other])[-1:])
    return found


Filters = Mapping[str, str | Iterable[str]]  # For each field, a value or pattern, or several alternatives.

_OF_DOCUMENTS = ("document_id", "uri", "source", "path", "media_type", "title", "language")
FIELDS = (*_OF_DOCUMENTS, "heading", "release", "as_of")
"""Columns of `documents`; `heading`: any heading above the chunk; `release` of documents that have versions;
`as_of`: of these the newest that is not newer than this release or date. Beside them any key of the documents' own
metadata."""
_NAMED = 30  # Fields that an error names.
_GIVEN = re.compile(r"\s*([^=<>]*[^=<>\s])\s*(?:=|(?=[<>]))\s*(.*\S)\s*")
"""A filter in one text: a field, and the values that it takes."""
_COMPARED = re.compile(r"(>=|<=|>|<)\s*(.+)")
_COMPARE = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}


def read_filters(texts: Iterable[str]) -> dict[str, list[str]]:
    """Return the filters that texts like `release>=5.0` and `path=docs/*` say.

    Values of one field are alternatives.
    """
    found: dict[str, list[str]] = {}
    for text in texts:
        if (given := _GIVEN.fullmatch(text)) is None:
            raise QueryError("is no FIELD=VALUE", f"filter '{text}'", "For example as_of=2024")
        found.setdefault(given[1], []).append(given[2])
    return found


def values_of_fields(snapshot: Snapshot, graph: Graph) -> dict[str, list[str]]:
    """Return the values of media types, releases and each key of own metadata, sorted."""
    types = snapshot.table("documents", ["media_type"])
    found = {"media_type": {one for one in column(types, "media_type").to_pylist() if one}}
    found["release"] = set(Releases(snapshot).of.values())
    for field, by_row in graph.metadata.items():
        found.setdefault(field, set()).update(chain.from_iterable(by_row.values()))
    return {field: sorted(values) for field, values in found.items()}


def allowed_chunks(snapshot: Snapshot, graph: Graph, filters: Filters) -> NDArray[np.bool_]:
    """Return which chunks all filters allow, shape (chunks,).

    Values are compared without case and may be file name patterns (`docs/*.md`); releases, dates and numbers also as in
    `>=5.0`.
    """
    if not isinstance(filters, Mapping):
        example = "For example {'uri': 'docs/*.md'}"
        raise QueryError(f"must be values by field (got {filters!r})", "filters", example)
    allowed = np.ones(len(graph.chunks), dtype=np.bool_)
    for field, values in filters.items():
        patterns = _patterns(field, values, graph.metadata)
        if field == "heading":
            paths = column(snapshot.table("chunks", ["heading_path"]), "heading_path").to_pylist()
            allowed &= np.array([_matches(path, patterns) for path in paths], dtype=np.bool_)
            continue
        if field in _OF_DOCUMENTS:
            found = column(snapshot.table("documents", [field]), field).to_pylist()
            fits = [_matches([one or ""], patterns) for one in found]
        elif field == "as_of":
            fits = _as_of(snapshot, patterns)
        else:
            fits = [_matches(one, patterns) for one in _values(snapshot, field, graph)]
        allowed &= np.array(fits, dtype=np.bool_)[graph.chunk_documents]
    return allowed


def _values(snapshot: Snapshot, field: str, graph: Graph) -> Iterator[Sequence[str]]:
    """Yield each document's values of its own metadata, and its release among versions."""
    ids = column(snapshot.table("documents", ["document_id"]), "document_id").to_pylist()
    known = Releases(snapshot).of if field == "release" else {}
    own = graph.metadata.get(field, {})
    for row, document in enumerate(ids):
        release = [known[document]] if document in known else []
        yield [*own.get(row, ()), *release]


def _as_of(snapshot: Snapshot, patterns: Sequence[str]) -> list[bool]:
    if wrong := [one for one in patterns if not order_of(one)]:
        raise QueryError(f"is no release or date (got {wrong[0]!r})", "filters, as_of")
    kept = [Releases(snapshot).up_to(one) for one in patterns]
    ids = column(snapshot.table("documents", ["document_id"]), "document_id").to_pylist()
    return [any(one.get(document, True) for one in kept) for document in ids]


def _patterns(field: str, values: str | Iterable[str], own: Iterable[str]) -> list[str]:
    known = [*FIELDS, *own]
    if field not in known:
        near = difflib.get_close_matches(str(field), known, n=1)
        hint = f"Did you mean '{near[0]}'? " if near else ""
        named = ", ".join(known[:_NAMED]) + (", …" if len(known) > _NAMED else "")
        raise QueryError(f"there is no field '{field}'", "filters", f"{hint}Fields: {named}")
    listed = values if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    patterns = list(listed)
    if wrong := [pattern for pattern in patterns if not isinstance(pattern, str)]:
        raise QueryError(f"a value must be text (got {wrong[0]!r})", f"filters, {field}")
    return [pattern.casefold() for pattern in patterns]


def _matches(values: Iterable[str], patterns: Iterable[str]) -> bool:
    folded = [value.casefold() for value in values]
    return any(_fits(value, pattern) for pattern in patterns for value in folded)


def _fits(value: str, pattern: str) -> bool:
    if compared := _COMPARED.fullmatch(pattern):
        own, other = order_of(value), order_of(compared[2])
        return bool(own and other and _COMPARE[compared[1]](own, other))
    return value == pattern or fnmatchcase(value, pattern)

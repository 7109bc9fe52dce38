"""Data frames of a snapshot's tables: readable names first, ids last.

They use the visible snapshot of the index.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from graphrag_tasks.core.commands import brought_by
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.view.arrays import Adjacency
from graphrag_tasks.storage.columns import Rows, column
from graphrag_tasks.storage.snapshots.store import Snapshot

if TYPE_CHECKING:
    import pandas as pd

_CENTRAL = 5  # Members of a community that are named.


def documents(snapshot: Snapshot, graph: Graph) -> pd.DataFrame:
    """Return the frame of `Browser.documents`."""
    names = ["document_id", "uri", "title", "media_type", "language", "status", "pages_in",
             "characters", "error_message"]  # fmt: skip
    rows = _columns(snapshot, "documents", names)
    count = len(rows["uri"])
    return _frame(
        {
            "title": rows["title"],
            "uri": rows["uri"],
            "media_type": rows["media_type"],
            "language": rows["language"],
            "status": rows["status"],
            "problem": rows["error_message"],
            "pages": rows["pages_in"],
            "characters": rows["characters"],
            "chunks": np.bincount(graph.chunk_documents, minlength=count),
            "entities": _times_reached(_in_documents(graph, graph.entity_chunks, count)),
            "relations": _times_reached(_in_documents(graph, graph.relation_chunks, count)),
            "document_id": rows["document_id"],
        },
        largest=["characters"],
        then=["uri"],
        whole=["pages"],
    )


def entities(snapshot: Snapshot, graph: Graph) -> pd.DataFrame:
    """Return the frame of `Browser.entities`."""
    rows = _columns(snapshot, "entities", ["entity_id", "name", "type", "mentions", "chunks"])
    documents = snapshot.table("documents", ["document_id"]).num_rows
    aliases = _aliases(snapshot)
    named = zip(rows["entity_id"], rows["name"], strict=True)
    return _frame(
        {
            "name": rows["name"],
            "type": rows["type"],
            "mentions": rows["mentions"],
            "chunks": rows["chunks"],
            "documents": _reached(_in_documents(graph, graph.entity_chunks, documents)),
            "relations": graph.degrees,
            "aliases": ["; ".join(alias for alias in aliases.get(one, ()) if alias != name) for one, name in named],
            "entity_id": rows["entity_id"],
        },
        largest=["mentions"],
        then=["name", "entity_id"],
    )


def relations(snapshot: Snapshot, graph: Graph) -> pd.DataFrame:
    """Return the frame of `Browser.relations`."""
    names = ["relation_id", "head_id", "tail_id", "relation", "kind", "negated", "weight",
             "confidence"]  # fmt: skip
    rows = _columns(snapshot, "relations", names)
    documents = snapshot.table("documents", ["document_id"]).num_rows
    called = graph.entity_names
    return _frame(
        {
            "head": [called[row] for row in graph.heads.tolist()],
            "phrase": [graph.said(row) for row in range(len(graph.relations))],
            "tail": [called[row] for row in graph.tails.tolist()],
            "relation": rows["relation"],
            "kind": rows["kind"],
            "negated": rows["negated"],
            "stated": np.round(rows["weight"]).astype(np.int64),
            "confidence": rows["confidence"],
            "documents": _reached(_in_documents(graph, graph.relation_chunks, documents)),
            "relation_id": rows["relation_id"],
            "head_id": rows["head_id"],
            "tail_id": rows["tail_id"],
        },
        largest=["stated", "confidence"],
        then=["head", "phrase", "tail", "relation_id"],
    )


def communities(snapshot: Snapshot, graph: Graph) -> pd.DataFrame:
    """Return the frame of `Index.communities` without a question."""
    names = ["community_id", "level", "parent_id", "title", "summary", "size"]
    rows = _columns(snapshot, "communities", names)
    titles = dict(zip(rows["community_id"], rows["title"], strict=True))
    central = _central_members(snapshot, graph)
    return _frame(
        {
            "title": rows["title"],
            "level": rows["level"],
            "size": rows["size"],
            "members": ["; ".join(central.get(community, ())) for community in rows["community_id"]],
            "parent": [titles.get(parent) for parent in rows["parent_id"]],
            "summary": rows["summary"],
            "community_id": rows["community_id"],
            "parent_id": rows["parent_id"],
        },
        first=["level"],
        largest=["size"],
        then=["title", "community_id"],
    )


def chunks(snapshot: Snapshot, graph: Graph) -> pd.DataFrame:
    """Return the frame of `Browser.chunks`."""
    names = ["chunk_id", "document_id", "ordinal", "heading_path", "text", "page_start",
             "page_end", "is_reference"]  # fmt: skip
    rows = _columns(snapshot, "chunks", names)
    about = _columns(snapshot, "documents", ["title", "uri"])
    of = graph.chunk_documents.tolist()
    return _frame(
        {
            "title": [about["title"][row] for row in of],
            "uri": [about["uri"][row] for row in of],
            "place": rows["ordinal"],
            "headings": [" > ".join(one) for one in rows["heading_path"]],
            "text": rows["text"],
            "characters": np.array([len(one) for one in rows["text"]], dtype=np.int64),
            "page_start": rows["page_start"],
            "page_end": rows["page_end"],
            "entities": _times_reached(graph.entity_chunks),
            "relations": _reached(graph.chunk_relations),
            "is_reference": rows["is_reference"],
            "chunk_id": rows["chunk_id"],
            "document_id": rows["document_id"],
        },
        then=["uri", "place"],
        whole=["page_start", "page_end"],
    )


def _columns(snapshot: Snapshot, name: str, columns: list[str]) -> dict[str, Any]:
    """Return columns of a table: numbers without nulls as arrays, others as lists."""
    rows = snapshot.table(name, columns)
    found = {one: column(rows, one) for one in columns}
    return {
        one: values.to_numpy(zero_copy_only=False) if _is_array(values) else values.to_pylist()
        for one, values in found.items()
    }


def _is_array(values: pa.Array[Any]) -> bool:
    return bool(pa.types.is_primitive(values.type)) and not values.null_count


def _frame(
    columns: Mapping[str, Any],
    *,
    first: Sequence[str] = (),
    largest: Sequence[str] = (),
    then: Sequence[str] = (),
    whole: Sequence[str] = (),
) -> pd.DataFrame:
    """Return a frame, ordered by columns: ascending, descending, ascending again.

    Columns in `whole` are integers with gaps; other lists are texts.
    """
    with brought_by("notebook"):
        import pandas as pd

    texts = [name for name, values in columns.items() if isinstance(values, list)]
    types = dict.fromkeys(texts, pd.Series(["text"]).dtype) | dict.fromkeys(whole, "Int64")
    frame = pd.DataFrame(dict(columns)).astype(types)
    ascending = [True] * len(first) + [False] * len(largest) + [True] * len(then)
    by = [*first, *largest, *then]
    return frame.sort_values(by, ascending=ascending, kind="stable", ignore_index=True)


def _in_documents(graph: Graph, near: Adjacency, documents: int) -> Adjacency:
    sources = np.repeat(np.arange(len(near.offsets) - 1), np.diff(near.offsets))
    targets = graph.chunk_documents[near.neighbours]
    return Adjacency.from_pairs(sources, targets, len(near.offsets) - 1, documents)


def _reached(near: Adjacency) -> Rows:
    return np.diff(near.offsets)


def _times_reached(near: Adjacency) -> Rows:
    return np.bincount(near.neighbours, minlength=near.target_count)


def _aliases(snapshot: Snapshot) -> dict[str, list[str]]:
    rows = snapshot.table("aliases", ["entity_id", "alias", "mentions"])
    order = [("entity_id", "ascending"), ("mentions", "descending"), ("alias", "ascending")]
    ordered = rows.sort_by(order).to_pylist()
    groups = groupby(ordered, key=lambda row: str(row["entity_id"]))
    return {one: [str(row["alias"]) for row in group] for one, group in groups}


def _central_members(snapshot: Snapshot, graph: Graph) -> dict[str, list[str]]:
    rows = snapshot.table("members", ["community_id", "entity_id", "centrality"])
    order = [("community_id", "ascending"), ("centrality", "descending"),
             ("entity_id", "ascending")]  # fmt: skip
    ordered = rows.sort_by(order).to_pylist()
    ids = graph.entities.ids.to_pylist()
    names = dict(zip(ids, graph.entity_names, strict=True))
    groups = groupby(ordered, key=lambda row: str(row["community_id"]))
    return {one: [names[row["entity_id"]] for row in group][:_CENTRAL] for one, group in groups}

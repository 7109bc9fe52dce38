"""Nodes and edges as Arrow arrays, and their view in igraph.

Nodes are entities and chunks. Edges are relations between entities, mentions of an entity in a chunk, titles (an entity
and the chunks under its name), and the `next` chunk. Snapshots store the arrays, readers memory-map them. Ids are
numbered in SQL, out of core; nothing here loops over rows in Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.core.schemas import EDGES, NODES
from graphrag_tasks.graph.weights import FACT, MENTION, Rows, mention_weights, relation_weights
from graphrag_tasks.storage.sql import Connection, sql_over, with_row
from graphrag_tasks.storage.sql import Rows as Scanned

if TYPE_CHECKING:
    import igraph

ENTITY, CHUNK = "entity", "chunk"
RELATION, ASSOCIATION = "relation", "association"
TITLE, NEXT = "title", "next"

_RELATED = ["head_id", "tail_id", "kind", "weight", "confidence"]
_RELATIONS = f"""
    SELECT h.node AS source, t.node AS target, weight, confidence,
        CASE WHEN kind = '{FACT}' THEN '{RELATION}' ELSE '{ASSOCIATION}' END AS kind
    FROM relations JOIN entity AS h ON h.id = head_id JOIN entity AS t ON t.id = tail_id
    ORDER BY row
"""  # noqa: S608 - made of constants
_MENTIONS = """
    SELECT entity.node::BIGINT << 32 | chunk.node AS ends
    FROM {table} JOIN entity ON entity.id = entity_id JOIN chunk ON chunk.id = chunk_id
"""


def build_nodes(entities: pa.Table, chunks: pa.Table) -> pa.Table:
    """Return `schemas.NODES`: entities first, then chunks, in their order."""
    kinds = [pa.repeat(ENTITY, entities.num_rows), pa.repeat(CHUNK, chunks.num_rows)]
    ids = [*entities["entity_id"].chunks, *chunks["chunk_id"].chunks]
    return pa.table([pa.chunked_array(kinds, pa.string()), pa.chunked_array(ids, pa.string())], schema=NODES)


class _Edges(NamedTuple):
    """Edges of one kind; `_joined` casts the columns to the types of `schemas.EDGES`."""

    kinds: pa.Array[Any]
    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    support: NDArray[Any]
    weights: NDArray[np.floating]


def build_edges(
    nodes: pa.Table, chunks: pa.Table, relations: Scanned, mentions: Scanned, titles: Scanned,
) -> pa.Table:  # fmt: skip
    """Return `schemas.EDGES`: relations in their order, then the other kinds.

    The table has one chunk, as an Arrow file of one batch needs it.
    """
    ids = nodes["id"].combine_chunks()
    entities = count_entities(nodes)
    numbered = pa.table({"id": ids, "node": pa.array(np.arange(len(ids), dtype=np.int32))})
    inputs = {
        "entity": numbered.slice(0, entities), "chunk": numbered.slice(entities),
        "relations": with_row(relations, _RELATED), "mentions": mentions, "titles": titles,
    }  # fmt: skip
    following = chunks.filter(pc.is_valid(chunks["next_id"]))
    once = np.ones(following.num_rows)

    def rows(column: pa.ChunkedArray) -> NDArray[np.int32]:
        found: NDArray[np.int32] = pc.index_in(column, value_set=ids).to_numpy()
        return found

    with sql_over(inputs) as connection:
        edges = [
            _relations(connection, entities),
            _mentions(connection, MENTION, len(ids) - entities),
            _mentions(connection, TITLE, len(ids) - entities),
            _Edges(pa.repeat(NEXT, len(once)), rows(following["chunk_id"]),
                   rows(following["next_id"]), once, once),
        ]  # fmt: skip
    return _joined(edges)


def count_entities(nodes: pa.Table) -> int:
    """Return the number of entity nodes, which come first."""
    return int(pc.sum(pc.equal(nodes["kind"], ENTITY)).as_py() or 0)


def _relations(connection: Connection, entities: int) -> _Edges:
    rows = connection.sql(_RELATIONS).to_arrow_table().combine_chunks()
    found = {name: rows[name].to_numpy() for name in ("source", "target", "weight", "confidence")}
    ends = found["source"], found["target"]
    weights = relation_weights(
        found["weight"], found["confidence"], np.column_stack(ends),
        entities=entities,
    )  # fmt: skip
    return _Edges(rows["kind"].combine_chunks(), *ends, found["weight"], weights)


def _mentions(connection: Connection, kind: str, chunks: int) -> _Edges:
    ends = connection.sql(_MENTIONS.format(table=f"{kind}s")).fetchnumpy()["ends"]
    ends.sort()
    is_first = np.ones(len(ends), np.bool_)  # of its pair; differences would take eight bytes each
    np.not_equal(ends[1:], ends[:-1], out=is_first[1:])
    first = np.flatnonzero(is_first)
    support = np.diff(first, append=len(ends))
    sources, targets = ((ends[first] >> bits).astype(np.int32) for bits in (32, 0))
    weights = mention_weights(support, sources, chunks=chunks)
    kinds = pa.repeat(kind, len(sources))
    return _Edges(kinds, sources, targets, support.astype(np.float32), weights)


def _joined(edges: list[_Edges]) -> pa.Table:
    """Return the edges of all kinds; only relations, which come first, have a `row`."""
    related, *others = (len(edge.sources) for edge in edges)
    rows = pa.array(np.arange(related, dtype=np.int32))
    rows = pa.concat_arrays([rows, pa.nulls(sum(others), pa.int32())])
    kinds = pa.concat_arrays([edge.kinds.cast(pa.string()) for edge in edges])
    _, *columns = zip(*edges, strict=True)
    sources, targets, support, weights = (
        pa.array(np.concatenate(parts, dtype=dtype))
        for parts, dtype in zip(columns, (np.int32, np.int32, np.float32, np.float32), strict=True)
    )
    return pa.table([sources, targets, kinds, rows, support, weights], schema=EDGES)


def edge_ends(edges: pa.Table) -> Rows:
    """Return the node rows of each edge's source and target, shape (edges, 2)."""
    return np.column_stack([edges[end].to_numpy().astype(np.int64) for end in ("source", "target")])


def to_igraph(nodes: pa.Table, edges: pa.Table) -> igraph.Graph:
    """Return the arrays as a directed igraph with vertex `kind`, `id` and edge attributes."""
    import igraph

    graph = igraph.Graph(n=nodes.num_rows, edges=edge_ends(edges), directed=True)
    for name in NODES.names:
        graph.vs[name] = nodes[name].to_pylist()
    for name in ("kind", "row", "support", "weight"):
        graph.es[name] = edges[name].to_pylist()
    return graph

"""Nodes and edges as Arrow arrays, and igraph's view of them.

Nodes are entities and chunks; edges are relations between entities, mentions of an entity in a
chunk, the chunks that bear an entity's name as their title, the `next` chunk of a chunk, and links
from a chunk to one of another document. The arrays are what a snapshot stores and readers
memory-map. Ids are numbered in SQL, out of core; nothing here loops over rows in Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.core.config import GraphConfig, SqlConfig
from graphrag_tasks.core.schemas import EDGES, NODES
from graphrag_tasks.graph.weights import Rows, mention_weights, relation_weights
from graphrag_tasks.storage.sql import Rows as Scanned
from graphrag_tasks.storage.sql import sql_over, with_row

if TYPE_CHECKING:
    import duckdb
    import igraph

ENTITY, CHUNK = "entity", "chunk"
RELATION, MENTION, TITLE, NEXT, LINK = "relation", "mention", "title", "next", "link"

Ends = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Node rows of sources and of targets."""

_RELATED = ["head_id", "tail_id", "weight", "confidence"]
_RELATIONS = """
    SELECT h.node AS source, t.node AS target, weight, confidence
    FROM relations JOIN entity AS h ON h.id = head_id JOIN entity AS t ON t.id = tail_id
    ORDER BY row
"""
_MENTIONS = """
    SELECT entity.node::BIGINT << 32 | chunk.node AS ends
    FROM {table} JOIN entity ON entity.id = entity_id JOIN chunk ON chunk.id = chunk_id
"""


def build_nodes(entities: pa.Table, chunks: pa.Table) -> pa.Table:
    """Return `schemas.NODES`: entities in their order, then chunks in theirs."""
    kinds = [pa.repeat(ENTITY, entities.num_rows), pa.repeat(CHUNK, chunks.num_rows)]
    ids = [*entities["entity_id"].chunks, *chunks["chunk_id"].chunks]
    return pa.table(
        [pa.chunked_array(kinds, pa.string()), pa.chunked_array(ids, pa.string())], schema=NODES
    )


def linked_chunks(links: pa.Table, anchors: pa.Table, chunks: pa.Table) -> pa.Table:
    """Return the pairs of chunks that links between documents join.

    A link leads to the chunk that its fragment names, or where it names none, to the document's
    first; one to a document that is not in the corpus, or to its own, joins nothing.

    Args:
        links: Rows of `schemas.LINKS`.
        anchors: Rows of `schemas.ANCHORS`.
        chunks: Rows of `schemas.CHUNKS`.

    Returns:
        `source_id`, `target_id` and `count`, sorted by the ids.
    """
    targets = links["target_document_id"]
    first = chunks.filter(pc.equal(chunks["ordinal"], 0))
    elsewhere = pc.and_(pc.is_in(targets, first["document_id"].combine_chunks()),
                        pc.not_equal(targets, links["document_id"]))  # fmt: skip
    links = links.filter(elsewhere)  # null, where there is no target document, is no
    documents, fragments = links["target_document_id"], links["fragment"].fill_null("")
    named = _place(anchors["document_id"], anchors["name"]).combine_chunks()
    found = pc.coalesce(
        pc.index_in(_place(documents, fragments), named),
        pc.index_in(_place(documents, pc.utf8_lower(fragments)), named),
    )
    start = pc.index_in(documents, first["document_id"].combine_chunks())
    pairs = pa.table(
        {
            "source_id": links["chunk_id"],
            "target_id": pc.coalesce(
                anchors["chunk_id"].take(found), first["chunk_id"].take(start)
            ),
        }
    )
    counted = pairs.group_by(["source_id", "target_id"]).aggregate([([], "count_all")])
    counted = counted.rename_columns(["source_id", "target_id", "count"])
    return counted.sort_by([("source_id", "ascending"), ("target_id", "ascending")])


def _place(documents: pa.ChunkedArray, names: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.binary_join_element_wise(documents, names, "#")


@dataclass(frozen=True)
class _Edges:
    """Edges of one kind, in the types of `schemas.EDGES`."""

    kind: str
    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    support: NDArray[np.float32]
    weights: NDArray[np.float32]

    @classmethod
    def of(
        cls, kind: str, ends: Ends, support: NDArray[Any], weights: NDArray[np.floating]
    ) -> _Edges:
        sources, targets = (end.astype(np.int32, copy=False) for end in ends)
        return cls(
            kind, sources, targets, support.astype(np.float32),
            weights.astype(np.float32, copy=False),
        )  # fmt: skip


def build_edges(
    nodes: pa.Table,
    chunks: pa.Table,
    relations: Scanned,
    mentions: Scanned,
    titles: Scanned,
    linked: pa.Table,
    *,
    config: GraphConfig,
    sql: SqlConfig,
) -> pa.Table:
    """Return `schemas.EDGES`: relations in their order, then the other kinds by rows.

    Args:
        nodes: What `build_nodes` made.
        chunks: Rows of `schemas.CHUNKS`.
        relations: Rows of `schemas.RELATIONS`.
        mentions: Rows of `schemas.MENTIONS`.
        titles: Rows of `schemas.TITLES`.
        linked: What `linked_chunks` made.
        config: How edges are weighed.
        sql: Memory and threads.

    Returns:
        A table of one chunk, as an Arrow file of one batch needs it.
    """
    ids = nodes["id"].combine_chunks()
    entities = count_entities(nodes)
    numbered = pa.table({"id": ids, "node": pa.array(np.arange(len(ids), dtype=np.int32))})
    inputs = {
        "entity": numbered.slice(0, entities), "chunk": numbered.slice(entities),
        "relations": with_row(relations, _RELATED), "mentions": mentions, "titles": titles,
    }  # fmt: skip
    following = chunks.filter(pc.is_valid(chunks["next_id"]))
    next_ends = _ends(ids, following["chunk_id"], following["next_id"])
    once = np.ones(following.num_rows)
    link_ends = _ends(ids, linked["source_id"], linked["target_id"])
    link_counts = linked["count"].to_numpy()
    with sql_over(inputs, sql) as connection:
        edges = [
            _relations(connection, entities, config),
            _mentions(connection, MENTION, len(ids) - entities, config),
            _mentions(connection, TITLE, len(ids) - entities, config),
            _Edges.of(NEXT, next_ends, once, once),
            _Edges.of(LINK, link_ends, link_counts, np.log2(1.0 + link_counts)),
        ]
    return _joined(edges)


def count_entities(nodes: pa.Table) -> int:
    """Return the number of entity nodes, which come first."""
    return int(pc.sum(pc.equal(nodes["kind"], ENTITY)).as_py() or 0)


def _relations(connection: duckdb.DuckDBPyConnection, entities: int, config: GraphConfig) -> _Edges:
    found = connection.sql(_RELATIONS).fetchnumpy()
    ends = np.column_stack([found["source"], found["target"]])
    weights = relation_weights(
        found["weight"],
        found["confidence"],
        ends,
        entities=entities,
        degree_cap=config.degree_cap,
    )
    return _Edges.of(RELATION, (found["source"], found["target"]), found["weight"], weights)


def _mentions(
    connection: duckdb.DuckDBPyConnection, kind: str, chunks: int, config: GraphConfig
) -> _Edges:
    ends = connection.sql(_MENTIONS.format(table=f"{kind}s")).fetchnumpy()["ends"]
    ends.sort()
    is_first = np.ones(len(ends), np.bool_)  # of its pair; differences would take eight bytes each
    np.not_equal(ends[1:], ends[:-1], out=is_first[1:])
    first = np.flatnonzero(is_first)
    support = np.diff(first, append=len(ends))
    sources, targets = ((ends[first] >> bits).astype(np.int32) for bits in (32, 0))
    weights = mention_weights(support, sources, chunks=chunks, degree_cap=config.degree_cap)
    return _Edges.of(kind, (sources, targets), support, weights)


def _ends(ids: pa.Array[Any], sources: pa.ChunkedArray, targets: pa.ChunkedArray) -> Ends:
    first, second = (pc.index_in(one, value_set=ids).to_numpy() for one in (sources, targets))
    return first, second


def _joined(edges: list[_Edges]) -> pa.Table:
    """Return edges of all kinds, each column made by itself, the largest one first."""
    kinds = pa.concat_arrays([pa.repeat(one.kind, len(one.sources)) for one in edges])
    relations, *others = edges
    rows = pa.array(np.arange(len(relations.sources), dtype=np.int32))
    null = pa.nulls(sum(len(one.sources) for one in others), pa.int32())
    return pa.table(
        [
            pa.array(np.concatenate([one.sources for one in edges])),
            pa.array(np.concatenate([one.targets for one in edges])),
            kinds,
            pa.concat_arrays([rows, null]),
            pa.array(np.concatenate([one.support for one in edges])),
            pa.array(np.concatenate([one.weights for one in edges])),
        ],
        schema=EDGES,
    )


def edge_ends(edges: pa.Table) -> Rows:
    """Return the node rows of sources and targets, shape (edges, 2)."""
    return np.column_stack([edges[end].to_numpy().astype(np.int64) for end in ("source", "target")])


def to_igraph(nodes: pa.Table, edges: pa.Table) -> igraph.Graph:
    """Return the arrays as a directed igraph with vertex `kind`, `id` and edge attributes.

    Args:
        nodes: Rows of `schemas.NODES`.
        edges: Rows of `schemas.EDGES`.
    """
    import igraph

    graph = igraph.Graph(n=nodes.num_rows, edges=edge_ends(edges), directed=True)
    for name in NODES.names:
        graph.vs[name] = nodes[name].to_pylist()
    for name in ("kind", "row", "support", "weight"):
        graph.es[name] = edges[name].to_pylist()
    return graph

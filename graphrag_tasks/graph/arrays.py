"""Nodes and edges as Arrow arrays, and igraph's view of them.

Nodes are entities and chunks; edges are relations between entities, mentions of an entity in a
chunk, the chunks that bear an entity's name as their title, the `next` chunk of a chunk, and links
from a chunk to one of another document. The arrays are what a snapshot stores and readers
memory-map. Nothing here loops over rows in Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.config import GraphConfig
from graphrag_tasks.graph.weights import Rows, mention_weights, relation_weights
from graphrag_tasks.row_groups import cut
from graphrag_tasks.schemas import EDGES, NODES

if TYPE_CHECKING:
    import igraph

ENTITY, CHUNK = "entity", "chunk"
_ROWS_AT_ONCE = 1 << 22
"""Mentions whose ids are looked up at once: the table of ids is hashed anew each time."""

RELATION, MENTION, TITLE, NEXT, LINK = "relation", "mention", "title", "next", "link"


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


def build_edges(
    nodes: pa.Table,
    chunks: pa.Table,
    relations: pa.Table,
    mentions: pa.Table | pa.RecordBatchReader,
    titles: pa.Table,
    linked: pa.Table,
    *,
    config: GraphConfig,
) -> pa.Table:
    """Return `schemas.EDGES`: relations in their order, then the other kinds by rows.

    Args:
        nodes: What `build_nodes` made.
        chunks: Rows of `schemas.CHUNKS`.
        relations: Rows of `schemas.RELATIONS`.
        mentions: Rows of `schemas.MENTIONS`, which may be a stream.
        titles: Rows of `schemas.TITLES`.
        linked: What `linked_chunks` made.
        config: How edges are weighed.
    """
    ids = nodes["id"].combine_chunks()
    entities = count_entities(nodes)
    following = chunks.filter(pc.is_valid(chunks["next_id"]))
    next_ends = _ends(ids, following["chunk_id"], following["next_id"])
    link_ends = _ends(ids, linked["source_id"], linked["target_id"])
    link_counts = linked["count"].to_numpy()
    return pa.concat_tables(
        [
            _relations(ids, relations, entities, config),
            _mentions(MENTION, ids, mentions, entities, config),
            _mentions(TITLE, ids, titles, entities, config),
            _edges(NEXT, next_ends, np.ones(len(next_ends)), np.ones(len(next_ends))),
            _edges(LINK, link_ends, link_counts, np.log2(1.0 + link_counts)),
        ]
    )


def count_entities(nodes: pa.Table) -> int:
    """Return the number of entity nodes, which come first."""
    return int(pc.sum(pc.equal(nodes["kind"], ENTITY)).as_py() or 0)


def _relations(ids: pa.Array, relations: pa.Table, entities: int, config: GraphConfig) -> pa.Table:
    ends = _ends(ids, relations["head_id"], relations["tail_id"])
    support = relations["weight"].to_numpy()
    weights = relation_weights(
        support,
        relations["confidence"].to_numpy(),
        ends,
        entities=entities,
        degree_cap=config.degree_cap,
    )
    rows = pa.array(np.arange(relations.num_rows, dtype=np.int32))
    return _edges(RELATION, ends, support, weights, rows)


def _mentions(
    kind: str,
    ids: pa.Array,
    mentions: pa.Table | pa.RecordBatchReader,
    entities: int,
    config: GraphConfig,
) -> pa.Table:
    found = [np.empty(0, np.int64)]
    for part in cut(mentions, _ROWS_AT_ONCE):
        ends = _ends(ids, part["entity_id"], part["chunk_id"])
        found.append(ends[:, 0] * len(ids) + ends[:, 1])
    keys, support = np.unique(np.concatenate(found), return_counts=True)
    ends = np.column_stack([keys // max(len(ids), 1), keys % max(len(ids), 1)])
    weights = mention_weights(
        support.astype(np.float64),
        ends[:, 0],
        chunks=len(ids) - entities,
        degree_cap=config.degree_cap,
    )
    return _edges(kind, ends, support, weights)


def _ends(ids: pa.Array, sources: pa.ChunkedArray, targets: pa.ChunkedArray) -> Rows:
    columns = (pc.index_in(one, value_set=ids).to_numpy() for one in (sources, targets))
    return np.column_stack([one.astype(np.int64) for one in columns])


def _edges(
    kind: str,
    ends: Rows,
    support: NDArray[np.generic],
    weights: NDArray[np.float64],
    rows: pa.Array | None = None,
) -> pa.Table:
    count = len(ends)
    return pa.table(
        [
            pa.array(ends[:, 0].astype(np.int32)),
            pa.array(ends[:, 1].astype(np.int32)),
            pa.repeat(kind, count),
            pa.nulls(count, pa.int32()) if rows is None else rows,
            pa.array(support.astype(np.float32)),
            pa.array(weights.astype(np.float32)),
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

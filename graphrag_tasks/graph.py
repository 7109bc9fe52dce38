"""The knowledge graph as Arrow arrays, and igraph's view of it.

Nodes are entities and chunks; edges are relations between entities, mentions of an entity in a
chunk, the `next` chunk of a chunk, and links from a chunk to one of another document. The arrays
are what a snapshot stores and readers memory-map; igraph is built from them in one call, without a
Python loop over edges.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.config import GraphConfig
from graphrag_tasks.schemas import EDGES, NODES

if TYPE_CHECKING:
    import igraph

ENTITY, CHUNK = "entity", "chunk"
RELATION, MENTION, NEXT, LINK = "relation", "mention", "next", "link"


def build_nodes(entities: pa.Table, chunks: pa.Table) -> pa.Table:
    """Return `schemas.NODES`: entities in their order, then chunks in theirs."""
    kinds = [ENTITY] * entities.num_rows + [CHUNK] * chunks.num_rows
    ids = pa.chunked_array(
        [*entities["entity_id"].chunks, *chunks["chunk_id"].chunks], type=pa.string()
    )
    return pa.table([pa.array(kinds, pa.string()), ids], schema=NODES)


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
    first = chunks.filter(pc.equal(chunks["ordinal"], 0))
    first_of = {row["document_id"]: str(row["chunk_id"]) for row in first.to_pylist()}
    named = {(row["document_id"], row["name"]): str(row["chunk_id"]) for row in anchors.to_pylist()}
    pairs: Counter[tuple[str, str]] = Counter()
    for link in links.filter(pc.is_valid(links["target_document_id"])).to_pylist():
        document_id, fragment = link["target_document_id"], link["fragment"] or ""
        if document_id in first_of and document_id != link["document_id"]:
            target = named.get((document_id, fragment)) or named.get(
                (document_id, fragment.lower()), first_of[document_id]
            )
            pairs[link["chunk_id"], target] += 1
    rows = [(*pair, count) for pair, count in sorted(pairs.items())]
    types = (pa.string(), pa.string(), pa.int64())
    columns = [pa.array([row[place] for row in rows], kind) for place, kind in enumerate(types)]
    return pa.table(columns, names=["source_id", "target_id", "count"])


def build_edges(
    nodes: pa.Table,
    chunks: pa.Table,
    relations: pa.Table,
    mentions: pa.Table,
    linked: pa.Table,
) -> pa.Table:
    """Return `schemas.EDGES`: relations in their order, then mentions, `next` and links.

    Args:
        nodes: What `build_nodes` made.
        chunks: Rows of `schemas.CHUNKS`.
        relations: Rows of `schemas.RELATIONS`.
        mentions: Rows of `schemas.MENTIONS`.
        linked: What `linked_chunks` made.
    """
    row_of = nodes["id"].combine_chunks()
    pairs = mentions.group_by(["entity_id", "chunk_id"]).aggregate([([], "count_all")])
    pairs = pairs.sort_by([("entity_id", "ascending"), ("chunk_id", "ascending")])
    following = chunks.filter(pc.is_valid(chunks["next_id"]))
    row = pa.array(range(relations.num_rows), pa.int32())
    return pa.concat_tables(
        [
            _edges(row_of, RELATION, relations["head_id"], relations["tail_id"],
                   relations["weight"], row),
            _edges(row_of, MENTION, pairs["entity_id"], pairs["chunk_id"], pairs["count_all"]),
            _edges(row_of, NEXT, following["chunk_id"], following["next_id"],
                   pa.nulls(following.num_rows, pa.float32()).fill_null(1.0)),
            _edges(row_of, LINK, linked["source_id"], linked["target_id"], linked["count"]),
        ]
    )  # fmt: skip


def _edges(
    row_of: pa.Array,
    kind: str,
    sources: pa.ChunkedArray,
    targets: pa.ChunkedArray,
    weights: pa.ChunkedArray | pa.Array,
    row: pa.Array | None = None,
) -> pa.Table:
    count = len(sources)
    return pa.table(
        [
            pc.index_in(sources, value_set=row_of),
            pc.index_in(targets, value_set=row_of),
            pa.array([kind] * count, pa.string()),
            pa.nulls(count, pa.int32()) if row is None else row,
            weights.cast(pa.float32()),
        ],
        schema=EDGES,
    )


def relation_weights(
    relations: pa.Table, ends: NDArray[np.int64], entities: int, config: GraphConfig
) -> NDArray[np.float64]:
    """Return how strongly each relation ties its ends.

    The weight grows with the logarithm of the evidence and with the confidence. It shrinks with
    the degree of either end, as inverse frequency does for common words: log(1 + n / degree) over
    log(1 + n), and beyond `config.degree_cap` in proportion to the degree, so that all relations
    of a hub together weigh no more than those of an entity at the cap.

    Args:
        relations: Rows of `schemas.RELATIONS`.
        ends: Entity rows of heads and tails, shape (relations, 2).
        entities: Number of entities, n.
        config: The degree cap.
    """
    degrees = np.maximum(np.bincount(ends.ravel(), minlength=entities), 1)
    damped = np.log1p(entities / degrees) / np.log1p(max(entities, 1))
    damped *= np.minimum(1.0, config.degree_cap / degrees)
    support = np.log2(1.0 + relations["weight"].to_numpy()) * relations["confidence"].to_numpy()
    weights: NDArray[np.float64] = support * damped[ends[:, 0]] * damped[ends[:, 1]]
    return weights


def to_igraph(nodes: pa.Table, edges: pa.Table) -> igraph.Graph:
    """Return the arrays as a directed igraph with vertex `kind`, `id` and edge attributes.

    Args:
        nodes: Rows of `schemas.NODES`.
        edges: Rows of `schemas.EDGES`.
    """
    import igraph

    ends = np.column_stack([edges["source"].to_numpy(), edges["target"].to_numpy()])
    graph = igraph.Graph(n=nodes.num_rows, edges=ends, directed=True)
    for name in NODES.names:
        graph.vs[name] = nodes[name].to_pylist()
    for name in ("kind", "row", "weight"):
        graph.es[name] = edges[name].to_pylist()
    return graph


def graph_statistics(nodes: pa.Table, edges: pa.Table) -> dict[str, int | float]:
    """Return the figures that the paper reports of its graph (section 4).

    Degrees count entity-entity relations, in both directions, over entity nodes. Links between
    chunks are counted beside them; the paper has none.
    """
    kinds = edges["kind"]
    entities = pc.sum(pc.equal(nodes["kind"], ENTITY)).as_py() or 0
    relations = edges.filter(pc.equal(kinds, RELATION))
    graph = to_igraph(nodes.slice(0, entities), relations)
    degrees = graph.degree()
    components = graph.connected_components(mode="weak").sizes() if entities else []
    return {
        "nodes": entities,
        "entity_relations": relations.num_rows,
        "entity_chunk_relations": pc.sum(pc.equal(kinds, MENTION)).as_py() or 0,
        "chunk_links": pc.sum(pc.equal(kinds, LINK)).as_py() or 0,
        "mean_degree": round(sum(degrees) / entities, 4) if entities else 0.0,
        "highest_degree": max(degrees, default=0),
        "components": len(components),
        "largest_component": max(components, default=0),
    }

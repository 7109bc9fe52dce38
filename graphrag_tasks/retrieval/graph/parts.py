"""Parts of an index's graph, and conversion to pandas, networkx and igraph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.core.commands import brought_by, require
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.core.schemas import SCHEMAS
from graphrag_tasks.core.visible import did_you_mean
from graphrag_tasks.graph.clusters import ENTITIES, RELATIONS, Selection
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.storage.artifacts import Rows
from graphrag_tasks.storage.snapshots.store import Snapshot

if TYPE_CHECKING:
    import igraph
    import networkx as nx
    import pandas as pd


def topics(graph: Graph) -> list[tuple[int, list[int]]]:
    """Return communities with the rows of their documents, largest first.

    Each document belongs to the community whose entities its chunks mention most often; documents with the most
    mentions come first. Documents without entities belong to none.
    """
    communities = graph.communities
    if not len(communities) or not len(graph.chunks):
        return []
    coarsest = np.flatnonzero(communities.levels == communities.levels.min())
    column = np.full(len(communities), -1)
    column[coarsest] = np.arange(len(coarsest))
    counts = np.zeros((int(graph.chunk_documents.max()) + 1, len(coarsest)), dtype=np.int64)
    of_entity, entities = communities.of_entity.pairs(np.arange(len(graph.entities)))
    chosen = column[of_entity] >= 0
    community_of = np.full(len(graph.entities), -1)
    community_of[entities[chosen]] = column[of_entity[chosen]]
    chunks, mentioning = graph.entity_chunks.pairs(np.arange(len(graph.entities)))
    known = community_of[mentioning] >= 0
    np.add.at(counts, (graph.chunk_documents[chunks[known]], community_of[mentioning[known]]), 1)
    best = np.where(counts.any(axis=1), counts.argmax(axis=1), -1)
    found = [
        (int(coarsest[place]), _ordered(np.flatnonzero(best == place), counts[:, place]))
        for place in range(len(coarsest))
    ]
    found = [topic for topic in found if topic[1]]
    return sorted(found, key=lambda topic: (-len(topic[1]), topic[0]))


def central_relations(graph: Graph, community: int) -> tuple[Rows, NDArray[np.float64]]:
    """Return the relations within a community and their scores, highest first.

    Strong relations between central entities score high, as in summaries.
    """
    members, centrality = graph.communities.members(community)
    relations = np.unique(graph.all_entity_relations.pairs(members)[0])
    ends = np.stack([graph.heads[relations], graph.tails[relations]])
    places = np.minimum(np.searchsorted(members, ends), len(members) - 1)
    inside = (members[places] == ends).all(axis=0)
    relations, places = relations[inside], places[:, inside]
    telling = graph.relation_weights[relations] * np.sqrt(centrality[places].prod(axis=0))
    order = np.lexsort((graph.relations.id_ranks[relations], -telling))
    return relations[order], telling[order]


def _ordered(documents: Rows, counts: Rows) -> list[int]:
    order = np.lexsort((documents, -counts[documents]))
    rows: list[int] = documents[order].tolist()
    return rows


_NAMED = {"document_id": "documents", "chunk_id": "chunks", "entity_id": "entities", "head_id": "entities",
          "tail_id": "entities"}  # fmt: skip
"""The table that a column of ids names rows of."""

_VERTEX = {"id": "entity_id"} | {one: one for one in ENTITIES.names[1:]}
_EDGE = {"id": "relation_id"} | {one: one for one in RELATIONS.names if not one.endswith("_id")}


def part(
    snapshot: Snapshot, graph: Graph, title: str, entities: Rows, relations: Rows, *, omitted: int = 0
) -> Selection:
    """Return the selection of these entity and relation rows."""
    rows = relations.tolist()
    counts = snapshot.table("relations", ["kind", "confidence", "weight"]).take(pa.array(relations))
    ids = graph.entities.ids
    return Selection(
        title,
        snapshot.table("entities", ENTITIES.names).take(pa.array(entities)),
        pa.table(
            {
                "relation_id": graph.relations.ids.take(pa.array(relations)),
                "head_id": ids.take(pa.array(graph.heads[rows])),
                "relation": pa.array([graph.relation_words[row] for row in rows], pa.string()),
                "phrase": pa.array(map(graph.said, rows), pa.string()),
                "kind": counts["kind"],
                "tail_id": ids.take(pa.array(graph.tails[rows])),
                "negated": pa.array(graph.denied[rows]),
                "support": counts["weight"],
                "confidence": counts["confidence"],
                "weight": pa.array(graph.relation_weights[rows]),
            }
        ),
        omitted,
    )


def whole(snapshot: Snapshot, graph: Graph, *, all_kinds: bool) -> Selection:
    """Return all entities and facts; with `all_kinds`, also associations and conditions."""
    allowed = _allowed(graph, all_kinds=all_kinds)
    entities = np.arange(len(graph.entities))
    title = f"Snapshot {snapshot.snapshot_id}"
    return part(snapshot, graph, title, entities, np.flatnonzero(allowed))


def around(snapshot: Snapshot, graph: Graph, entities: Rows, most: int, *, all_kinds: bool) -> Selection:
    """Return entities with at most `most` neighbours, most strongly tied first."""
    allowed = _allowed(graph, all_kinds=all_kinds)
    near = nearest(graph, entities, allowed)
    kept = np.concatenate([entities, near[:most]])
    is_kept = np.zeros(len(graph.entities), dtype=np.bool_)
    is_kept[kept] = True
    inside = allowed & is_kept[graph.heads] & is_kept[graph.tails]
    title = f"Around {graph.entity_names[entities[0]]}"
    omitted = max(len(near) - most, 0)
    return part(snapshot, graph, title, kept, np.flatnonzero(inside), omitted=omitted)


def nearest(graph: Graph, entities: Rows, allowed: NDArray[np.bool_]) -> Rows:
    """Return the neighbours of entities by allowed relations, most strongly tied first."""
    relations = np.flatnonzero(graph.all_entity_relations.union(entities) & allowed)
    weights = graph.relation_weights[relations]
    ties = np.zeros(len(graph.entities))
    for ends in (graph.heads, graph.tails):
        ties += np.bincount(ends[relations], weights, minlength=len(ties))
    ties[entities] = 0.0
    found = np.flatnonzero(ties)
    return found[np.lexsort((graph.entities.id_ranks[found], -ties[found]))]


def strongest(graph: Graph, relations: NDArray[np.bool_]) -> Rows:
    """Return the entities of these relations, those with most of them first."""
    ends = np.concatenate([graph.heads[relations], graph.tails[relations]])
    counts = np.bincount(ends, minlength=len(graph.entities))
    found = np.flatnonzero(counts)
    return found[np.lexsort((graph.entities.id_ranks[found], -counts[found]))]


def _allowed(graph: Graph, *, all_kinds: bool) -> NDArray[np.bool_]:
    return np.ones(len(graph.relations), dtype=np.bool_) if all_kinds else graph.tells


def as_frame(snapshot: Snapshot, name: str) -> pd.DataFrame:
    """Return the frame of `Browser.table`."""
    require("notebook")
    if name not in SCHEMAS:
        raise QueryError(f"there is no table '{name}'", "", did_you_mean(name, SCHEMAS))
    frame: pd.DataFrame = snapshot.table(name).to_pandas()
    documents = snapshot.table("documents", ["document_id", "title"]).to_pandas().set_index("document_id")["title"]
    for key, table in _NAMED.items():
        if key not in frame or table == name:
            continue
        if table == "entities":
            names = snapshot.table(table, ["entity_id", "name"]).to_pandas().set_index("entity_id")["name"]
        elif table == "chunks":
            chunks = snapshot.table(table, ["chunk_id", "document_id"]).to_pandas()
            names = chunks.set_index("chunk_id")["document_id"].map(documents)
        else:
            names = documents
        frame.insert(list(frame).index(key), key.removesuffix("_id"), frame[key].map(names))
    return frame


def as_networkx(selection: Selection) -> nx.MultiDiGraph:
    """Return the graph of `Browser.to_networkx`."""
    with brought_by("notebook"):
        import networkx as nx

    graph = nx.MultiDiGraph(title=selection.title)
    for row in selection.entities.to_pylist():
        graph.add_node(row["entity_id"], **_known(row, ENTITIES.names[1:]))
    for row in selection.relations.to_pylist():
        attributes = _known(row, [name for name in RELATIONS.names if not name.endswith("_id")])
        graph.add_edge(row["head_id"], row["tail_id"], key=row["relation_id"], **attributes)
    return graph


def _known(row: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return the attributes with a value: graph files cannot hold others."""
    return {name: row[name] for name in names if row[name] is not None}


def as_igraph(selection: Selection) -> igraph.Graph:
    """Return the graph of `Browser.to_igraph`."""
    import igraph

    entities, relations = selection.entities, selection.relations
    ids = entities["entity_id"].combine_chunks()
    ends = [pc.index_in(relations[one], value_set=ids).to_numpy() for one in ("head_id", "tail_id")]
    graph = igraph.Graph(n=entities.num_rows, edges=np.column_stack(ends), directed=True)
    for name, source in _VERTEX.items():
        graph.vs[name] = entities[source].to_pylist()
    for name, source in _EDGE.items():
        graph.es[name] = relations[source].to_pylist()
    return graph

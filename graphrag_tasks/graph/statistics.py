"""Figures of a graph: those that the paper reports of its own, and those that show a bad one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.graph.arrays import LINK, MENTION, RELATION, TITLE, count_entities, edge_ends
from graphrag_tasks.graph.weights import Rows

_ROWS_AT_ONCE = 1 << 22
_DIGITS = 4
_DENSITY_DIGITS = 10


@dataclass(frozen=True)
class Hub:
    """An entity with many relations.

    Attributes:
        row: Its row in `nodes`.
        entity_id: Its id.
        degree: Its relations, in both directions.
    """

    row: int
    entity_id: str
    degree: int


def graph_statistics(nodes: pa.Table, edges: pa.Table) -> dict[str, int | float]:
    """Return figures of a graph.

    Degrees, components and density are of the entities and the relations between them, directions
    set aside; degrees count parallel relations, density counts a pair of entities once.

    Args:
        nodes: Rows of `schemas.NODES`.
        edges: Rows of `schemas.EDGES`.

    Returns:
        As in the paper (section 4): `nodes` (entities), `entity_relations`,
        `entity_chunk_relations`, `mean_degree` and `highest_degree`. Beside them `title_links`,
        from entities to the chunks under their name, and `chunk_links`; `components` and
        `largest_component` with its share of the entities; `orphans`, entities
        without a relation, and `singletons`, entities mentioned once in all, each with its share;
        `density`, related pairs over all pairs.
    """
    entities = count_entities(nodes)
    kinds = edges["kind"]
    relations = edges.select(["source", "target"]).filter(pc.equal(kinds, RELATION))
    degrees = _degrees(relations, entities)
    sizes = _component_sizes(relations, entities)
    mentioned = _mentioned(edges, entities)
    orphans = int(np.count_nonzero(degrees == 0))
    singletons = int(np.count_nonzero(mentioned == 1))
    pairs = entities * (entities - 1) / 2
    return {
        "nodes": entities,
        "entity_relations": relations.num_rows,
        "entity_chunk_relations": int(pc.sum(pc.equal(kinds, MENTION)).as_py() or 0),
        "title_links": int(pc.sum(pc.equal(kinds, TITLE)).as_py() or 0),
        "chunk_links": int(pc.sum(pc.equal(kinds, LINK)).as_py() or 0),
        "mean_degree": _share(int(degrees.sum()), entities),
        "highest_degree": int(degrees.max(initial=0)),
        "components": len(sizes),
        "largest_component": int(sizes.max(initial=0)),
        "largest_component_share": _share(int(sizes.max(initial=0)), entities),
        "orphans": orphans,
        "orphan_share": _share(orphans, entities),
        "singletons": singletons,
        "singleton_share": _share(singletons, entities),
        "density": round(_related_pairs(relations) / pairs, _DENSITY_DIGITS) if pairs else 0.0,
    }


def top_hubs(nodes: pa.Table, edges: pa.Table, count: int) -> list[Hub]:
    """Return the entities with most relations, the highest degree first, ties in order of rows.

    Args:
        nodes: Rows of `schemas.NODES`.
        edges: Rows of `schemas.EDGES`.
        count: Largest number of hubs; an entity without a relation is not one.
    """
    relations = edges.select(["source", "target"]).filter(pc.equal(edges["kind"], RELATION))
    degrees = _degrees(relations, count_entities(nodes))
    best = np.argsort(-degrees, kind="stable")[:count]
    ids = nodes["id"].take(pa.array(best)).to_pylist()
    found = zip(best.tolist(), ids, degrees[best].tolist(), strict=True)
    return [Hub(row, entity_id, degree) for row, entity_id, degree in found if degree]


def _mentioned(edges: pa.Table, entities: int) -> NDArray[np.float64]:
    """Return how often each entity is mentioned."""
    counts = np.zeros(entities)
    for batch in edges.select(["kind", "source", "support"]).to_batches(_ROWS_AT_ONCE):
        found = batch.filter(pc.equal(batch["kind"], MENTION))
        weights = found["support"].to_numpy()
        counts += np.bincount(found["source"].to_numpy(), weights, minlength=entities)
    return counts


def _degrees(relations: pa.Table, entities: int) -> Rows:
    degrees = np.zeros(entities, dtype=np.int64)
    for end in ("source", "target"):
        degrees += np.bincount(relations[end].to_numpy(), minlength=entities)
    return degrees


def _component_sizes(relations: pa.Table, entities: int) -> Rows:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not entities:
        return np.empty(0, np.int64)
    ends = (relations["source"].to_numpy(), relations["target"].to_numpy())
    pairs = coo_array((np.ones(relations.num_rows, np.bool_), ends), shape=(entities, entities))
    _, found = connected_components(pairs, directed=False)
    return np.bincount(found)


def _related_pairs(relations: pa.Table) -> int:
    ends = np.sort(edge_ends(relations), axis=1)
    return len(np.unique(ends[:, 0] << 32 | ends[:, 1]))


def _share(part: int, whole: int) -> float:
    return round(part / whole, _DIGITS) if whole else 0.0

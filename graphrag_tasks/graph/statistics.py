"""Statistics of a graph: those that the paper reports, and signs of a bad graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.graph.arrays import ASSOCIATION, RELATION, TITLE, count_entities, edge_ends
from graphrag_tasks.graph.weights import MENTION, Rows

_ROWS_AT_ONCE = 1 << 22  # Edges counted at once: 32 MB per column of eight bytes.
_DIGITS, _DENSITY_DIGITS = 4, 10  # Decimals of shares, and of the density, which is small in a large graph.
_COUNTED = (MENTION, TITLE)


@dataclass(frozen=True)
class Hub:
    """An entity with many relations: its row in `nodes`, and its relations in both directions."""

    row: int
    entity_id: str
    degree: int


def graph_statistics(nodes: pa.Table, edges: pa.Table) -> dict[str, int | float]:
    """Return statistics of a graph.

    Those of the paper (section 4) are `nodes` (entities), `entity_relations`, `mean_degree`, `entity_chunk_relations`
    and `highest_degree`. The others are `title_links` from entities to the chunks under their name, `associations`
    (relations that are not facts, and count nowhere else), `components`, `largest_component`, `orphans` (entities
    without a relation), `singletons` (entities mentioned once), shares of the entities, and `density`: related pairs
    over all pairs. Degrees count parallel relations and ignore direction.
    """
    entities = count_entities(nodes)
    kinds = edges["kind"]
    relations = edges.select(["source", "target"]).filter(pc.equal(kinds, RELATION))
    degrees = _degrees(relations, entities)
    sizes = _component_sizes(relations, entities)
    mentioned = _mentioned(edges, entities)
    largest = int(sizes.max(initial=0))
    orphans = int(np.count_nonzero(degrees == 0))
    singletons = int(np.count_nonzero(mentioned == 1))
    pairs = entities * (entities - 1) / 2
    counts = {kind: int(pc.sum(pc.equal(kinds, kind)).as_py() or 0) for kind in _COUNTED}
    return {
        "nodes": entities,
        "entity_relations": relations.num_rows,
        "associations": int(pc.sum(pc.equal(kinds, ASSOCIATION)).as_py() or 0),
        "entity_chunk_relations": counts[MENTION],
        "title_links": counts[TITLE],
        "mean_degree": _share(int(degrees.sum()), entities),
        "highest_degree": int(degrees.max(initial=0)),
        "components": len(sizes),
        "largest_component": largest,
        "largest_component_share": _share(largest, entities),
        "orphans": orphans,
        "orphan_share": _share(orphans, entities),
        "singletons": singletons,
        "singleton_share": _share(singletons, entities),
        "density": round(_related_pairs(relations) / pairs, _DENSITY_DIGITS) if pairs else 0.0,
    }


def top_hubs(nodes: pa.Table, edges: pa.Table, count: int) -> list[Hub]:
    """Return at most `count` entities with most relations, highest degree first, ties by row."""
    relations = edges.select(["source", "target"]).filter(pc.equal(edges["kind"], RELATION))
    degrees = _degrees(relations, count_entities(nodes))
    best = np.argsort(-degrees, kind="stable")[:count]
    ids = nodes["id"].take(pa.array(best)).to_pylist()
    found = zip(best.tolist(), ids, degrees[best].tolist(), strict=True)
    return [Hub(row, entity_id, degree) for row, entity_id, degree in found if degree]


def _mentioned(edges: pa.Table, entities: int) -> NDArray[np.float64]:
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
    import igraph

    graph = igraph.Graph(entities, edge_ends(relations))
    return np.array(graph.connected_components().sizes(), np.int64)


def _related_pairs(relations: pa.Table) -> int:
    ends = np.sort(edge_ends(relations), axis=1)
    return len(np.unique(ends[:, 0] << 32 | ends[:, 1]))


def _share(part: int, whole: int) -> float:
    return round(part / whole, _DIGITS) if whole else 0.0

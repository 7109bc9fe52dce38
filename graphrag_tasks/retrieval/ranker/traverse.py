"""Steps along the graph: relations near a question, paths between entities, chains from one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from graphrag_tasks.retrieval.graph.fuse import top
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Path, Query, RankedRelation
from graphrag_tasks.retrieval.view.arrays import Rows, cosines

MAX_DEGREE = 200
"""An entity with more relations is an end of a path and never its middle: hubs join everything."""

_MOST_TRIED = 5_000


def nearest_relations(graph: Graph, query: Query, relations: Rows) -> list[RankedRelation]:
    """Return the 2k relations nearest to the question by cosine, best first."""
    scores = cosines(graph.relations.vectors, relations, query.vector)
    order = top(scores, graph.relations.id_ranks[relations], 2 * query.k)
    return [RankedRelation(int(relations[place]), float(scores[place])) for place in order]


def paths_between(
    graph: Graph, starts: Sequence[int], ends: Sequence[int], *, max_hops: int, limit: int
) -> list[Path]:
    """Return the shortest paths along relations in either direction, and those one hop longer.

    Args:
        graph: The snapshot's arrays.
        starts: Entity rows.
        ends: Entity rows; one that is also a start is left out.
        max_hops: Longest path wanted.
        limit: Most paths wanted.

    Returns:
        The shortest first; of two equally long ones that through the less connected entities.
        No path visits an entity twice, and inner ones have at most `MAX_DEGREE` relations.
    """
    targets = set(ends) - set(starts)
    distance = _distances(graph, targets, max_hops)
    nearest = min((distance[one] for one in starts if one in distance), default=None)
    if nearest is None:
        return []
    longest = min(max_hops, nearest + 1)
    found: list[Path] = []
    for start in sorted(set(starts)):
        paths = _walks(graph, Path((start,), ()), targets, distance, longest)
        found += [path for _, path in zip(range(_MOST_TRIED), paths, strict=False)]
    degrees = graph.degrees
    ids = graph.relations.id_ranks
    found.sort(
        key=lambda path: (
            len(path.relations),
            float(np.log1p(degrees[list(path.entities[1:-1])]).sum()),
            [int(ids[row]) for row in path.relations],
        )
    )
    return found[:limit]


def _distances(graph: Graph, targets: set[int], max_hops: int) -> dict[int, int]:
    """Return the hops from each entity to the nearest target, as far as `max_hops`."""
    distance = dict.fromkeys(sorted(targets), 0)
    frontier = list(distance)
    for hops in range(1, max_hops + 1):
        reached = {
            other
            for entity in frontier
            if hops == 1 or graph.degrees[entity] <= MAX_DEGREE
            for _, other in graph.steps(entity)
        }
        frontier = sorted(reached - distance.keys())
        distance |= dict.fromkeys(frontier, hops)
    return distance


def _walks(
    graph: Graph, path: Path, targets: set[int], distance: dict[int, int], hops: int
) -> Iterator[Path]:
    here = path.entities[-1]
    if here in targets:
        yield path
        return
    if len(path.entities) > 1 and graph.degrees[here] > MAX_DEGREE:
        return
    for relation, other in graph.steps(here):
        left = hops - len(path.relations) - 1
        if other not in path.entities and distance.get(other, hops + 1) <= left:
            longer = Path((*path.entities, other), (*path.relations, relation))
            yield from _walks(graph, longer, targets, distance, hops)


def chains_from(
    graph: Graph,
    starts: Sequence[int],
    *,
    leads_on: Callable[[int], bool],
    backwards: bool,
    max_hops: int,
    limit: int,
) -> list[Path]:
    """Return the longest chains of relations that lead on from an entity.

    Args:
        graph: The snapshot's arrays.
        starts: Entity rows.
        leads_on: Tells of a relation row whether a chain may follow it.
        backwards: Follow relations from tail to head ("what depends on it") instead.
        max_hops: Longest chain wanted.
        limit: Most chains wanted.

    Returns:
        Chains that no other chain contains, the longest first, in order of relation ids.
    """
    finished: list[Path] = []
    growing = [Path((start,), ()) for start in sorted(set(starts))]
    for _ in range(max_hops):
        longer: list[Path] = []
        for path in growing[:_MOST_TRIED]:
            nexts = _next_steps(graph, path, leads_on, backwards)
            longer += nexts
            if not nexts and path.relations:
                finished.append(path)
        growing = longer
    finished += growing
    ids = graph.relations.id_ranks
    finished = [path for path in finished if path.relations]
    finished.sort(key=lambda path: (-len(path.relations), [int(ids[r]) for r in path.relations]))
    return finished[:limit]


def _next_steps(
    graph: Graph, path: Path, leads_on: Callable[[int], bool], backwards: bool
) -> list[Path]:
    here = path.entities[-1]
    if len(path.entities) > 1 and graph.degrees[here] > MAX_DEGREE:
        return []
    near, far = (graph.tails, graph.heads) if backwards else (graph.heads, graph.tails)
    return [
        Path((*path.entities, int(far[relation])), (*path.relations, relation))
        for relation, _ in graph.steps(here)
        if near[relation] == here and int(far[relation]) not in path.entities and leads_on(relation)
    ]

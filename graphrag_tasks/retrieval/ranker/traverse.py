"""Relations near a question, paths between entities, and chains from one entity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Path, Query, RankedRow
from graphrag_tasks.retrieval.view.arrays import top
from graphrag_tasks.storage.columns import Rows

MAX_DEGREE = 200  # Degree above which an entity is a hub, which may end a path but never lies inside one.

_MOST_TRIED = 5_000
"""Paths from one start, and chains of one length; bounds the time in dense graphs. Chosen, not measured."""


def nearest_relations(graph: Graph, query: Query, relations: Rows) -> list[RankedRow]:
    """Return the 2k facts among these relations with the highest cosine, best first."""
    relations = relations[graph.tells[relations]]
    scores = graph.relations.vectors.cosines_of(relations, query.vector)
    order = top(scores, graph.relations.id_ranks[relations], 2 * query.k)
    return list(map(RankedRow, relations[order].tolist(), scores[order].tolist()))


MAX_HOPS, MAX_PATHS = 4, 10
"""Relations of the longest path or chain, and most paths or chains that are returned; chosen: a person reads no
longer ones, nor more."""


def paths_between(graph: Graph, starts: Sequence[int], ends: Sequence[int], *, max_hops: int, limit: int) -> list[Path]:
    """Return the shortest paths along relations in either direction, and those one hop longer.

    Shortest paths come first, then paths through less connected entities. No path visits an entity twice or passes
    through a hub. An end that is also a start is ignored.
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

    def order(path: Path) -> tuple[int, float, list[int]]:
        relations, inner = list(path.relations), list(path.entities[1:-1])
        connected = float(np.log1p(graph.degrees[inner]).sum())
        return len(relations), connected, graph.relations.id_ranks[relations].tolist()

    return sorted(found, key=order)[:limit]


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


def _walks(graph: Graph, path: Path, targets: set[int], distance: dict[int, int], hops: int) -> Iterator[Path]:
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
    graph: Graph, starts: Sequence[int], leads_on: Callable[[int], bool], backwards: bool,
    max_hops: int, limit: int,
) -> list[Path]:  # fmt: skip
    """Return the maximal chains of relations from an entity, longest first.

    A chain follows relations for which `leads_on` is true, from head to tail, or, `backwards` ("what depends on it"),
    from tail to head.
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
    ids = graph.relations.id_ranks
    chains = [path for path in (*finished, *growing) if path.relations]
    chains.sort(key=lambda path: (-len(path.relations), ids[list(path.relations)].tolist()))
    return chains[:limit]


def _next_steps(graph: Graph, path: Path, leads_on: Callable[[int], bool], backwards: bool) -> list[Path]:
    here = path.entities[-1]
    if len(path.entities) > 1 and graph.degrees[here] > MAX_DEGREE:
        return []
    near, far = (graph.tails, graph.heads) if backwards else (graph.heads, graph.tails)
    return [
        Path((*path.entities, int(far[relation])), (*path.relations, relation))
        for relation, _ in graph.steps(here)
        if near[relation] == here and int(far[relation]) not in path.entities and leads_on(relation)
    ]

"""Typed path queries on the graph, by a language model or a program.

"Who works in Zurich?" is a path from Zurich over relations to things of a type. A planner cannot know which relations
exist: in "Surfacing the structure" a query asked for the city of teams, which had none. So `patterns` counts the
existing relations, and a query without results is relaxed, condition by condition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

import numpy as np

from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval.graph.filters import kinds
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Path, Query, RankedRow
from graphrag_tasks.retrieval.view.arrays import top
from graphrag_tasks.storage.artifacts import Rows

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


ANY = "*"  # A relation that matches all.

Direction = Literal["out", "in", "any"]

MOST_STEPS = 4  # Steps that are followed.
_MOST_FOUND = 5_000  # Paths that are looked at: a bound of time and memory.
_UNTYPED = "thing"  # Display of a thing without type; as a type it matches all.

_TURNED: dict[Direction, Direction] = {"out": "in", "in": "out", "any": "any"}


@dataclass(frozen=True)
class Thing:
    """A node of a path query: by name, by type or kind ("person"), both, or anything."""

    name: str = ""
    type: str = ""


@dataclass(frozen=True)
class Step:
    """A relation to the next node of a path.

    Attributes:
        relation: Its words in any form ("works for"), or `*`.
        direction: `out` from head to tail, `in` from tail to head, or `any`.
    """

    to: Thing = Thing()
    relation: str = ANY
    direction: Direction = "any"


@dataclass(frozen=True)
class PathQuery:
    """A path query: start and steps, of which `MOST_STEPS` are followed."""

    start: Thing
    steps: tuple[Step, ...]

    @property
    def things(self) -> tuple[Thing, ...]:
        """All things on the path, in order."""
        return (self.start, *(step.to for step in self.steps))

    def turned(self) -> PathQuery:
        """Return the reversed query."""
        befores = self.things[:-1]
        steps = [
            Step(before, step.relation, _TURNED[step.direction])
            for before, step in zip(befores, self.steps, strict=True)
        ]
        return PathQuery(self.things[-1], tuple(reversed(steps)))


@dataclass(frozen=True)
class Pattern:
    """Number of relations between two types; a type is empty if unknown."""

    head_type: str
    relation: str
    tail_type: str
    count: int

    def __str__(self) -> str:
        head, tail = self.head_type or _UNTYPED, self.tail_type or _UNTYPED
        return f"{head} —{self.relation}→ {tail}: {self.count}"


@dataclass(frozen=True)
class FoundPaths:
    """Result of a path query: paths, best supported first, and the unnamed ends.

    Attributes:
        ends: The distinct entities at the unnamed end; at the last one, if both are unnamed.
        dropped: The dropped conditions; all of them if nothing was found.
    """

    paths: tuple[Path, ...] = ()
    ends: tuple[int, ...] = ()
    dropped: tuple[str, ...] = ()


def patterns(graph: Graph, relations: Iterable[int], most: int) -> list[Pattern]:
    """Return the most frequent patterns among relations, without negated ones."""
    types = graph.entity_types

    def pattern(row: int) -> tuple[str, str, str]:
        head, tail = types[graph.heads[row]], types[graph.tails[row]]
        return head or "", graph.relation_words[row], tail or ""

    found = Counter(pattern(row) for row in relations if not graph.denied[row])
    chosen = sorted(found, key=lambda key: (-found[key], key))[:most]
    return [Pattern(*key, found[key]) for key in chosen]


def find_paths(graph: Graph, query: PathQuery) -> FoundPaths:
    """Return the paths that match a query, or its remaining conditions.

    Dropped one after the other: types, directions, relation words. Names never are: an unknown name finds nothing. A
    path passes through no hub and visits nothing twice; negated relations are left out.
    """
    query = PathQuery(query.start, query.steps[:MOST_STEPS])
    backwards = not query.start.name and bool(query.things[-1].name)
    if backwards:
        query = query.turned()
    dropped: list[str] = []
    for name, loosen in (("", None), *_LOOSER.items()):
        if loosen:
            looser = loosen(query)
            if looser == query:
                continue
            query = looser
            dropped.append(name)
        if not query.steps or not any(thing.name or thing.type for thing in query.things):
            break
        found = _best(graph, islice(_follow(graph, query), _MOST_FOUND))
        if found:
            ends = () if query.things[-1].name else dict.fromkeys(path.entities[-1] for path in found)
            return FoundPaths(tuple(map(_turn, found)) if backwards else tuple(found), tuple(ends), tuple(dropped))
    return FoundPaths(dropped=tuple(dropped))


def _without_types(query: PathQuery) -> PathQuery:
    steps = [replace(step, to=Thing(step.to.name)) for step in query.steps]
    return PathQuery(Thing(query.start.name), tuple(steps))


def _without_directions(query: PathQuery) -> PathQuery:
    steps = [replace(step, direction="any") for step in query.steps]
    return PathQuery(query.start, tuple(steps))


def _without_words(query: PathQuery) -> PathQuery:
    steps = [replace(step, relation=ANY) for step in query.steps]
    return PathQuery(query.start, tuple(steps))


_LOOSER: dict[str, Callable[[PathQuery], PathQuery]] = {
    "types": _without_types,
    "directions": _without_directions,
    "relations": _without_words,
}


def _best(graph: Graph, paths: Iterable[Path]) -> list[Path]:
    def order(path: Path) -> tuple[float, list[int]]:
        relations = list(path.relations)
        support = float(graph.relation_support[relations].min())
        return -support, graph.relations.id_ranks[relations].tolist()

    return sorted(paths, key=order)


def _turn(path: Path) -> Path:
    return Path(path.entities[::-1], path.relations[::-1])


def _follow(graph: Graph, query: PathQuery) -> Iterator[Path]:
    fits = _Fits(graph)
    relations = [_said(step.relation) for step in query.steps]

    def longer(path: Path) -> Iterator[Path]:
        here, place = path.entities[-1], len(path.relations)
        if place == len(query.steps):
            yield path
            return
        if place and graph.degrees[here] > MAX_DEGREE:
            return
        step = query.steps[place]
        for relation, other in graph.steps(here):
            is_out = graph.heads[relation] == here
            if (
                other not in path.entities
                and not graph.denied[relation]
                and step.direction in ("any", "out" if is_out else "in")
                and relations[place] <= _said(graph.relation_words[relation])
                and fits(other, step.to)
            ):
                found = Path((*path.entities, other), (*path.relations, relation))
                yield from longer(found)

    for start in _starts(graph, query.start, fits):
        yield from longer(Path((start,), ()))


def _starts(graph: Graph, thing: Thing, fits: _Fits) -> Iterator[int]:
    named = graph.named_entities(thing.name) if thing.name else None
    candidates = range(len(graph.entities)) if named is None else named
    return (candidate for candidate in candidates if fits(candidate, Thing(type=thing.type)))


def _said(relation: str) -> frozenset[str]:
    """Return the terms for comparing relation words; none if any relation matches."""
    if relation.strip() == ANY:
        return frozenset()
    return frozenset(terms(relation)) or frozenset(relation.casefold().split())


class _Fits:
    """Matches entities with query nodes, with a cache."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._kinds: dict[int, set[str]] = {}
        self._named: dict[str, set[int]] = {}

    def __call__(self, entity: int, thing: Thing) -> bool:
        """Return whether the entity has the name and is of the type."""
        if thing.name:
            if thing.name not in self._named:
                rows = self._graph.named_entities(thing.name)
                self._named[thing.name] = set(rows)
            if entity not in self._named[thing.name]:
                return False
        kind = terms(thing.type)[-1:]
        if not kind or kind == terms(_UNTYPED):
            return True
        if entity not in self._kinds:
            self._kinds[entity] = kinds(self._graph, entity)
        return kind[0] in self._kinds[entity]

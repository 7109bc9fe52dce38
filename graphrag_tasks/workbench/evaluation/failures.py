"""Why a question failed: its gold item was unreachable, or ranked too low.

A question fails if the first eight places lack a gold item; the item furthest from success decides:

* `no_seed`: no graph path leads from a search seed to the item;
* `missing_link`: a path does, but is longer than the mode's hops;
* `ranking`: the mode could reach the item, but ranked it lower or cut it off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

import numpy as np

from graphrag_tasks.language.known_names import find_names
from graphrag_tasks.retrieval import Context, Index
from graphrag_tasks.retrieval.graph.name_graph import NameGraph
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.ranker.walk import ROUNDS
from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.workbench.evaluation.gold import Target

REASONS = NO_SEED, MISSING_LINK, RANKING = "no_seed", "missing_link", "ranking"
"""All reasons, the furthest from success first."""


class Reach(Protocol):
    """The graph that a mode follows, and the number of `hops` from its seeds."""

    hops: int

    def distances(self, context: Context) -> Mapping[str, int]:
        """Return the hops from the nearest seed for each reachable chunk."""
        ...


class GraphReach:
    """Reach over the snapshot's graph, from the entities of a context.

    An entity is one hop from chunks that mention it or state its relations, and from the entities at the other end of
    these relations.
    """

    def __init__(self, snapshot: Snapshot, hops: int) -> None:
        self.hops = hops
        self._graph = Graph(snapshot)
        entities, chunks = self._graph.entities.ids, self._graph.chunks.ids
        self._rows = {entity: row for row, entity in enumerate(entities.to_pylist())}
        self._chunks: list[str] = chunks.to_pylist()

    def distances(self, context: Context) -> Mapping[str, int]:
        """Return the hops of every chunk connected with a seed."""
        graph = self._graph
        frontier = np.array(sorted(self._rows[entity.entity_id] for entity in context.entities), np.int64)
        seen = np.zeros(len(graph.entities), dtype=np.bool_)
        found = np.zeros(len(self._chunks), dtype=np.int64)
        hops = 0
        while len(frontier):
            hops += 1
            seen[frontier] = True
            relations = np.flatnonzero(graph.all_entity_relations.union(frontier))
            chunks = graph.entity_chunks.union(frontier) | graph.relation_chunks.union(relations)
            found[chunks & (found == 0)] = hops
            ends = np.unique(np.concatenate([graph.heads[relations], graph.tails[relations]]))
            frontier = ends[~seen[ends]]
        return {self._chunks[row]: int(found[row]) for row in np.flatnonzero(found)}


class NameReach:
    """Reach over names shared by chunks, from the names in the question.

    A chunk is one hop from the names in it. `chunk_ids` are the chunks of the graph, by row.
    """

    def __init__(self, names: NameGraph, chunk_ids: Sequence[str], hops: int) -> None:
        self.hops = hops
        self._names = names
        self._ids = chunk_ids

    def distances(self, context: Context) -> Mapping[str, int]:
        """Return the hops of every chunk connected with a name of the question."""
        holds = self._names.weights
        seen = np.zeros(holds.shape[1], dtype=np.float32)
        matches = find_names(context.question, self._names.keys)
        seen[[self._names.keys[match.key] for match in matches if match.is_telling]] = 1.0
        found: dict[str, int] = {}
        hops, known = 0, -1
        while known < len(found):
            hops, known = hops + 1, len(found)
            chunks = (holds @ seen > 0).astype(np.float32)
            for row in np.flatnonzero(chunks):
                found.setdefault(self._ids[int(row)], hops)
            seen = (holds.T @ chunks > 0).astype(np.float32)
        return found


def _graph_reach(index: Index) -> Reach:
    return GraphReach(index.snapshot, hops=1)


def _name_reach(index: Index) -> Reach:
    graph = Graph(index.snapshot)
    return NameReach(graph.name_graph, graph.chunks.ids.to_pylist(), ROUNDS)


REACHES: Mapping[str, Callable[[Index], Reach]] = MappingProxyType(
    {"paper": _graph_reach} | dict.fromkeys(("graph", "ranked", "path", "list", "global", "auto"), _name_reach)
)
"""The reach of each graph mode, by mode name."""


def reason(target: Target, missing: frozenset[int], context: Context, reach: Reach | None) -> str:
    """Return why the first places lack gold items; `reach` is None without a graph."""
    if reach is None:
        return RANKING
    distances = reach.distances(context)
    return min((_item_reason(target.chunks[one], distances, reach.hops) for one in missing),
               key=REASONS.index)  # fmt: skip


def _item_reason(chunks: frozenset[str], distances: Mapping[str, int], hops: int) -> str:
    near = min((distances[chunk] for chunk in chunks if chunk in distances), default=None)
    if near is None:
        return NO_SEED
    return MISSING_LINK if near > hops else RANKING

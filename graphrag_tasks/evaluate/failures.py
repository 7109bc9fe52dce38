"""Why a question failed: what a mode's search could not reach, and what it reached and lost.

A question fails when the first eight places lack a gold item. Its reason is that of the item that
was furthest from being found:

* `no_seed`: no path of the graph leads from any seed of the search to the item;
* `missing_link`: a path does, but it is longer than the hops that the mode follows;
* `ranking`: the mode could reach it and ranked it lower, or drew others where it caps its
  neighbourhood. It is also the reason wherever a mode follows no graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

import numpy as np

from graphrag_tasks.evaluate.gold import Target
from graphrag_tasks.retrieval import Context, Index
from graphrag_tasks.retrieval.graph.name_graph import NameGraph
from graphrag_tasks.retrieval.graph.names import find_names
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.snapshots.store import Snapshot

NO_SEED = "no_seed"
MISSING_LINK = "missing_link"
RANKING = "ranking"
REASONS = (NO_SEED, MISSING_LINK, RANKING)
"""Every reason, the furthest from success first."""


class Reach(Protocol):
    """What a mode reveals about the graph it follows."""

    @property
    def hops(self) -> int:
        """Hops that the mode follows from its seeds."""
        ...

    def distances(self, context: Context) -> Mapping[str, int]:
        """Return, for each chunk that some path leads to, its hops from the nearest seed.

        Args:
            context: What the mode found, with its seeds.
        """
        ...


class GraphReach:
    """Reach over the snapshot's own graph, from the entities that the context names as seeds.

    A chunk that mentions an entity, or is evidence of a relation that touches it, is one hop from
    it; so is the entity at the relation's other end.

    Args:
        snapshot: The snapshot that was searched.
        hops: Hops that the mode follows.

    Attributes:
        hops: Hops that the mode follows.
    """

    def __init__(self, snapshot: Snapshot, hops: int) -> None:
        self.hops = hops
        self._graph = Graph(snapshot)
        entities, chunks = self._graph.entities.ids, self._graph.chunks.ids
        self._rows = {entity: row for row, entity in enumerate(entities.to_pylist())}
        self._chunks: list[str] = chunks.to_pylist()

    def distances(self, context: Context) -> Mapping[str, int]:
        """Return the hops of every chunk that is connected with a seed."""
        graph = self._graph
        frontier = np.array(sorted(self._rows[one.entity_id] for one in context.entities), np.int64)
        seen = np.zeros(len(graph.entities), dtype=np.bool_)
        found = np.zeros(len(self._chunks), dtype=np.int64)
        hops = 0
        while len(frontier):
            hops += 1
            seen[frontier] = True
            relations = np.flatnonzero(graph.entity_relations.union(frontier))
            chunks = graph.entity_chunks.union(frontier) | graph.relation_chunks.union(relations)
            found[chunks & (found == 0)] = hops
            ends = np.unique(np.concatenate([graph.heads[relations], graph.tails[relations]]))
            frontier = ends[~seen[ends]]
        return {self._chunks[row]: int(found[row]) for row in np.flatnonzero(found)}


class NameReach:
    """Reach over the names that chunks share, from the names in the question.

    A chunk that holds a name is one hop from it, and so are the names that the chunk holds.

    Args:
        names: The graph of names and chunks.
        chunk_ids: Ids of its chunks, by row.
        hops: Hops that the mode follows.

    Attributes:
        hops: Hops that the mode follows.
    """

    def __init__(self, names: NameGraph, chunk_ids: Sequence[str], hops: int) -> None:
        self.hops = hops
        self._names = names
        self._ids = chunk_ids

    def distances(self, context: Context) -> Mapping[str, int]:
        """Return the hops of every chunk that is connected with a name of the question."""
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
    hops = index.config.walk.steps // 2  # from a name to a chunk, and from there to a name
    return NameReach(graph.name_graph, graph.chunks.ids.to_pylist(), hops)


REACHES: Mapping[str, Callable[[Index], Reach]] = MappingProxyType(
    {"paper": _graph_reach}
    | dict.fromkeys(("graph", "ranked", "path", "list", "global", "auto"), _name_reach)
)
"""How far each mode that follows a graph can go, by the mode's name."""


def reason(target: Target, missing: frozenset[int], context: Context, reach: Reach | None) -> str:
    """Return why a question failed.

    Args:
        target: The question.
        missing: Its gold items that the first places lack, at least one.
        context: What was found.
        reach: What the mode reveals about its graph; None for a mode without one.
    """
    if reach is None:
        return RANKING
    distances = reach.distances(context)
    return min((_item_reason(target.chunks[one], distances, reach.hops) for one in missing),
               key=REASONS.index)  # fmt: skip


def _item_reason(chunks: frozenset[str], distances: Mapping[str, int], hops: int) -> str:
    near = min((distances[one] for one in chunks if one in distances), default=None)
    if near is None:
        return NO_SEED
    return MISSING_LINK if near > hops else RANKING

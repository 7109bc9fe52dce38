"""Modes `local` and `path`: relations around and between the entities in the question.

Mode `local` ranks the relations of these entities by cosine, and their evidence and the chunks that mention the
entities by cosine and BM25.

Mode `path`: "how is A connected to B" gives the shortest paths between them. "What does A depend on" follows
dependencies from head to tail, "what breaks if A goes down" from tail to head; if there are none, all relations of A in
that direction, one hop far.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib import resources

import numpy as np

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import NamedSeeds, Path, Query, RankedRow, Ranking, find_seeds, named_seeds
from graphrag_tasks.retrieval.ranker import learned
from graphrag_tasks.retrieval.ranker.hybrid import hybrid_chunks
from graphrag_tasks.retrieval.ranker.path_query import (
    MAX_HOPS,
    MAX_PATHS,
    chains_from,
    nearest_relations,
    paths_between,
)

_PATTERNS: dict[str, list[str]] = json.loads((resources.files(__package__) / "relationship.json").read_text("utf-8"))
_DEPENDS = re.compile(rf"\b(?:{'|'.join(_PATTERNS['depends'])})\b")
_PASSIVE = re.compile(r"^be \w+ by\b|^\w+ by$")
_BACKWARDS, _FORWARDS, _BETWEEN = (
    re.compile("|".join(_PATTERNS[name]), re.IGNORECASE) for name in ("backwards", "forwards", "between")
)
_BY_VECTOR = "The question names no entity: the search starts at the nearest by vector."
_ONE_NAME = "Of the two things only one is a known name: chunks come from the default ranking."
_NOTHING = "No path of at most {hops} relations was found: chunks come from the default ranking."
_NOBODY = "The question names no entity: chunks come from the default ranking alone."


def rank_local(graph: Graph, query: Query, _: RetrievalConfig) -> Ranking:
    """Return the k best chunks and 2k best relations."""
    seeds = [seed for one in named_seeds(graph, query) for seed in one.seeds]
    notes = [] if seeds else [_BY_VECTOR]
    seeds = seeds or find_seeds(graph, query)
    near = np.array(sorted({seed.row for seed in seeds}), dtype=np.int64)
    relations = np.flatnonzero(graph.entity_relations.union(near))
    inside = graph.relation_chunks.union(relations) | graph.entity_chunks.union(near)
    return Ranking(
        chunks=hybrid_chunks(graph, query, 1.0, inside),
        relations=nearest_relations(graph, query, relations),
        seeds=seeds,
        notes=notes,
    )


def rank_path(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return at most `MAX_PATHS` paths or chains, with the chunks of mode `ranked`."""
    ranking = learned.rank(graph, query, config)
    named = named_seeds(graph, query)
    if not named:
        return ranking.with_more(notes=[_NOBODY])
    paths = find_paths(graph, query.text, named)
    seeds = [seed for one in named for seed in one.seeds]
    if not paths:
        one_of_two = len(named) == 1 and _BETWEEN.search(query.text)
        note = _ONE_NAME if one_of_two else _NOTHING.format(hops=MAX_HOPS)
        return ranking.with_more(seeds=seeds, notes=[note])
    ordered = list(dict.fromkeys(relation for path in paths for relation in path.relations))
    relations = [RankedRow(row, 1.0 / place) for place, row in enumerate(ordered, 1)]
    return ranking.with_more(relations=relations, seeds=seeds, further={"paths": paths})


def find_paths(graph: Graph, question: str, named: Sequence[NamedSeeds]) -> list[Path]:
    """Return paths between the first two things named, or chains from the first.

    A question about a connection has no answer if only one of its names is known.
    """
    starts = named[0].rows
    forwards = bool(_FORWARDS.search(question))
    backwards = bool(_BACKWARDS.search(question))
    if len(named) > 1 and not backwards and not forwards:
        return paths_between(graph, starts, named[1].rows, max_hops=MAX_HOPS, limit=MAX_PATHS)
    if len(named) == 1 and _BETWEEN.search(question):
        return []
    backwards = backwards and not forwards

    def depends(relation: int) -> bool:
        words = graph.relation_words[relation]
        return bool(_DEPENDS.search(words)) and not _PASSIVE.search(words)

    def any_relation(_: int) -> bool:
        return True

    return chains_from(graph, starts, depends, backwards, MAX_HOPS, MAX_PATHS) or chains_from(
        graph, starts, any_relation, backwards, 1, MAX_PATHS
    )

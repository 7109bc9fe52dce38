"""Mode `path`: how two things are connected, and chains of dependency in both directions.

"How is A connected to B" gives the shortest paths between them. "What does A depend on" follows
dependencies from head to tail, "what breaks if A goes down" from tail to head; without any, all
relations of A in that direction are taken, one hop far.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Path, Query, RankedRow, Ranking
from graphrag_tasks.retrieval.question.seeds import NamedSeeds, named_seeds
from graphrag_tasks.retrieval.ranker import rank_chunks
from graphrag_tasks.retrieval.ranker.traverse import chains_from, paths_between

_DEPENDS = re.compile(
    r"\b(?:depend|rely|rest|require|need|use|call|consume|run on|read|query|load|import|receive|"
    r"connect|access|build on|base on|be based on|be hosted on|be deployed on|be built on|"
    r"be powered by|authenticate|store in|be stored in|write to|get)\b",
)
_PASSIVE = re.compile(r"^be \w+ by\b|^\w+ by$")
_BACKWARDS = re.compile(
    r"\b(?:breaks?|fails?|stops?|affect\w*|impact\w*|down|offline|outage|remov\w+|delet\w+)\b"
    r"|\b(?:what|which|who)(?: \w+){0,3} (?:depends?|rel(?:y|ies)) (?:up)?on\b|\bdownstream of\b",
    re.IGNORECASE,
)
_FORWARDS = re.compile(
    r"\b(?:do|does|did)\b.*\b(?:depend|rely|need|require|use)\b|\bupstream of\b", re.IGNORECASE
)
_BETWEEN = re.compile(
    r"\b(?:connected|related|linked) (?:to|with)\b|\b(?:connection|relation|relationship|link|path|"
    r"chain) (?:between|from)\b",
    re.IGNORECASE,
)
_ONE_NAME = "Of the two things only one is a known name: chunks come from the default ranking."
_NOTHING = "No path of at most {hops} relations was found: chunks come from the default ranking."
_NOBODY = "The question names no entity: chunks come from the default ranking alone."


def rank(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return at most `config.max_paths` paths or chains, with the chunks of mode `ranked`."""
    ranking = rank_chunks(graph, query, config)
    named = named_seeds(graph, query)
    if not named:
        return ranking.with_more(notes=[_NOBODY])
    paths = find_paths(graph, query.text, named, config)
    seeds = [seed for one in named for seed in one.seeds]
    if not paths:
        one_of_two = len(named) == 1 and _BETWEEN.search(query.text)
        note = _ONE_NAME if one_of_two else _NOTHING.format(hops=config.max_hops)
        return ranking.with_more(seeds=seeds, notes=[note])
    ordered = list(dict.fromkeys(relation for path in paths for relation in path.relations))
    relations = [RankedRow(row, 1.0 / place) for place, row in enumerate(ordered, 1)]
    return ranking.with_more(relations=relations, seeds=seeds, further={"paths": paths})


def find_paths(
    graph: Graph, question: str, named: Sequence[NamedSeeds], config: RetrievalConfig
) -> list[Path]:
    """Return paths between the first two things named, or chains from the first.

    A question how two things are connected has no answer if only one of them is known.
    """
    hops, limit, starts = config.max_hops, config.max_paths, named[0].rows
    forwards = bool(_FORWARDS.search(question))
    backwards = bool(_BACKWARDS.search(question))
    if len(named) > 1 and not backwards and not forwards:
        return paths_between(graph, starts, named[1].rows, max_hops=hops, limit=limit)
    if len(named) == 1 and _BETWEEN.search(question):
        return []
    backwards = backwards and not forwards

    def depends(relation: int) -> bool:
        words = graph.relation_words[relation]
        return bool(_DEPENDS.search(words)) and not _PASSIVE.search(words)

    def any_relation(_: int) -> bool:
        return True

    return chains_from(graph, starts, depends, backwards, hops, limit) or chains_from(
        graph, starts, any_relation, backwards, 1, limit
    )

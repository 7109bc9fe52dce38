"""Mode `path`: how two things are connected, and chains of dependency both ways.

"How is A connected to B" takes the shortest paths between them. "What does A depend on" follows
relations of dependency from head to tail, "what breaks if A goes down" from tail to head; where
there is none, every relation of A in that direction is taken, one hop far.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Path, Query, RankedRelation, Ranking
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
    """Return the paths or chains, their relations in order, and the chunks that state them."""
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
    relations = [RankedRelation(row, 1.0 / place) for place, row in enumerate(ordered, 1)]
    return ranking.with_more(relations=relations, seeds=seeds, further={"paths": paths})


def find_paths(
    graph: Graph, question: str, named: Sequence[NamedSeeds], config: RetrievalConfig
) -> list[Path]:
    """Return paths between the first two things named, or chains from the only one.

    A question that asks how two things are connected has no answer where one of them is unknown.
    """
    if len(named) > 1 and not _BACKWARDS.search(question) and not _FORWARDS.search(question):
        return paths_between(
            graph, named[0].rows, named[1].rows, max_hops=config.max_hops, limit=config.max_paths
        )
    if len(named) == 1 and _BETWEEN.search(question):
        return []
    backwards = bool(_BACKWARDS.search(question)) and not _FORWARDS.search(question)
    starts = named[0].rows
    texts = graph.relation_words

    def depends(relation: int) -> bool:
        words = texts[relation]
        return bool(_DEPENDS.search(words)) and not _PASSIVE.search(words)

    chains = chains_from(
        graph, starts, leads_on=depends, backwards=backwards,
        max_hops=config.max_hops, limit=config.max_paths,
    )  # fmt: skip
    return chains or chains_from(
        graph, starts, leads_on=lambda _: True, backwards=backwards,
        max_hops=1, limit=config.max_paths,
    )  # fmt: skip

"""Mode `global`: the corpus as a whole, by the summaries of its communities.

Source: Edge et al., "From Local to Global", arXiv 2404.16130, without its LLM: communities of one
level are ranked by their vectors and by the words of their summaries. A question that names
something is answered at the finest level, any other at the coarsest. One that asks for themes and
names none ("What are the main topics?") is answered by the largest communities.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.language.bm25 import STOP_WORDS
from graphrag_tasks.retrieval.graph.fuse import standardised
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query, RankedCommunity, Ranking
from graphrag_tasks.retrieval.question.seeds import named_seeds
from graphrag_tasks.retrieval.ranker import rank_chunks

_ASKED_FOR = """
about across all collection common content contents corpus cover covered covers document
documents entire everything file files general give here idea ideas key list main me most
name overall overview please recurring show subject subjects summarise summarize summary tell
text texts theme themes topic topics trend trends whole
"""
_ASKING_WORDS = STOP_WORDS.union(_ASKED_FOR.split())
"""Words of questions for an overview that do not say of what."""

_NO_COMMUNITIES = "The snapshot has no communities: chunks come from the default ranking alone."


def rank(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return the k communities that answer best, and chunks and relations as the default does.

    Args:
        graph: The snapshot's arrays.
        query: The question.
        config: Passed on to the ranking of chunks.
    """
    ranking = rank_chunks(graph, query, config)
    communities = graph.communities
    if not len(communities):
        return ranking.with_more(notes=[_NO_COMMUNITIES])
    named = any(seed.as_name for seed in named_seeds(graph, query))
    levels = communities.levels
    rows = np.flatnonzero(levels == (levels.max() if named else levels.min()))
    if _names_no_subject(query.text):
        scores: NDArray[np.floating] = communities.sizes[rows].astype(np.float32)
    else:
        dense = communities.vectors[rows] @ query.vector
        words = communities.lexicon.scores(communities.lexicon.asked(query.text))[rows]
        scores = standardised(dense) + standardised(words)
    order = np.lexsort((rows, -scores))[: query.k]
    best = [RankedCommunity(int(rows[place]), float(scores[place])) for place in order]
    return ranking.with_more(further={"communities": best})


def _names_no_subject(question: str) -> bool:
    words = set(re.findall(r"\w+", question.casefold()))
    return words <= _ASKING_WORDS

"""Mode `global`: the corpus as a whole, by community summaries.

Source: Edge et al., "From Local to Global", arXiv 2404.16130, without an LLM. Communities are ranked by their vectors
and the words of their summaries: on the finest level if the question names something, else on the coarsest. Questions
without a subject ("What are the main topics?") get the largest communities.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.language.bm25 import STOP_WORDS
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query, RankedRow, Ranking, named_seeds
from graphrag_tasks.retrieval.ranker import learned
from graphrag_tasks.retrieval.view.arrays import all_cosines, standardised

_ASKED_FOR = """
about across all base collection common contain contains content contents corpus cover covered
covers discuss discussed docs document documentation documents entire everything file files
general give guide handbook here idea ideas key knowledge list main manual me most name overall
overview pages please recurring show subject subjects summarise summarize summary tell text texts
theme themes topic topics trend trends whole
"""
_ASKING_WORDS = STOP_WORDS.union(_ASKED_FOR.split())  # Words of overview questions that name no subject.

_SAY = r"(?:say|says|said|tells?(?: me| us)?|state|stated|told|covers?)"
_TEXTS = r"(?:it|they|(?:all )?(?:the|these|this) (?:\w+ ){1,2}?)"
_OVERVIEW = r"(?:overview|summary|outline|picture|rundown|survey|tour|gist|introduction)"
_SUBJECT = re.compile(
    r"\W*(?:(?:please|briefly),? |in (?:a few|short|brief) \w+, "
    r"|(?:can|could|would) you (?:please )?|i would like |walk me through )?"
    r"(?:tell me )?(?:"
    r"(?:something |more |everything |all )?about|everything about|(?:sum up|summari[sz]e)"
    rf"|(?:(?:give|show)(?: me)? )?(?:an? |the )?(?:short |brief |general )?{_OVERVIEW} (?:of|on)"
    rf"|(?:what|everything|all) (?:that )?(?:is|are) {_SAY} (?:about|on|of)"
    rf"|(?:everything|all) (?:that )?{_TEXTS} ?{_SAY} (?:about|on|of)"
    r"|everything (?:there is to know )?(?:about|on)"
    rf"|what (?:do|does) {_TEXTS} ?{_SAY} (?:about|on)"
    r"|what (?:do|does)(?= (?:the|this) \w+ .*\b(?:cover|deal with|go over)\b)"
    r") (?:the |an? )?(?P<subject>(?!how\b|why\b|what\b|who\b)\S+(?: \S+){0,5}?)"
    r"(?: cover| deal with| go over)?"
    r"(?:,? (?:in|throughout|across|as) (?:all |a )?(?:these|the|this|one)? ?\w+)?"
    r"(?:,? (?:please|condensed))?\W*",
    re.IGNORECASE,
)
_NAMED_FIRST = re.compile(
    rf"\W*(?:the )?(?P<subject>\S+(?: \S+){{0,4}}?)(?:,|:| -) (?:as )?(?:an? )?"
    rf"(?:short |general )?{_OVERVIEW}\W*",
    re.IGNORECASE,
)
"""The same with the subject first: "HDR: an overview"."""
"""A question for an overview of a subject; what is longer describes something of its own."""

_NO_COMMUNITIES = "The snapshot has no communities: chunks come from the default ranking alone."


def has_subject(question: str) -> bool:
    """Tell whether a question has a subject besides the words that ask for an overview."""
    return not set(re.findall(r"\w+", question.casefold())) <= _ASKING_WORDS


def subject_of(question: str) -> str:
    """Return the subject that a question asks an overview of; "" for other questions."""
    text = " ".join(question.split())
    found = _SUBJECT.fullmatch(text) or _NAMED_FIRST.fullmatch(text)
    return found["subject"] if found and has_subject(found["subject"]) else ""


def rank(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return the k best communities, with the chunks and relations of mode `ranked`."""
    ranking = learned.rank(graph, query, config)
    if not len(graph.communities):
        return ranking.with_more(notes=[_NO_COMMUNITIES])
    return ranking.with_more(further={"communities": best_communities(graph, query)})


def best_communities(graph: Graph, query: Query) -> list[RankedRow]:
    """Return the k communities that best match a question, best first."""
    communities = graph.communities
    if not len(communities):
        return []
    named = any(seed.as_name for seed in named_seeds(graph, query))
    level = communities.finest if named else communities.coarsest
    if not has_subject(query.text):
        scores: NDArray[np.floating] = communities.sizes[level.rows].astype(np.float32)
    else:
        (dense,) = all_cosines(level.vectors, query.vector[None])
        words = level.lexicon.scores(level.lexicon.asked(query.text))
        scores = standardised(dense) + standardised(words)
    order = np.lexsort((level.rows, -scores))[: query.k]
    return list(map(RankedRow, level.rows[order].tolist(), scores[order].tolist()))

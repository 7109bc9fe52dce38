"""The skeleton of a graph as text for a language model: names and relations only.

Source: "Surfacing the structure", which shows a model the triples of a graph as CSV before it rewrites a question.
"""

from __future__ import annotations

import csv
import io
from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query
from graphrag_tasks.retrieval.ranker.walk import walk
from graphrag_tasks.retrieval.view.arrays import standardised
from graphrag_tasks.storage.columns import Rows

_HEADER = ("head", "relation", "tail")
_TOKENS_A_RELATION = 3  # No relation takes fewer: a name, a verb and a name.


def by_support(graph: Graph) -> Rows:
    """Return all relations, best supported first."""
    return np.lexsort((graph.relations.id_ranks, -graph.relation_support))


def by_question(graph: Graph, query: Query) -> Rows:
    """Return all relations, those that tell most of what a question is about first.

    Their score is the cosine with the question plus the `graph` score of the best chunk that states them, both
    standardised; support breaks ties.
    """
    if not len(graph.relations):
        return np.empty(0, dtype=np.int64)
    walked = walk(graph, query).scores
    states = graph.relation_chunks
    best = np.full(len(graph.relations), walked.min(), dtype=np.float32)
    chunks, relations = states.pairs(np.arange(len(graph.relations)))
    np.maximum.at(best, relations, walked[chunks])
    (near,) = graph.relations.vectors.cosines(query.vector[None], beside=best)
    scores = near.standardised + standardised(best)
    return np.lexsort((graph.relations.id_ranks, -graph.relation_support, -scores))


def as_csv(graph: Graph, relations: Sequence[int]) -> str:
    """Return relations as CSV with a header."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEADER)
    for row in relations:
        head, tail = graph.entity_names[graph.heads[row]], graph.entity_names[graph.tails[row]]
        writer.writerow((head, graph.said(row), tail))
    return text.getvalue()


def fitting(graph: Graph, relations: Rows, budget_tokens: int) -> str:
    """Return as many of the first relations as fit a budget in tokens; "" if none fits."""
    from graphrag_tasks.llm.tokens import count  # here: it brings the client of language models

    def tokens(number: int) -> int:
        return count(as_csv(graph, relations[:number].tolist()))

    most = min(len(relations), budget_tokens // _TOKENS_A_RELATION)
    fits = bisect_right(range(most + 1), budget_tokens, key=tokens) - 1
    while fits > 0 and tokens(fits) > budget_tokens:  # a longer text may have fewer tokens
        fits -= 1
    return as_csv(graph, relations[:fits].tolist()) if fits > 0 else ""

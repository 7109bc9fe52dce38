"""Mode `ranked`: a learned ranking over the lists of mode `graph`.

Gradient-boosted trees (LambdaMART: Burges, "From RankNet to LambdaRank to LambdaMART", 2010), grown
and checked by `training/ranking.py`. `blend` weighs them against words; `diversify` gives each part
of a question a place.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources

import numpy as np

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.core.forest import Forest
from graphrag_tasks.retrieval.graph.fuse import top
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query, Ranking
from graphrag_tasks.retrieval.question.sub_questions import part_name, part_weights
from graphrag_tasks.retrieval.ranker import walk
from graphrag_tasks.retrieval.ranker.blend import blended
from graphrag_tasks.retrieval.ranker.diversify import diversified
from graphrag_tasks.retrieval.ranker.features import (
    CANDIDATES_AGAIN,
    FEATURES,
    Lists,
    candidates,
    features,
    make_lists,
)
from graphrag_tasks.retrieval.view.arrays import Floats, Rows

_OTHER_FEATURES = "The learned ranking knows other features: chunks are ranked as in mode graph."


@cache
def load_forest() -> Forest:
    """Return the model that comes with the package."""
    file = resources.files(__package__) / "ranking.json"
    return Forest.from_json(json.loads(file.read_text("utf-8")))


def rank(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return the k chunks that the learned ranking puts first, with mode `graph`'s relations."""
    if not len(graph.chunks):
        return walk.rank(graph, query, config)
    if load_forest().names != FEATURES:
        return walk.rank(graph, query, config).with_more(notes=[_OTHER_FEATURES])
    lists = make_lists(graph, query, config)
    scores = learned_scores(graph, query, lists)
    further = {"second_hop": lists.again.scores}
    for number, part in enumerate(lists.parts, 1):
        further[part_name(number)] = _best_of(part, graph.chunks.id_ranks)
    return walk.ranking(graph, query, lists.walked, scores, further=further)


def _best_of(part: Floats, id_ranks: Rows) -> Floats:
    """Return positive scores for the best chunks of a part, 0 for the others."""
    best = top(part, id_ranks, CANDIDATES_AGAIN)
    above = np.zeros_like(part)
    above[best] = part[best] - part.min() + 1
    return above


def learned_scores(graph: Graph, query: Query, lists: Lists) -> Floats:
    """Return the score of each chunk; the candidates come first, the others in the walk's order."""
    rows = candidates(graph, lists)
    columns = features(graph, query, lists, rows)
    trees = load_forest().scores(columns)
    ranked = blended(trees, columns, alone=graph.documents_per_chunk)
    allowed = None if query.allowed is None else query.allowed[rows]
    weights = part_weights(query.parts, graph.documents_per_chunk)
    documents = graph.chunk_documents[rows]
    learned = diversified(ranked, lists.parts[:, rows], weights, documents, allowed)
    walked = lists.walked.scores
    scores: Floats = walked - walked.max() + (learned.min() - 1)
    scores[rows] = learned
    return scores

"""Mode `ranked`: lists weighed by a ranking that was learned, or by words, for each part asked.

Gradient-boosted trees (LambdaMART: Burges, "From RankNet to LambdaRank to LambdaMART", 2010) over
the scores that mode `graph` makes anyway; `training/ranking.py` makes and checks the model. How
much it counts beside words is in `blend`, how all parts of a question get a place in `diversify`.
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
from graphrag_tasks.retrieval.ranker.walk import Floats
from graphrag_tasks.retrieval.view.arrays import Rows

_OTHER_FEATURES = "The learned ranking knows other features: chunks are ranked as in mode graph."


@cache
def load_forest() -> Forest:
    """Return the ranking that comes with the package; `training/ranking.py` makes it."""
    file = resources.files(__package__) / "ranking.json"
    return Forest.from_json(json.loads(file.read_text("utf-8")))


def rank(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return the k chunks that the learned ranking puts first, and what mode `graph` adds."""
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
    """Return how far the best chunks of a part are above the others; 0 for those."""
    best = top(part, id_ranks, CANDIDATES_AGAIN)
    above = np.zeros_like(part)
    above[best] = part[best] - part.min() + 1
    return above


def learned_scores(graph: Graph, query: Query, lists: Lists) -> Floats:
    """Return the score of the candidates; the others follow in the order of the walk.

    Returns:
        `diversified` of what is `blended` of the trees' score and the features, shape (chunks,).
    """
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

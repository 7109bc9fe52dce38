"""Mode `ranked`: the lists of mode `graph`, weighed by a ranking that was learned from questions.

Gradient-boosted trees (LambdaMART: Burges, "From RankNet to LambdaRank to LambdaMART", 2010) over
the scores that mode `graph` makes anyway; `training/ranking.py` makes and checks the model.
"""

from __future__ import annotations

import numpy as np

from graphrag_tasks.config import RetrievalConfig
from graphrag_tasks.retrieval import walk
from graphrag_tasks.retrieval.features import FEATURES, Lists, candidates, features, make_lists
from graphrag_tasks.retrieval.forest import load_forest
from graphrag_tasks.retrieval.fuse import standardised
from graphrag_tasks.retrieval.graph import Graph
from graphrag_tasks.retrieval.ranking import Query, Ranking
from graphrag_tasks.retrieval.walk import Floats

_SECOND_HOP = np.float32(0.2)
_AHEAD = np.float32(1e-3)
_BLENDED = [FEATURES.index(name) for name in ("titled", "gated", "again")]
_OTHER_FEATURES = "The learned ranking knows other features: chunks are ranked as in mode graph."


def rank(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return the k chunks that the learned ranking puts first, and what mode `graph` adds to them.

    Args:
        graph: The snapshot's arrays.
        query: The question.
        config: `walk` has the parameters of the lists.
    """
    if not len(graph.chunks):
        return walk.rank(graph, query, config)
    if load_forest().names != FEATURES:
        return walk.rank(graph, query, config).with_more(notes=[_OTHER_FEATURES])
    lists = make_lists(graph, query, config)
    scores = learned_scores(graph, query, lists)
    further = {"requery": lists.again.scores}
    return walk.ranking(graph, query, lists.walked, scores, further=further)


def learned_scores(graph: Graph, query: Query, lists: Lists) -> Floats:
    """Return the score of the candidates; the others follow in the order of the walk.

    Args:
        graph: The snapshot's arrays.
        query: The question.
        lists: Of `make_lists`.

    Returns:
        `blended` of the trees' score and the features, shape (chunks,).
    """
    rows = candidates(graph, lists)
    columns = features(graph, query, lists, rows)
    learned = blended(load_forest().scores(columns), columns)
    walked = lists.walked.scores
    scores: Floats = walked - walked.max() + (learned.min() - 1)
    scores[rows] = learned
    return scores


def blended(learned: Floats, columns: Floats) -> Floats:
    """Return the trees' score beside the gated one, the more the less the question names a title.

    What the second hop finds is added; the first chunk stays first, as a second hop adds to an
    answer and does not replace it.

    Trees that were grown on questions about titled things are then less sure of themselves: on
    documents of a kind that they have not seen, both together are better than either.

    Args:
        learned: The trees' score, shape (rows,).
        columns: Shape (rows, `FEATURES`).
    """
    titled, gated, again = columns[:, _BLENDED].T
    both = standardised(learned) + (1 - titled) * standardised(gated)
    scores: Floats = standardised(both) + _SECOND_HOP * again
    if len(scores):
        scores[both.argmax()] = scores.max() + _AHEAD
    return scores

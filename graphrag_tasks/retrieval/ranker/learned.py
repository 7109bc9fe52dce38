"""Mode `ranked`: a learned ranking over the lists of mode `graph`.

Gradient-boosted trees (LambdaMART: Burges, "From RankNet to LambdaRank to LambdaMART", 2010), trained and checked by
`benchmarks/training/ranking.py`. Trees and walks are good for documents of one passage about one thing, as in their
training sets. In manuals, where a title names a hundred passages, words are better. So both are weighted by the ratio
of documents to chunks; the other weights are explained in `docs/explanation/retrieval.md`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.core.forest import Forest
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query, Ranking
from graphrag_tasks.retrieval.question.router import part_name, part_weights
from graphrag_tasks.retrieval.ranker import features, walk
from graphrag_tasks.retrieval.ranker.features import FEATURES
from graphrag_tasks.retrieval.view.arrays import Floats, standardised
from graphrag_tasks.retrieval.view.vector_index import Cosines
from graphrag_tasks.storage.artifacts import Rows

_OTHER_FEATURES = "The learned ranking knows other features: chunks are ranked as in mode graph."
_LEAST = 0.1  # Least weight of the walk where documents are passages, and of words in any case.
_COSINE = 1.5  # Weight of the cosine beside BM25.

_BESIDE_WORDS = {"statement": 0.6, "heading_coverage": 0.3}
"""Weights of features that are standardised first, beside cosine and BM25."""

_FURTHER = {"second": 0.1, "again": 0.1, "beside": 0.05}  # Weights of features that are standardised already.
_LINKED = 0.1  # Weight of the rarities of the entities that the question names, where documents are long.
_SECOND_HOP = 0.2  # Weight of the second hop where documents are passages; chosen on the development sets.
_AHEAD = np.float32(1e-3)
"""What the first chunk keeps ahead of all that the second hop lifts: any small number will do."""

_PLACES = 20  # Places that are given one after the other; the chunks behind them follow by their scores.

_PART, _ANSWERED = np.float32(0.4), np.float32(0.5)
"""Weight of a part beside the score, and the factor for each time it is answered."""

_SAME_DOCUMENT = np.float32(0.2)
"""What a document's other chunks lose each time one is chosen, where several things are asked."""


@cache
def load_forest() -> Forest:
    """Return the packaged model."""
    return Forest.from_json(json.loads((resources.files(__package__) / "ranking.json").read_text("utf-8")))


def rank(graph: Graph, query: Query, config: RetrievalConfig) -> Ranking:
    """Return the k best chunks of the learned ranking, with mode `graph`'s relations."""
    if not len(graph.chunks):
        return walk.rank(graph, query, config)
    if load_forest().names != FEATURES:
        return walk.rank(graph, query, config).with_more(notes=[_OTHER_FEATURES])
    lists = features.make_lists(graph, query)
    scores = learned_scores(graph, query, lists)
    further = {"second_hop": lists.again.scores}
    for number, part in enumerate(lists.walked.parts, 1):
        further[part_name(number)] = _best_of(part, graph.chunks.id_ranks)
    return walk.ranking(graph, query, lists.walked, scores, further=further)


def _best_of(part: Cosines, id_ranks: Rows) -> Floats:
    best = part.best(id_ranks, features.CANDIDATES_AGAIN)
    above = np.zeros_like(part.values)
    above[best] = part.values[best] - part.values.min() + 1
    return above


def learned_scores(graph: Graph, query: Query, lists: features.Lists) -> Floats:
    """Return the score of each chunk; candidates come first, others in the walk's order."""
    rows = features.candidates(graph, lists)
    columns = features.features(graph, query, lists, rows)
    trees = load_forest().scores(columns)
    blend = blended(trees, columns, alone=graph.documents_per_chunk)
    blend += np.float32(_LINKED * (1 - graph.documents_per_chunk)) * standardised(lists.walked.linked[rows])
    parts = lists.walked.parts_of(rows)
    read_by = None if graph.documents_are_passages else parts
    ranked = query.reranked(blend, graph.chunks.id_ranks, rows, read_by)
    allowed = None if query.allowed is None else query.allowed[rows]
    weights = part_weights(query.parts, graph.documents_per_chunk)
    documents = graph.chunk_documents[rows]
    learned = diversified(ranked, parts, weights, documents, allowed)
    walked = lists.walked.scores
    scores: Floats = walked - walked.max() + (learned.min() - 1)
    scores[rows] = learned
    return scores


def blended(learned: Floats, columns: Floats, *, alone: float) -> Floats:
    """Return the standardised blend of the trees' score and the features.

    The second hop is added last and never displaces the first chunk.

    Args:
        learned: The trees' score, shape (rows,).
        columns: Shape (rows, `FEATURES`).
        alone: Documents per chunk of the snapshot: 1 if each document is one chunk.
    """
    if not len(learned):
        return np.zeros(0, dtype=np.float32)
    of = dict(zip(FEATURES, columns.T, strict=True))
    titled = alone * float(of["titled"][0])
    words = np.float32(_COSINE) * of["dense_z"] + of["bm25_z"]
    words += sum(weight * standardised(of[name]) for name, weight in _BESIDE_WORDS.items())
    words += sum(weight * of[name] for name, weight in _FURTHER.items())
    gated = (_LEAST * alone + titled) * of["walk"] + (_LEAST + 1 - titled) * words
    both = alone * standardised(learned) + (1 - titled) * standardised(gated)
    scores: Floats = standardised(both) + np.float32(alone * _SECOND_HOP) * of["again"]
    scores[both.argmax()] = scores.max() + _AHEAD
    return scores


def diversified(
    scores: Floats, parts: Floats, weights: Sequence[float], documents: Rows, allowed: NDArray[np.bool_] | None = None
) -> Floats:
    """Return scores by which the first places answer all parts of a question.

    Each chunk is chosen by its score and by the part that it answers best. A part already answered counts less for the
    next chunk. If several things are asked, further chunks of a document count less too, as the parts are often
    answered in different documents. Chosen chunks get scores a whole number apart above the others, which keep their
    scores.

    Args:
        scores: Standardised, shape (chunks,).
        parts: Standardised cosines with each part, shape (parts, chunks).
        weights: From `part_weights`.
        documents: The document of each chunk, shape (chunks,).
        allowed: Shape (chunks,): the chunks that may be chosen; None for all.
    """
    if not len(parts):
        return scores
    answers_to = np.array(weights, dtype=np.float32)[:, None] * parts
    left = np.full(len(parts), _PART, dtype=np.float32)
    open_rows = np.ones(len(scores), dtype=bool) if allowed is None else allowed.copy()
    places = min(_PLACES, int(open_rows.sum()))
    remaining, covered = scores.copy(), scores.copy()
    again = _SAME_DOCUMENT if sum(weight == 1 for weight in weights) > 1 else np.float32(0)
    above = scores.max(initial=0.0) + np.arange(places, 0, -1, dtype=np.float32)
    for place in range(places):
        answers = (left[:, None] * answers_to).max(axis=0) if place else 0
        row = int(np.where(open_rows, remaining + answers, -np.inf).argmax())
        covered[row] = above[place]
        open_rows[row] = False
        remaining[documents == documents[row]] -= again
        left[answers_to[:, row].argmax()] *= _ANSWERED
    return covered

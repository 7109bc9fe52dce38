"""What a learned ranking sees of a chunk: its scores in the lists, and how it answers the question.

No feature counts links or names of a chunk: how connected a passage is says more of how a question
set was made than of what the question asks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.retrieval.arrays import Rows, cosines
from graphrag_tasks.retrieval.fuse import top
from graphrag_tasks.retrieval.graph import Graph
from graphrag_tasks.retrieval.ranking import Query
from graphrag_tasks.retrieval.walk import Walked

CANDIDATES = 60
"""Best chunks of each list that are ranked."""

CANDIDATES_AGAIN = 20
"""Best chunks of the second hop that are ranked."""

_RANK_OFFSET = 10
_BESIDE, _SECOND, _LEAST = 0.25, 0.3, 0.1
"""Of the gated score: weights beside cosine and BM25, and what either side always counts."""

FEATURES = (
    "dense", "dense_z", "dense_gap", "dense_rank",
    "bm25_share", "bm25_z", "bm25_gap", "bm25_rank",
    "first", "first_gap", "first_rank",
    "second", "second_gap", "second_rank",
    "walk", "walk_gap", "walk_rank",
    "coverage", "heading_share", "heading_coverage",
    "seed_held", "seed_title", "titled",
    "statement", "document", "beside",
    "gated", "gated_gap", "gated_rank",
)  # fmt: skip
"""Names of the columns of `features`, in their order."""


def candidates(graph: Graph, walked: Walked, again: NDArray[np.float32]) -> Rows:
    """Return the chunks that are among the best of a list, ascending.

    Args:
        graph: The snapshot's arrays.
        walked: The lists of the first pass.
        again: Of `requery`; fewer chunks of it are taken.
    """
    ranks = graph.chunks.id_ranks
    lists = (walked.scores, walked.dense, walked.bm25, walked.first, walked.base)
    best = [top(scores, ranks, CANDIDATES) for scores in lists]
    second = np.flatnonzero(again)
    best.append(second[top(again[second], ranks[second], CANDIDATES_AGAIN)])
    return np.unique(np.concatenate(best))


def features(graph: Graph, query: Query, walked: Walked, rows: Rows) -> NDArray[np.float32]:
    """Return the features of chunks, shape (rows, `FEATURES`).

    Args:
        graph: The snapshot's arrays.
        query: The question.
        walked: Its lists.
        rows: The chunks, as of `candidates`.
    """
    headings = graph.heading_lexicon
    asked = [term for term in walked.asked if term in headings.known]
    heading = headings.scores(asked)
    near = beside(graph, walked.hybrid)
    columns: list[NDArray[np.float32]] = [
        walked.dense[rows].astype(np.float32), *_list(walked.dense_z, rows),
        _share(walked.bm25)[rows], *_list(walked.bm25_z, rows),
        *_list(walked.first, rows), *_list(walked.second, rows), *_list(walked.scores, rows),
        graph.lexicon.coverage(walked.asked)[rows],
        _share(heading)[rows], headings.coverage(asked)[rows],
        *_seeds(graph, walked, rows),
        _statements(graph, query, rows), _document(graph, walked.hybrid, rows), near[rows],
        *_list(gated(walked, near), rows),
    ]  # fmt: skip
    return np.column_stack(columns).astype(np.float32)


def _list(scores: NDArray[np.float32], rows: Rows) -> list[NDArray[np.float32]]:
    """Return a list's scores, what they lack to the best, and 1 / (10 + rank)."""
    own = scores[rows]
    order = np.argsort(-own, kind="stable")
    places = np.empty(len(own), dtype=np.float32)
    places[order] = np.arange(len(own))
    return [own, own - own.max(), 1.0 / (_RANK_OFFSET + places)]


def _share(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    return scores / max(float(scores.max(initial=0.0)), 1e-9)


def _seeds(graph: Graph, walked: Walked, rows: Rows) -> list[NDArray[np.float32]]:
    """Return the seeds each chunk holds, the best that is its title, and the best title of all."""
    held, title = np.zeros((2, len(graph.chunks)), dtype=np.float32)
    for name, weight in walked.seeds.items():
        chunks, own = graph.name_graph.holders(name)
        held[chunks] += weight
        title[chunks[own]] = np.maximum(title[chunks[own]], weight)
    titled = np.full(len(rows), walked.titled, dtype=np.float32)
    return [held[rows], title[rows], titled]


def _statements(graph: Graph, query: Query, rows: Rows) -> NDArray[np.float32]:
    """Return the highest cosine of a relation that each chunk states; 0 where it states none."""
    relations, chunks = graph.chunk_relations.pairs(rows)
    best = np.zeros(len(rows), dtype=np.float32)
    if len(relations):
        np.maximum.at(best, chunks, cosines(graph.relations.vectors, relations, query.vector))
    return best


def _document(graph: Graph, hybrid: NDArray[np.float32], rows: Rows) -> NDArray[np.float32]:
    """Return how much better than each chunk the best of its document is."""
    documents = graph.chunk_documents
    best = np.full(int(documents.max(initial=-1)) + 1, -np.inf, dtype=np.float32)
    np.maximum.at(best, documents, hybrid)
    better: NDArray[np.float32] = best[documents[rows]] - hybrid[rows]
    return better


def beside(graph: Graph, scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the score of the better of the two chunks beside each, or 0 where it is negative."""
    documents = graph.chunk_documents
    found = np.zeros(len(scores), dtype=np.float32)
    following = np.flatnonzero(documents[1:] == documents[:-1])
    found[following] = scores[following + 1]
    found[following + 1] = np.maximum(found[following + 1], scores[following])
    at_least_zero: NDArray[np.float32] = np.maximum(found, np.float32(0))
    return at_least_zero


def gated(walked: Walked, near: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the walk's score where the question names a title, and a score of words elsewhere.

    A walk from the title that a question names leads far; one from names in passing leads astray.
    So the walk counts by the rarest title named, and cosine and BM25, with what stands beside a
    chunk and the second walk, by the rest.

    Args:
        walked: The lists.
        near: Of `beside`.
    """
    titled = walked.titled
    plain = walked.hybrid + _BESIDE * near + _SECOND * walked.second
    scores = (_LEAST + titled) * walked.scores + (_LEAST + 1.0 - titled) * plain
    gated_scores: NDArray[np.float32] = scores.astype(np.float32)
    return gated_scores

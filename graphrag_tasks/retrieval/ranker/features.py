"""Features of a chunk for the learned ranking.

No feature counts links or names of a chunk: how connected a passage is says more about how a question set was made than
about the question.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query
from graphrag_tasks.retrieval.ranker.walk import SecondHop, Walked, second_hop, walk
from graphrag_tasks.retrieval.view.arrays import Floats, standardised, top
from graphrag_tasks.storage.artifacts import Rows

CANDIDATES = 60  # Best chunks of each list that are ranked.
CANDIDATES_AGAIN = 20  # Best chunks of the second hop, and of each part of the question, that are ranked.

_RANK_OFFSET = 10
"""Added to a rank before it is turned over, so that the first places differ less; the trees were grown with it."""
_TIE = np.float32(1e-3)  # Weight of the hybrid score between chunks that mention the same names of the question.
_BESIDE, _SECOND, _LEAST = 0.25, 0.3, 0.1
"""Weights in `_gated` beside cosine and BM25, and the least weight of either side."""

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
    "again", "again_gap", "again_rank", "left", "open",
    "bridge", "bridge_title", "near_best", "near_read",
    "hop", "hop_z", "hop_held", "hop_title", "hop_rank",
)  # fmt: skip
"""Names of the columns of `features`, in their order."""


@dataclass(frozen=True)
class Lists:
    """The scores of two passes, shape (chunks,) unless noted.

    Attributes:
        walked: The lists of mode `graph`.
        near: Score of the better neighbouring chunk.
        gated: Score of the first pass; the second hop reads its best chunks.
        again: The second hop.
    """

    walked: Walked
    near: Floats
    gated: Floats
    again: SecondHop


def make_lists(graph: Graph, query: Query) -> Lists:
    """Return the lists that the features are read from."""
    walked = walk(graph, query, query.part_vectors)
    near = _beside(graph, walked.hybrid)
    scores = _gated(walked, near)
    again = second_hop(graph, query, walked, scores)
    return Lists(walked, near, scores, again)


def _beside(graph: Graph, scores: Floats) -> Floats:
    """Return the better score of each chunk's two neighbours, at least 0."""
    none = np.float32(0)
    found = np.zeros(len(scores), dtype=np.float32)
    found[:-1] = np.where(graph.continues, scores[1:], none)
    np.maximum(found[1:], np.where(graph.continues, scores[:-1], none), out=found[1:])
    return np.maximum(found, none, out=found)


def _gated(walked: Walked, near: Floats) -> Floats:
    """Return the walk's score weighted by named titles, and a lexical score otherwise.

    A walk from a title in the question is useful; one from names in passing misleads. So the walk is weighted by the
    rarest title named, and words by the rest.
    """
    titled = walked.titled
    plain = walked.hybrid + _BESIDE * near + _SECOND * walked.second
    scores = (_LEAST + titled) * walked.scores + (_LEAST + 1.0 - titled) * plain
    gated: Floats = scores.astype(np.float32)
    return gated


def candidates(graph: Graph, lists: Lists) -> Rows:
    """Return the chunks among the best of any list, ascending."""
    ranks, walked, again = graph.chunks.id_ranks, lists.walked, lists.again.scores
    first = (walked.scores, walked.bm25, walked.first, walked.base)
    best = [walked.dense.best(ranks, CANDIDATES)]
    best += [top(scores, ranks, CANDIDATES) for scores in first]
    second = np.flatnonzero(again > 0)
    best.append(second[top(again[second], ranks[second], CANDIDATES_AGAIN)])
    best += [part.best(ranks, CANDIDATES_AGAIN) for part in walked.parts]
    linked = np.flatnonzero(walked.linked > 0)
    near = walked.linked[linked] + _TIE * walked.hybrid[linked]
    best.append(linked[top(near, ranks[linked], CANDIDATES_AGAIN)])
    chosen = np.zeros(len(ranks), dtype=bool)
    chosen[np.concatenate(best)] = True
    return np.flatnonzero(chosen)


def features(graph: Graph, query: Query, lists: Lists, rows: Rows) -> Floats:
    """Return the features of chunks, shape (rows, `FEATURES`)."""
    walked = lists.walked
    headings = graph.heading_lexicon
    asked = [term for term in walked.asked if term in headings.known]
    heading = headings.scores(asked)
    again = lists.again
    others = (
        walked.bm25_z, walked.first, walked.second, walked.scores, lists.gated, again.scores
    )  # fmt: skip
    dense, bm25, first, second, walk_, gated_, requeried = _as_lists(
        walked.dense.standardised_of(rows), *(scores[rows] for scores in others)
    )
    columns: list[Floats] = [
        walked.dense.of(rows), *dense, _share(walked.bm25)[rows], *bm25,
        *first, *second, *walk_, graph.lexicon.coverage(walked.asked, rows),
        _share(heading)[rows], headings.coverage(asked, rows),
        *_seeds(graph, walked, rows),
        _statements(graph, query, rows), _document(graph, walked.hybrid, rows), lists.near[rows],
        *gated_, *requeried, np.full(len(rows), again.share, dtype=np.float32),
        again.share * graph.lexicon.coverage(again.left, rows),
        again.bridge[rows], again.bridge_title[rows],
        *_cosines_read(graph, again, rows), *_hop_cosines(graph, again, rows),
    ]  # fmt: skip
    return np.column_stack(columns).astype(np.float32)


def _cosines_read(graph: Graph, again: SecondHop, rows: Rows) -> list[Floats]:
    """Return each chunk's cosine with the first chunk read, and the highest with any."""
    vectors = graph.chunks.vectors
    cosines_read = vectors.take(rows) @ vectors.take(again.read).T
    cosines_read[rows[:, None] == again.read] = 0.0
    return [cosines_read[:, 0], cosines_read.max(axis=1)]


def _hop_cosines(graph: Graph, again: SecondHop, rows: Rows) -> list[Floats]:
    """Return five columns of each chunk's highest cosine with second-hop queries.

    There is a query for each bridge. The columns: all queries, the same standardised, only those of bridges in the
    chunk, of bridges that it is about, and 1 / (10 + rank) by the third. In unstandardised columns, chunks that were
    read have 0.
    """
    places = np.full(len(graph.chunks), -1, dtype=np.int64)
    places[rows] = np.arange(len(rows))
    any_, held, title = np.zeros((3, len(rows)), dtype=np.float32)
    if len(again.vectors):
        cosines = graph.chunks.vectors.take(rows) @ again.vectors.T
        any_ = cosines.max(axis=1)
        for bridge, own_cosines in zip(again.bridges.tolist(), cosines.T, strict=True):
            holders, about = graph.name_graph.holders(bridge)
            own = places[holders]
            np.maximum.at(held, own[own >= 0], own_cosines[own[own >= 0]])
            own = own[about]
            np.maximum.at(title, own[own >= 0], own_cosines[own[own >= 0]])
        read = places[again.read]
        for found in (any_, held, title):
            found[read[read >= 0]] = 0
    rank = np.empty_like(held)
    rank[np.argsort(-held, kind="stable")] = np.arange(len(rows), dtype=np.float32)
    turned = np.float32(1) / (_RANK_OFFSET + rank)
    return [any_, standardised(any_), held, title, turned]


def _as_lists(*lists: Floats) -> Floats:
    """Return scores, distance to the best score and 1 / (10 + rank), shape (lists, 3, rows)."""
    own = np.stack(lists)
    order = np.argsort(-own, axis=1, kind="stable")
    places = np.empty_like(own)
    np.put_along_axis(places, order, np.arange(own.shape[1], dtype=np.float32)[None, :], axis=1)
    gaps = own - own.max(axis=1, keepdims=True)
    return np.stack([own, gaps, 1.0 / (_RANK_OFFSET + places)], axis=1)


def _share(scores: Floats) -> Floats:
    return scores / max(float(scores.max(initial=0.0)), 1e-9)


def _seeds(graph: Graph, walked: Walked, rows: Rows) -> list[Floats]:
    """Return the weight of each chunk's seeds, of its best title, and of the best title overall."""
    held, title = np.zeros((2, len(graph.chunks)), dtype=np.float32)
    for name, weight in walked.seeds.items():
        chunks, own = graph.name_graph.holders(name)
        held[chunks] += weight
        title[chunks[own]] = np.maximum(title[chunks[own]], weight)
    titled = np.full(len(rows), walked.titled, dtype=np.float32)
    return [held[rows], title[rows], titled]


def _statements(graph: Graph, query: Query, rows: Rows) -> Floats:
    """Return the highest cosine of the relations in each chunk; 0 without relations."""
    relations, chunks = graph.chunk_relations.pairs(rows)
    best = np.zeros(len(rows), dtype=np.float32)
    if len(relations):
        np.maximum.at(best, chunks, graph.relations.vectors.cosines_of(relations, query.vector))
    return best


def _document(graph: Graph, hybrid: Floats, rows: Rows) -> Floats:
    """Return each chunk's score difference to the best chunk of its document."""
    documents = graph.chunk_documents
    best = np.full(int(documents.max(initial=-1)) + 1, -np.inf, dtype=np.float32)
    is_own = np.zeros(len(best), dtype=bool)
    is_own[documents[rows]] = True
    own = np.flatnonzero(is_own[documents])  # few of many chunks
    np.maximum.at(best, documents[own], hybrid[own])
    better: Floats = best[documents[rows]] - hybrid[rows]
    return better

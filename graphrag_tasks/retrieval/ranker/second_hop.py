"""A second hop: search again for the question's terms that the best chunks lack.

"Where was the director of Winter Song born?" finds the passage of Winter Song, which names its director but not his
birthplace. The missing terms ("born") are searched by BM25 together with each rare name in the best chunks (a bridge).
If documents are passages, a query for each bridge is encoded too: the missing words and the bridge, as in "Where was
the of born John Smith?".

Source: iterative retrieval with bridge entities (Qi et al., "Answering complex open-domain questions through iterative
query generation", EMNLP 2019), without a learned query.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query
from graphrag_tasks.retrieval.ranker.walk import Walked
from graphrag_tasks.retrieval.view.arrays import Floats, Vectors, top
from graphrag_tasks.storage.columns import Rows

_READ = 3  # Chunks of the first pass that are read.
_MOST_BRIDGES = 12  # Rarest names of the chunks that were read, each searched by itself: more cost time. Chosen.
_TITLE = np.float32(2)  # Weight of a bridge that is a title; other bridges have 1.
_NO_DEVIATION = 1e-9  # Floor of a standard deviation, so that equal scores are not divided by zero.


@dataclass(frozen=True)
class SecondHop:
    """The scores of a second pass, shape (chunks,) unless noted.

    Attributes:
        scores: For chunks with a bridge, the highest standardised BM25 score of the missing terms and the bridge's
            words, times `share`; 0 without a bridge, or if negative.
        left: Terms of the question that no chunk read contains.
        share: Their share of the question, by rarity; a number.
        bridge: Rarity of the rarest bridge in the chunk.
        bridge_title: Rarity of the rarest bridge that the chunk is about.
        read: Rows of the first pass's best chunks, best first.
        bridges: Names that were searched, shape (bridges,).
        vectors: Unit vectors of the query for each bridge, shape (bridges, dimension); no rows if documents are long.
    """

    scores: Floats
    left: Sequence[str]
    share: float
    bridge: Floats
    bridge_title: Floats
    read: Rows
    bridges: Rows
    vectors: Vectors


def second_hop(graph: Graph, query: Query, walked: Walked, first: Floats) -> SecondHop:
    """Score each chunk for what the first pass, `first` of shape (chunks,), lacks."""
    names, lexicon = graph.name_graph, graph.lexicon
    read = top(first, graph.chunks.id_ranks, _READ)
    held = lexicon.held(walked.asked, read)
    left = [term for term in dict.fromkeys(walked.asked) if term not in held]
    rarities = lexicon.rarities(walked.asked)
    share = sum(rarities[term] for term in left) / max(sum(rarities.values()), 1e-9)
    found, bridged, titled = np.zeros((3, len(first)), dtype=np.float32)
    bridges = _bridges(graph, walked, read)
    if len(bridges):
        holders, about = zip(*map(names.holders, bridges), strict=True)
        of = np.repeat(np.arange(len(bridges)), list(map(len, holders)))
        rows, own = np.concatenate(holders), np.concatenate(about)
        rarity = names.rarity[bridges][of]
        np.maximum.at(bridged, rows, rarity)
        np.maximum.at(titled, rows[own], rarity[own])
        if left:
            np.maximum.at(found, rows, _asked_again(graph, left, bridges, holders))
    return SecondHop(
        np.float32(share) * found, left, share, bridged, titled, read, bridges,
        _encoded(graph, query, held, bridges),
    )  # fmt: skip


def _encoded(graph: Graph, query: Query, held: Collection[str], bridges: Rows) -> Vectors:
    """Return a vector for each bridge: of the missing words and its name.

    Empty if documents are long: their cosines count little there, and encoding takes 14 ms.
    """
    if not len(bridges) or not graph.documents_are_passages:
        return np.empty((0, len(query.vector)), dtype=np.float32)
    words = [(word, set(terms(word))) for word in query.text.rstrip("?").split()]
    left = " ".join(word for word, own in words if not own or own - set(held))
    return query.encode([f"{left} {graph.name_graph.name(bridge)}?" for bridge in bridges])


def _asked_again(graph: Graph, left: Sequence[str], bridges: Rows, holders: Sequence[Rows]) -> Floats:
    """Return standardised BM25 scores of the missing terms and each bridge's words.

    They are those of the bridge's own chunks, one bridge after the other. Mean and deviation over all chunks come from
    sums over the chunks with a word of the bridge.
    """
    lexicon, name = graph.lexicon, graph.name_graph.name
    missing = lexicon.scores(left)
    count, total, squares = len(missing), float(missing.sum()), float(missing @ missing)
    named = np.zeros_like(missing)
    found = []
    for bridge, own in zip(bridges.tolist(), holders, strict=True):
        words = [term for term in terms(name(bridge)) if term in lexicon.known]
        postings = list(map(lexicon.postings, words))
        for rows, scores in postings:
            named[rows] += scores
        mean = (total + sum(float(scores.sum()) for _, scores in postings)) / count
        more = sum(float(scores @ (named[rows] + 2 * missing[rows])) for rows, scores in postings)
        deviation = math.sqrt(max((squares + more) / count - mean**2, 0.0))
        both = missing[own] + named[own]
        found.append((both - np.float32(mean)) / np.float32(max(deviation, _NO_DEVIATION)))
        for rows, _ in postings:
            named[rows] = 0
    return np.concatenate(found)


def _bridges(graph: Graph, walked: Walked, read: Rows) -> Rows:
    """Return the names that lead to more chunks, except the question's, rare ones first."""
    names = graph.name_graph
    asked = np.array([names.keys[match.key] for match in walked.matches], dtype=np.int64)
    held = np.concatenate([names.names_of(row) for row in read.tolist()])
    held, times = np.unique(held, return_counts=True)
    held = held[(names.often[held] > times) & (held[:, None] != asked).all(axis=1)]
    weight = names.rarity[held] * np.where(names.is_title[held], _TITLE, np.float32(1))
    order = np.lexsort((held, -weight))[:_MOST_BRIDGES]
    found: Rows = held[order]
    return found

"""A second hop: ask again for what the first pass leaves unanswered, about what it leads to.

"Where was the director of Winter Song born?" finds the passage of Winter Song, which names its
director and does not say where he was born. The terms of the question that none of the best chunks
holds are asked again beside each rare name that these hold and the question does not: a chunk that
holds such a name is the better the more of those words it holds. Nothing is encoded again, as words
do it as well as vectors (`docs/retrieval.md`).

Source: as in iterative retrieval with bridge entities (Qi et al., "Answering complex open-domain
questions through iterative query generation", EMNLP 2019), with terms left out in place of a
learned query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval.graph.fuse import top
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.ranker.walk import Floats, Walked
from graphrag_tasks.retrieval.view.arrays import Rows

_READ = 3
"""Chunks of the first pass that are read."""

_MOST_BRIDGES = 12
_TITLE = np.float32(2)
"""Weight of a name that is a title, beside others."""

_NO_DEVIATION = 1e-9


@dataclass(frozen=True)
class SecondHop:
    """What a second pass makes of each chunk, shape (chunks,) where nothing else is said.

    Attributes:
        scores: The standardised BM25 score of what is left and a bridge's words, of the chunks that
            hold the bridge, times the share of the question that is left; the highest of all
            bridges, and 0 where there is none or it is negative.
        left: Share of the question that no chunk that was read holds.
        open: Share of the question that is left and that each chunk holds.
        bridge: Rarity of the rarest bridge that each chunk holds.
        bridge_title: The same of those that each chunk is about.
        read: The chunks of the first pass that were read, the best first.
    """

    scores: Floats
    left: float
    open: Floats
    bridge: Floats
    bridge_title: Floats
    read: Rows


def second_hop(graph: Graph, walked: Walked, first: Floats) -> SecondHop:
    """Return how well each chunk answers what the first pass leaves open.

    Args:
        graph: The snapshot's arrays.
        walked: The lists of the first pass.
        first: What the first pass ranks chunks by, shape (chunks,).
    """
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
            scores = _asked_again(graph, left, bridges)
            np.maximum.at(found, rows, scores[of, rows])
    part = np.float32(share)
    return SecondHop(part * found, share, part * lexicon.coverage(left), bridged, titled, read)


def _asked_again(graph: Graph, left: Sequence[str], bridges: Rows) -> Floats:
    """Return the standardised BM25 scores of each bridge's words and those that are left.

    Shape (bridges, chunks).
    """
    lexicon, name = graph.lexicon, graph.name_graph.name
    words = ([term for term in terms(name(one)) if term in lexicon.known] for one in bridges)
    scores = np.stack([lexicon.scores(own) for own in words])
    scores += lexicon.scores(left)
    scores -= scores.mean(axis=1, keepdims=True)
    deviation = np.sqrt(np.vecdot(scores, scores) / scores.shape[1])
    scores /= np.maximum(deviation, _NO_DEVIATION)[:, None]
    return scores


def _bridges(graph: Graph, walked: Walked, read: Rows) -> Rows:
    """Return the names that lead on from chunks to others.

    The rarest come first, titles before others; names in the question lead nowhere new.
    """
    names = graph.name_graph
    asked = np.array([names.keys[match.key] for match in walked.matches], dtype=np.int64)
    held = np.concatenate([names.names_of(row) for row in read.tolist()])
    held, times = np.unique(held, return_counts=True)
    held = held[(names.often[held] > times) & (held[:, None] != asked).all(axis=1)]
    weight = names.rarity[held] * np.where(names.is_title[held], _TITLE, np.float32(1))
    order = np.lexsort((held, -weight))[:_MOST_BRIDGES]
    found: Rows = held[order]
    return found

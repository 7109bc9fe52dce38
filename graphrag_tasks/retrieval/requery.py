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

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.lexical import terms
from graphrag_tasks.retrieval.arrays import Rows
from graphrag_tasks.retrieval.fuse import standardised, top
from graphrag_tasks.retrieval.graph import Graph
from graphrag_tasks.retrieval.walk import Floats, Walked

_READ = 3
"""Chunks of the first pass that are read."""

_MOST_BRIDGES = 12
_TITLE = 2.0
"""Weight of a name that is a title, beside others."""


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


def requery(graph: Graph, walked: Walked, first: Floats) -> SecondHop:
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
    open_words = lexicon.scores(left)
    found, bridged, titled = np.zeros((3, len(first)), dtype=np.float32)
    for bridge, (holders, about) in _bridges(graph, walked, read).items():
        rarity = names.rarity[bridge]
        bridged[holders] = np.maximum(bridged[holders], rarity)
        titled[holders[about]] = np.maximum(titled[holders[about]], rarity)
        if left:
            words = [term for term in terms(names.name(bridge)) if term in lexicon.known]
            scores = standardised(open_words + lexicon.scores(words), holders)
            found[holders] = np.maximum(found[holders], scores)
    part = np.float32(share)
    return SecondHop(part * found, share, part * lexicon.coverage(left), bridged, titled, read)


def _bridges(graph: Graph, walked: Walked, read: Rows) -> dict[int, tuple[Rows, NDArray[np.bool_]]]:
    """Return the names that lead on from chunks to others, each with `NameGraph.holders`.

    The rarest come first, titles before others; names in the question lead nowhere new.
    """
    names = graph.name_graph
    asked = {names.keys[match.key] for match in walked.matches}
    held = Counter(name for row in read.tolist() for name in names.names_of(row))
    weight = {
        name: float(names.rarity[name]) * (_TITLE if names.is_title[name] else 1.0)
        for name in held.keys() - asked
    }  # fmt: skip
    found: dict[int, tuple[Rows, NDArray[np.bool_]]] = {}
    for name in sorted(weight, key=lambda name: (-weight[name], name)):
        holders, about = names.holders(name)
        if len(holders) > held[name]:
            found[name] = holders, about
        if len(found) == _MOST_BRIDGES:
            break
    return found

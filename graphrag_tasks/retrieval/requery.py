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

import numpy as np

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


def requery(graph: Graph, walked: Walked) -> Floats:
    """Return how well each chunk answers what the first pass leaves open, shape (chunks,).

    Args:
        graph: The snapshot's arrays.
        walked: The lists of the first pass.

    Returns:
        The standardised BM25 score of what is left and a bridge's words, of the chunks that hold
        the bridge, times the share of the question that is left; the highest of all bridges, and 0
        where there is none or it is negative.
    """
    found = np.zeros(len(graph.chunks), dtype=np.float32)
    read = top(walked.scores, graph.chunks.id_ranks, _READ)
    held = graph.lexicon.held(walked.asked, read)
    left = [term for term in dict.fromkeys(walked.asked) if term not in held]
    if not left:
        return found
    names, lexicon = graph.name_graph, graph.lexicon
    open_words = lexicon.scores(left)
    for bridge, holders in _bridges(graph, walked, read).items():
        words = [term for term in terms(names.name(bridge)) if term in lexicon.known]
        scores = standardised(open_words + lexicon.scores(words))
        found[holders] = np.maximum(found[holders], scores[holders])
    rarities = lexicon.rarities(walked.asked)
    share = sum(rarities[term] for term in left) / sum(rarities.values())
    return np.float32(share) * found


def _bridges(graph: Graph, walked: Walked, read: Rows) -> dict[int, Rows]:
    """Return the names that lead on from chunks to others, each with the chunks that hold it.

    The rarest come first, titles before others; names in the question lead nowhere new.
    """
    names = graph.name_graph
    asked = {names.keys[match.key] for match in walked.matches}
    held = Counter(name for row in read.tolist() for name in names.names_of(row))
    weight = {
        name: float(names.rarity[name]) * (_TITLE if names.is_title[name] else 1.0)
        for name in held.keys() - asked
    }  # fmt: skip
    found: dict[int, Rows] = {}
    for name in sorted(weight, key=lambda name: (-weight[name], name)):
        holders, _ = names.holders(name)
        if len(found) < _MOST_BRIDGES and len(holders) > held[name]:
            found[name] = holders
    return found

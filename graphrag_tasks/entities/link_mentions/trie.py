"""A trie stored as one sorted array, walked for many places at once.

Nodes are numbered level by level, within a level by (parent, token). So edges sorted by (node, token) are in the order
of their target nodes: eight bytes a node are all that is stored.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Numbers = NDArray[np.int32]

ROOT, NONE = 0, -1
_BITS = 32  # Bits of the token in a 64-bit edge; the other bits hold the node.


class Trie:
    """Names as paths of token numbers.

    Args:
        tokens: Token numbers of all names, concatenated.
        starts: Where the tokens of each name begin, and where the last name's tokens end.
    """

    def __init__(self, tokens: Numbers, starts: Rows) -> None:
        sizes = np.diff(starts)
        nodes = np.full(len(sizes), ROOT, np.int64)
        levels = [np.empty(0, np.int64)]
        count = 0
        names = np.flatnonzero(sizes > 0)
        for depth in range(int(sizes.max(initial=0))):
            names = names[sizes[names] > depth]
            edges = _edges(nodes[names], tokens[starts[names] + depth])
            found, places = np.unique(edges, return_inverse=True)
            nodes[names] = count + places + 1
            count += len(found)
            levels.append(found)
        self._edges = np.concatenate(levels)
        self._names = np.full(count + 1, NONE, np.int32)
        backwards = np.flatnonzero(sizes > 0)[::-1]
        self._names[nodes[backwards]] = backwards  # of names with one path the first stays
        self._is_inner = np.zeros(count + 1, np.bool_)
        self._is_inner[self._edges >> _BITS] = True

    def below(self, nodes: Rows, tokens: Numbers) -> Rows:
        """Return the child of each node for a token; `ROOT` where there is none."""
        below = np.full(len(nodes), ROOT, np.int64)
        inner = np.flatnonzero(self._is_inner[nodes] & (tokens >= 0))
        if len(inner):
            edges = _edges(nodes[inner], tokens[inner])
            places = np.minimum(np.searchsorted(self._edges, edges), len(self._edges) - 1)
            below[inner] = np.where(self._edges[places] == edges, places + 1, ROOT)
        return below

    def names(self, nodes: Rows) -> Numbers:
        """Return the number of the name that ends at each node; `NONE` where there is none."""
        return self._names[nodes]


def _edges(nodes: Rows, tokens: Numbers) -> Rows:
    return nodes << _BITS | tokens

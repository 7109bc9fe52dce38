"""Names of communities: the heading that most of their entities share, else their best hub.

The best hub is central, mentioned often, and in few chunks: so it is neither "few hundred yeast cells", which is said
once, nor "beer", which is said everywhere.

People call a topic what the documents call it. A heading names the community that it fits best, once at all levels, so
that no child repeats its parent.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from graphrag_tasks.graph.communities.levels import Level
from graphrag_tasks.graph.communities.source import Source

_MOST_HUBS = 8  # Most central entities of which one gives the name.
_OF_PLAIN = 0.6  # Factor of one plain word ("file"), which says less; chosen by reading.


def names(levels: Sequence[Level], source: Source) -> list[list[str]]:
    """Return the name of each community, by level and number."""
    headings: list[dict[int, str]] = [{} for _ in levels]
    taken = set()
    for number, community, heading in source.headings([one.membership for one in levels]):
        if heading not in taken and community not in headings[number]:
            headings[number][community] = heading
            taken.add(heading)
    sizes = [np.diff(level.members.starts) for level in levels]
    found: list[list[str]] = []
    above: list[frozenset[str]] = []
    for number, level in enumerate(levels):
        hubs = level.members.best(_MOST_HUBS)
        shown = source.texts("names", hubs.rows)
        is_plain = np.array([name.isalpha() and name.islower() for name in shown], bool)
        goodness = level.centrality[hubs.rows] * source.telling(hubs.rows) * np.where(is_plain, _OF_PLAIN, 1.0)
        called, ancestors = [], []
        for community, (start, end) in enumerate(pairwise(hubs.starts.tolist())):
            parent = levels[number - 1].membership[hubs.rows[start]] if number else -1
            known = above[parent] if number else frozenset()
            best = [shown[row] for row in start + np.argsort(-goodness[start:end], kind="stable")]
            hub = next((name for name in best if name not in known), best[0])
            name = headings[number].get(community, hub)
            if number and sizes[number][community] == sizes[number - 1][parent]:
                name = found[number - 1][parent]  # it is its only child
            called.append(name)
            ancestors.append(known | {name})
        found.append(called)
        above = ancestors
    return found

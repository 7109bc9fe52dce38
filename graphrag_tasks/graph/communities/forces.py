"""Place circles by forces: ties pull them together, overlaps push them apart.

As in Fruchterman and Reingold, "Graph drawing by force-directed placement" (1991), but the start is
a sunflower smoothed along the ties, and only overlaps push. Nothing is random, and all repeated
steps are sums, products and square roots in a fixed order, which every processor rounds alike:
equal circles get equal places.

Constants were chosen by eye and by measure on the graphs of the SAP and GnuCash documents: how much
of a circle its children fill, and how far tied circles are apart. Of 14 to 30 rounds none was
better.
"""

from __future__ import annotations

import numpy as np

from graphrag_tasks.graph.communities.circles import Circles, Places, lengths
from graphrag_tasks.graph.weights import Rows

_GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))
"""Angle in radians between successive circles at the start; as in a sunflower they fill a disc
evenly (Vogel, 1979)."""
_SPREAD = 2.0
"""Factor by which the start is wider than a sunflower, so that circles can pass each other."""
_SMOOTHINGS, _SMOOTHED = 30, 0.8
"""Smoothing steps of the start, and the weight of the smoothed places: at 1, twins would
coincide."""
_ROUNDS, _LEAST_LAST, _MOST_LAST, _STEPS = 16, 5, 20, 6
"""Rounds, fewest and most last rounds, and steps per round: each round finds the near pairs again.

In the last rounds only overlaps push; they end once there is hardly any overlap.
"""
_PULL, _CENTRING, _PUSH = 0.03, 0.06, 0.4
"""Shares per step of the way to the ties' mean, of the way to the middle, and of an overlap."""
_YOUNG, _GROWN = 0.4, 0.7
"""Factor of the radii at the start, and share of the rounds after which they are full."""
_NEAR, _TOUCHING = 1.15, 0.99
"""Factors of the least distance: pairs examined in a round, and overlaps too small to see."""


def forced_places(circles: Circles, aspect: float) -> Places:
    """Return places by ties and pushes, relative to the middle of each parent."""
    parents, radii, starts = circles.parents, circles.spaces, circles.starts
    ties = _Ties(circles)
    xy = _start(circles, ties)
    xy[0] *= aspect
    low, high = _pairs(circles)
    least = radii[low] + radii[high]
    yields = radii[high] ** 2 / (radii[low] ** 2 + radii[high] ** 2)  # the smaller moves more
    largest = np.maximum.reduceat(radii, starts)[parents]
    centring = _CENTRING * np.sqrt(radii / largest) * np.array([[aspect**-2], [1.0]])
    is_strict = ~circles.is_middle[starts][parents[low]]
    for number in range(_ROUNDS + _MOST_LAST):
        between = lengths(xy[:, low] - xy[:, high])
        if number >= _ROUNDS + _LEAST_LAST and (between > _TOUCHING * least)[is_strict].all():
            break
        size = min(_YOUNG + (1 - _YOUNG) * number / (_GROWN * _ROUNDS), 1.0)
        near = np.flatnonzero(between < _NEAR * size * least)
        one, other, apart, share = low[near], high[near], size * least[near], yields[near]
        strength = max(1 - number / _ROUNDS, 0.0)
        for _ in range(_STEPS):
            way = xy[:, one] - xy[:, other]
            push = way * (_PUSH * np.maximum(apart / lengths(way) - 1, 0.0))
            move = _sums(one, push * share, len(radii))
            move -= _sums(other, push * (1 - share), len(radii))
            if strength:
                move += strength * (_PULL * ties.towards(xy) - centring * xy)
            xy += move
    # What overlap is left goes: a parent's places are spread until its closest pair just fits.
    growth = np.ones(len(starts))
    closeness = least / lengths(xy[:, low] - xy[:, high])
    np.maximum.at(growth, parents[low[is_strict]], closeness[is_strict])
    xy *= growth[parents]
    lowest = np.minimum.reduceat(xy - radii, starts, axis=1)
    highest = np.maximum.reduceat(xy + radii, starts, axis=1)
    xy -= ((lowest + highest) / 2)[:, parents]
    inmost = np.lexsort((np.round(lengths(xy), 6), parents))[starts]
    swapped = np.column_stack([starts, inmost])[circles.is_middle[starts]].T
    xy[:, swapped] = xy[:, swapped[::-1]]
    return xy


class _Ties:
    """The vector from each circle to the weighted mean of its tied circles."""

    def __init__(self, circles: Circles) -> None:
        self._low, self._high = circles.ends.T
        self._count = len(circles.radii)
        sums = np.bincount(circles.ends.ravel(), np.repeat(circles.ties, 2), self._count)
        sums = np.maximum(sums, np.finfo(np.float64).tiny)  # ties of no weight draw nowhere
        self._to_high, self._to_low = (
            circles.ties / sums[self._low],
            circles.ties / sums[self._high],
        )

    def towards(self, xy: Places) -> Places:
        """Return the vectors from places, weighted by ties; zero for circles without ties."""
        way = xy[:, self._high] - xy[:, self._low]
        back = _sums(self._high, way * self._to_low, self._count)
        return _sums(self._low, way * self._to_high, self._count) - back


def _start(circles: Circles, ties: _Ties) -> Places:
    """Return a sunflower smoothed along ties, without collapsing to a point or a line."""
    parents, starts, areas = circles.parents, circles.starts, circles.radii**2
    count = len(starts)
    before = np.cumsum(areas) - areas
    distances = _SPREAD * np.sqrt(before - before[starts][parents] + areas / 2)
    angles = (np.arange(len(parents)) - starts[parents]) * _GOLDEN_ANGLE
    flower = distances * np.array([np.cos(angles), np.sin(angles)])
    flower = np.round(flower, 6)  # processors round sines differently
    tied = np.zeros(len(parents), dtype=bool)
    tied[circles.ends] = True
    groups = parents[tied]
    members = np.maximum(np.bincount(groups, minlength=count), 1)
    spread = np.sqrt(_sums(groups, flower[:, tied] ** 2, count))
    rim = np.maximum.reduceat(lengths(flower), starts)[groups]  # few that are tied alone go there
    xy = flower.copy()
    for _ in range(_SMOOTHINGS):
        own = (xy + ties.towards(xy) / 2)[:, tied]
        own -= (_sums(groups, own, count) / members)[:, groups]
        x, y = own
        both, alone = _sums(groups, np.array([x * y, x * x]), count)
        y -= x * (both / np.maximum(alone, 1e-9))[groups]
        narrowed = np.sqrt(_sums(groups, own**2, count))
        own *= (spread / np.maximum(narrowed, 1e-9))[:, groups]
        xy[:, tied] = own * np.minimum(1.0, rim / lengths(own))
    start: Places = _SMOOTHED * xy + (1 - _SMOOTHED) * flower
    return start


def _pairs(circles: Circles) -> tuple[Rows, Rows]:
    rows = np.arange(len(circles.parents))
    later = (circles.starts + circles.counts)[circles.parents] - rows - 1
    low = np.repeat(rows, later)
    high = np.arange(len(low)) - np.repeat(np.cumsum(later) - later, later) + low + 1
    return low, high


def _sums(groups: Rows, values: Places, count: int) -> Places:
    sums: Places = np.array([np.bincount(groups, axis, count) for axis in values], np.float64)
    return sums

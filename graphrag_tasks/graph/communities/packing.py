"""Pack circles into the circle of their parent: large circles by forces, small ones into gaps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from graphrag_tasks.graph.communities.circles import Circles, Places, lengths
from graphrag_tasks.graph.communities.forces import forced_places
from graphrag_tasks.graph.weights import Weights

_PAIRS_AT_ONCE = 1 << 16
"""Pairs of circles moved together: their arrays stay in a processor's cache."""
_MOST_GAPS = 20_000
"""Gaps examined for small circles, beyond the number needed."""


def pack(circles: Circles, *, aspect: float) -> NDArray[np.float64]:
    """Return x, y and radius of each circle; those of a parent just fit a unit circle around 0."""
    if not len(circles.parents):
        return np.empty((0, 3))
    forced = np.bincount(circles.parents, circles.is_forced).astype(np.int64)
    batch = np.cumsum(forced * (forced - 1) // 2) // _PAIRS_AT_ONCE
    firsts = np.flatnonzero(np.diff(batch, prepend=-1)).tolist()
    bounds = zip(firsts, [*firsts[1:], len(forced)], strict=True)
    return np.concatenate([_packed(circles.part(*bound), aspect) for bound in bounds])


def _packed(circles: Circles, aspect: float) -> NDArray[np.float64]:
    radii, starts, is_forced = circles.spaces, circles.starts, circles.is_forced
    xy = np.zeros((2, len(radii)))
    xy[:, is_forced] = forced_places(circles.only(is_forced), aspect)
    forced = np.bincount(circles.parents, is_forced).astype(np.int64)
    for parent in np.flatnonzero(forced < circles.counts):
        own = slice(starts[parent], starts[parent] + circles.counts[parent])
        xy[:, own] = _filled(xy[:, own], radii[own], forced[parent], aspect)
    reach = np.maximum.reduceat(_reaches(xy, radii, aspect), starts)[circles.parents]
    return np.column_stack([*(xy / reach), circles.radii / reach])


def _reaches(xy: Places, radii: Weights, aspect: float) -> Weights:
    """Return the least height of an ellipse around 0 that contains each circle."""
    reaches: Weights = np.sqrt((xy[0] / aspect) ** 2 + xy[1] ** 2) + radii
    return reaches


def _filled(xy: Places, radii: Weights, forced: int, aspect: float) -> Places:
    """Place the remaining circles on lattices, in gaps and around the outside, innermost first.

    Each lattice takes the circles of more than half the radius of its first circle.
    """
    xy = xy.copy()
    begin = forced
    while begin < len(radii):
        widest = radii[begin]
        end = begin + int((radii[begin:] > widest / 2).sum())
        within = float(_reaches(xy[:, :begin], radii[:begin], aspect).max()) + widest
        points = _lattice(within, 2 * widest, end - begin, aspect)
        for place, radius in zip(xy[:, :forced].T, radii[:forced], strict=True):
            points = points[:, lengths(points - place[:, None]) > radius + widest]
        if begin > forced:
            least = radii[forced] + widest
            near, _ = KDTree(xy[:, forced:begin].T).query(points.T, distance_upper_bound=least)
            points = points[:, np.isinf(near)]
        xy[:, begin:end] = points[:, : end - begin]
        begin = end
    return xy


def _lattice(within: float, distance: float, count: int, aspect: float) -> Places:
    """Return points of a hexagonal lattice, innermost first: those in an ellipse, and `count` more.

    Where too many points would lie in the ellipse, which is `within` high, the lattice is coarser.
    """
    area = np.pi * aspect * within**2
    distance = max(distance, float(np.sqrt(area / (_MOST_GAPS + count))))
    reach = float(np.sqrt(within**2 + count * distance**2 / (np.pi * aspect))) + 2 * distance
    step = np.sqrt(0.75)  # between rows
    rows, columns = (int(np.ceil(reach / distance * one)) + 1 for one in (1 / step, aspect))
    y, x = np.mgrid[-rows : rows + 1, -columns : columns + 1].reshape(2, -1)
    points = distance * np.array([x + y % 2 / 2, y * step])
    reaches = np.round(_reaches(points, np.zeros(1), aspect), 6)
    order = np.argsort(reaches, kind="stable")
    return points[:, order[: np.searchsorted(reaches[order], reach)]]

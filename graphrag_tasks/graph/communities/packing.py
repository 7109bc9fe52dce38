"""Pack circles into the circle of their parent, each where it fits and is nearest to its ties.

Large circles touch two that are placed, the most tied first; small ones and members stand on a lattice, in gaps and
around. Nothing is random, and distances are compared rounded.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from graphrag_tasks.graph.weights import Rows, Weights

Places = NDArray[np.float64]  # Coordinates, shape (places, 2).

_MOST_LARGE, _SMALL = 120, 1 / 8
"""Most circles of a parent that touch others, as all pairs are compared, and the smallest radius beside the largest;
the other circles stand on a lattice."""
_GAP = 1.05  # Factor by which circles are enlarged, so that gaps stay between them.
_MOST_GAPS = 20_000  # Gaps examined for small circles, beyond the number needed.
_RANKED = 500  # Circles that choose among as many places of the lattice, which bounds the work.
_TOUCHING = 1 - 1e-9  # Factor of the least distance, for rounding.
_SAME = 6  # Decimals to which distances are compared: ties of rounding go to the first place.


def pack(radii: Weights, ends: Rows, ties: Weights, *, aspect: float) -> NDArray[np.float64]:
    """Return x, y and radius of circles that just fit an ellipse of height 1 around 0.

    `ends` are sorted pairs of circles, and `ties` how strongly each pair is tied.
    """
    spaces, count = radii * _GAP, len(radii)
    large = int(((radii > _SMALL * radii.max()) & (np.arange(count) < _MOST_LARGE)).sum())
    if radii[0] == radii[-1] == 1:  # members
        large = 1
    xy, middle, stretch = np.zeros((count, 2)), np.zeros(2), np.array([aspect, 1.0])

    pull = np.zeros((large, large))
    among = ends[:, 1] < large
    pull[tuple(ends[among].T)] = ties[among]
    pull += pull.T
    placed, left = [0], [*range(1, large)]
    while left:
        pulls = pull[:, placed].sum(axis=1)
        circle = max(left, key=lambda one: (radii[one] > radii[left[0]] / 2, pulls[one]))
        middle = np.average(xy[placed], axis=0, weights=radii[placed] ** 2)
        spots = _spots(xy[placed], spaces[placed] + spaces[circle])
        tied = np.array([one for one in placed if pull[circle, one]], np.int64)
        away = _off_middle(spots, middle, stretch)
        xy[circle] = spots[_nearest(spots, away, xy[tied], pull[circle, tied])]
        placed.append(circle)
        left.remove(circle)
    own, rims = xy[:large], spaces[:large, None]
    own -= ((own - rims).min(axis=0) + (own + rims).max(axis=0)) / 2
    begin, middle = large, np.zeros(2)
    first = np.searchsorted(ends[:, 1], np.arange(count + 1))
    while begin < count:
        widest = spaces[begin]
        end = begin + int((spaces[begin:] > widest / 2).sum())
        within = _reach(xy[:begin], spaces[:begin], stretch) + widest
        spots = _lattice(within, 2 * widest, end - begin, aspect)
        for place, space in zip(xy[:large], spaces[:large], strict=True):
            spots = spots[((spots - place) ** 2).sum(axis=1) > (space + widest) ** 2 * _TOUCHING]
        if begin > large:
            least = (spaces[large] + widest) * _TOUCHING
            near, _ = KDTree(xy[large:begin]).query(spots, distance_upper_bound=least)
            spots = spots[np.isinf(near)]
        for start in range(begin, end, _RANKED):  # the first are the innermost
            free = spots[start - begin : min(start + _RANKED, end) - begin].copy()
            away = _off_middle(free, middle, stretch)
            for circle, left_over in enumerate(range(len(free) - 1, -1, -1), start):
                own_ties = slice(first[circle], first[circle + 1])
                spot = _nearest(free, away, xy[ends[own_ties, 0]], ties[own_ties])
                xy[circle] = free[spot]
                free[spot:-1], away[spot:-1] = free[spot + 1 :], away[spot + 1 :]
                free, away = free[:left_over], away[:left_over]
        begin = end
    reach = _reach(xy, spaces, stretch)
    return np.column_stack([xy / reach, radii / reach])


def _off_middle(spots: Places, middle: Places, stretch: Places) -> Weights:
    """Return the squared distance of each spot to the middle."""
    away: Weights = ((spots - middle) ** 2 / stretch**2).sum(axis=1)
    return away


def _nearest(spots: Places, away: Weights, tied: Places, pulls: Weights) -> int:
    """Return the spot nearest to the middle and to the mean of the ties that are placed."""
    if len(tied):
        x, y = pulls @ tied / pulls.sum()
        away = away + (spots[:, 0] - x) ** 2 + (spots[:, 1] - y) ** 2
    return int(np.argmin(np.round(away, _SAME)))


def _reach(xy: Places, spaces: Weights, stretch: Places) -> float:
    """Return the least height of an ellipse around 0 that contains the circles."""
    return float((np.sqrt(((xy / stretch) ** 2).sum(axis=1)) + spaces).max())


def _spots(xy: Places, reaches: Weights) -> Places:
    """Return the free middles of a circle that touches two placed ones; beside a lone one."""
    if len(xy) == 1:
        beside: Places = xy + reaches[0] * np.array([[1.0, 0.0], [0.0, 1.0]])
        return beside
    one, other = np.triu_indices(len(xy), 1)
    way = xy[other] - xy[one]
    apart = np.sqrt((way**2).sum(axis=1))
    near = apart < reaches[one] + reaches[other]
    one, other, way, apart = one[near], other[near], way[near], apart[near]
    along = (reaches[one] ** 2 - reaches[other] ** 2 + apart**2) / (2 * apart)
    aside = np.sqrt(np.maximum(reaches[one] ** 2 - along**2, 0.0))
    way /= apart[:, None]
    foot, turned = xy[one] + along[:, None] * way, way[:, ::-1] * [-1.0, 1.0] * aside[:, None]
    spots = np.concatenate([foot + turned, foot - turned])
    distances = np.sqrt(((spots[:, None] - xy) ** 2).sum(axis=2))
    free: Places = spots[(distances > reaches * _TOUCHING).all(axis=1)]
    return free


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
    points = distance * np.column_stack([x + y % 2 / 2, y * step])
    reaches = np.round(np.sqrt(((points / [aspect, 1.0]) ** 2).sum(axis=1)), _SAME)
    order = np.argsort(reaches, kind="stable")
    inside: Places = points[order[: np.searchsorted(reaches[order], reach)]]
    return inside

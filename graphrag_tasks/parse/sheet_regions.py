"""The tables of a sheet: groups of filled cells with blank cells around them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

_MAX_REGIONS = 1_000
"""Tables of a sheet; one with more is scattered cells, and is read as one table. Chosen."""


class Region(NamedTuple):
    """A rectangle of a sheet; rows and columns count from 1, the last ones belong to it."""

    top: int
    left: int
    bottom: int
    right: int

    def overlaps(self, other: Region) -> bool:
        """Tell whether a cell lies in both."""
        in_rows = self.top <= other.bottom and other.top <= self.bottom
        return in_rows and self.left <= other.right and other.left <= self.right

    def contains(self, row: int, column: int) -> bool:
        """Tell whether a cell lies in it."""
        return self.top <= row <= self.bottom and self.left <= column <= self.right


def find_regions(cells: Iterable[Region]) -> list[Region]:
    """Return the rectangles around cells that touch side by side, from the top left on.

    A merged cell covers more than one place. Rectangles that overlap are one. A sheet of very many
    is one table with gaps. Memory grows with the cells: a sheet may have its last one anywhere.
    """
    regions = [around(group) for group in _touching(_runs(cells))]
    return [around(regions)] if len(regions) > _MAX_REGIONS else sorted(_merged(regions))


def _runs(cells: Iterable[Region]) -> dict[int, list[Region]]:
    """Return each row's stretches of filled cells."""
    by_row: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for cell in cells:
        for row in range(cell.top, cell.bottom + 1):
            by_row[row].append((cell.left, cell.right))
    runs: dict[int, list[Region]] = {}
    for row, spans in sorted(by_row.items()):
        found: list[Region] = []
        for left, right in sorted(spans):
            if found and left <= found[-1].right + 1:
                right = max(right, found[-1].right)
                left = found.pop().left
            found.append(Region(row, left, row, right))
        runs[row] = found
    return runs


def _touching(runs: dict[int, list[Region]]) -> Iterable[list[Region]]:
    """Group runs that lie below each other."""
    number = {run: place for place, run in enumerate(run for row in runs.values() for run in row)}
    ends: list[tuple[int, int]] = []
    for above, below in pairwise(runs):
        if below != above + 1:
            continue
        upper, lower = iter(runs[above]), iter(runs[below])
        one, other = next(upper, None), next(lower, None)
        while one and other:
            if one.left <= other.right and other.left <= one.right:
                ends.append((number[one], number[other]))
            if one.right < other.right:
                one = next(upper, None)
            else:
                other = next(lower, None)
    pairs = np.array(ends, np.int64).reshape(-1, 2).T
    joined = coo_array((np.ones(len(ends), np.bool_), tuple(pairs)), (len(number), len(number)))
    groups: dict[int, list[Region]] = defaultdict(list)
    for run, group in zip(number, connected_components(joined, directed=False)[1], strict=True):
        groups[group].append(run)
    return groups.values()


def around(regions: Iterable[Region]) -> Region:
    """Return the smallest rectangle around all of these."""
    tops, lefts, bottoms, rights = zip(*regions, strict=True)
    return Region(min(tops), min(lefts), max(bottoms), max(rights))


def _merged(regions: list[Region]) -> list[Region]:
    pending = regions
    done: list[Region] = []
    while pending:
        region = pending.pop()
        others = [other for other in (*pending, *done) if region.overlaps(other)]
        if not others:
            done.append(region)
            continue
        pending = [other for other in pending if other not in others]
        done = [other for other in done if other not in others]
        pending.append(around([region, *others]))
    return done

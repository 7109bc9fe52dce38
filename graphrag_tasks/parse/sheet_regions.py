"""Find the tables of a sheet: groups of filled cells with blank cells around them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

_MAX_REGIONS = 1_000  # Limit of tables per sheet; a sheet with more is scattered cells, read as one table. Chosen.


class Region(NamedTuple):
    """A cell range of a sheet; rows and columns count from 1, the last are included."""

    top: int
    left: int
    bottom: int
    right: int

    def overlaps(self, other: Region) -> bool:
        """Tell whether both ranges share a cell."""
        in_rows = self.top <= other.bottom and other.top <= self.bottom
        return in_rows and self.left <= other.right and other.left <= self.right

    def contains(self, row: int, column: int) -> bool:
        """Tell whether a cell lies in the range."""
        return self.top <= row <= self.bottom and self.left <= column <= self.right


def find_regions(cells: Iterable[Region]) -> list[Region]:
    """Return the ranges around adjacent filled cells, from the top left.

    Overlapping ranges are merged. A sheet with very many ranges is one table with gaps. Memory grows with filled cells,
    not with the sheet's size.
    """
    regions = [around(group) for group in _touching(_runs(cells))]
    return [around(regions)] if len(regions) > _MAX_REGIONS else sorted(_merged(regions))


def _runs(cells: Iterable[Region]) -> dict[int, list[Region]]:
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
    """Group stretches that touch vertically."""
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
    """Return the smallest range around all ranges."""
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

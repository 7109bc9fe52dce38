"""The tables of a sheet: groups of filled cells with blank cells around them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

_MAX_REGIONS = 1_000


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

    Rectangles that overlap are one. A sheet of very many is one table with gaps.

    Args:
        cells: Filled cells; a merged one covers more than one place.
    """
    regions = [around(group) for group in _touching(_runs(cells))]
    if len(regions) > _MAX_REGIONS:
        return [around(regions)]
    return sorted(_merged(regions))


def around(regions: Iterable[Region]) -> Region:
    """Return the smallest rectangle around all of these."""
    tops, lefts, bottoms, rights = zip(*regions, strict=True)
    return Region(min(tops), min(lefts), max(bottoms), max(rights))


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
                found[-1] = found[-1]._replace(right=max(found[-1].right, right))
            else:
                found.append(Region(row, left, row, right))
        runs[row] = found
    return runs


def _touching(runs: dict[int, list[Region]]) -> Iterable[list[Region]]:
    """Group runs that lie below each other."""
    parents: dict[Region, Region] = {run: run for row in runs.values() for run in row}

    def root(run: Region) -> Region:
        while parents[run] is not run:
            parents[run] = run = parents[parents[run]]
        return run

    for above, below in pairwise(runs):
        if below != above + 1:
            continue
        upper, lower = iter(runs[above]), iter(runs[below])
        one, other = next(upper, None), next(lower, None)
        while one and other:
            if one.left <= other.right and other.left <= one.right:
                parents[root(other)] = root(one)
            if one.right < other.right:
                one = next(upper, None)
            else:
                other = next(lower, None)
    groups: dict[Region, list[Region]] = defaultdict(list)
    for run in parents:
        groups[root(run)].append(run)
    return groups.values()


def _merged(regions: Sequence[Region]) -> list[Region]:
    pending = list(regions)
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

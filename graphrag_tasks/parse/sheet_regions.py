"""The tables of a sheet: groups of filled cells with blank cells around them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy import ndimage

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

    A merged cell covers more than one place. Rectangles that overlap are one. A sheet of very many
    is one table with gaps.
    """
    filled = list(cells)
    if not filled:
        return []
    top, left, bottom, right = around(filled)
    sheet = np.zeros((bottom - top + 1, right - left + 1), dtype=bool)
    for cell in filled:
        rows = slice(cell.top - top, cell.bottom - top + 1)
        sheet[rows, cell.left - left : cell.right - left + 1] = True
    regions = [
        Region(rows.start + top, columns.start + left, rows.stop + top - 1, columns.stop + left - 1)
        for rows, columns in ndimage.find_objects(ndimage.label(sheet)[0])
    ]
    return [around(regions)] if len(regions) > _MAX_REGIONS else sorted(_merged(regions))


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

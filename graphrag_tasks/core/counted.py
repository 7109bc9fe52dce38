"""Counts as people write them: "1 entity", "2,000 entities"."""

from __future__ import annotations


def counted(count: int, plural: str) -> str:
    """Return a number and what it counts, in the singular for 1; the first word is declined."""
    what, space, rest = plural.partition(" ")
    if count == 1:
        what = f"{what[:-3]}y" if what.endswith("ies") else what.removesuffix("s")
    return f"{count:,} {what}{space}{rest}"

"""The map of communities as a picture that needs no script: circles, their strongest ties, names.

A view is the whole map or one community. It shows the circles right inside it, theirs as outlines,
and the entities of a community that has no circles; each circle leads to its own view.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.retrieval import Index

_TIES = 40
COMMUNITIES_LISTED = 40
_MOST_POINTS = 300
_NAMED_POINTS = 24
_LEAST_NAMED = 0.03
"""Radius of a circle that has its name in it, as a share of the view's width."""
_SMALLEST_LETTERS, _LARGEST_LETTERS = 0.009, 0.022
"""Height of letters, as a share of the view's width: 11 to 26 pixels on a screen of 1,200."""
_LETTER = 0.55  # width of a letter, as a share of its height
_MARGIN = 1.04
_POINT = 0.004
_BEND = 0.18
"""How far a tie bends aside, as a share of its length."""
_HUE = 137.508
"""The golden angle: neighbours in rank get colours far apart."""


@dataclass(frozen=True)
class Box:
    """What a picture shows: its left and upper edge, and its size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Circle:
    """A community on the map; `lines` of its name have letters of height `letters`."""

    id: str
    title: str
    size: int
    x: float
    y: float
    radius: float
    hue: int
    lines: Sequence[str] = ()
    letters: float = 0.0


@dataclass(frozen=True)
class Tie:
    """The relations between two circles."""

    path: str
    width: float
    relations: int


@dataclass(frozen=True)
class Point:
    """An entity on the map; `is_named` where its name is shown."""

    name: str
    x: float
    y: float
    is_named: bool


@dataclass(frozen=True)
class View:
    """A view of the map.

    Attributes:
        community: The row of the community shown; None: the whole map.
        above: The communities around it, the coarsest first.
        circles, inner: Those right inside the view, and theirs.
        points: Entities of a community without circles, the most central first.
        letters, point: Height of their names and their radius.
    """

    community: Mapping[str, Any] | None
    above: Sequence[Mapping[str, Any]]
    box: Box
    circles: Sequence[Circle]
    inner: Sequence[Circle]
    ties: Sequence[Tie]
    points: Sequence[Point]
    letters: float
    point: float


def view(index: Index, community_id: str) -> View:
    """Return a view of the map: of one community, or the whole one for the empty id.

    Raises:
        QueryError: The snapshot has no such community, or hides it.
    """
    rows = index.snapshot.table("communities").to_pylist()
    by_id = {row["community_id"]: row for row in rows}
    if community_id and community_id not in by_id:
        hint = "Open the map anew: communities change with their members"
        raise QueryError("no such community in this snapshot", community_id, hint)
    shown = by_id.get(community_id)
    above: list[Mapping[str, Any]] = []
    parent = shown
    while parent and parent["parent_id"]:
        parent = by_id[parent["parent_id"]]
        above.insert(0, parent)
    hues = _hues(rows, by_id)
    inside = [row for row in rows if row["parent_id"] == (community_id or None)]
    inside.sort(key=lambda row: (-row["size"], row["community_id"]))
    ids = {row["community_id"] for row in inside}
    box = _box(shown, inside)
    circles = [_circle(row, hues, box) for row in inside]
    inner = [_circle(row, hues, None) for row in rows if row["parent_id"] in ids]
    points = _points(index, community_id) if shown and not inside else []
    return View(
        shown, above, box, circles, inner, _ties(index, circles, box), points,
        box.width * _SMALLEST_LETTERS * 1.3, box.width * _POINT,
    )  # fmt: skip


def _hues(
    rows: Sequence[Mapping[str, Any]], by_id: Mapping[str, Mapping[str, Any]]
) -> dict[str, int]:
    """Return the colour of each community: that of the coarsest one around it."""
    coarsest = sorted(
        (row for row in rows if row["parent_id"] is None),
        key=lambda row: (-row["size"], row["community_id"]),
    )
    hues = {row["community_id"]: round(i * _HUE) % 360 for i, row in enumerate(coarsest)}
    for row in sorted(rows, key=lambda row: row["level"]):
        if row["parent_id"] in by_id:
            hues[row["community_id"]] = hues[row["parent_id"]]
    return hues


def _box(shown: Mapping[str, Any] | None, inside: Sequence[Mapping[str, Any]]) -> Box:
    around = [shown] if shown else inside
    if not around:
        return Box(-1.0, -1.0, 2.0, 2.0)
    left = min(row["x"] - row["radius"] for row in around)
    right = max(row["x"] + row["radius"] for row in around)
    upper = min(-row["y"] - row["radius"] for row in around)
    lower = max(-row["y"] + row["radius"] for row in around)
    width, height = (right - left) * _MARGIN, (lower - upper) * _MARGIN
    return Box(
        (left + right - width) / 2, (upper + lower - height) / 2, max(width, 1.0), max(height, 1.0)
    )


def _circle(row: Mapping[str, Any], hues: Mapping[str, int], box: Box | None) -> Circle:
    radius, title = row["radius"], row["title"]
    lines: list[str] = []
    letters = 0.0
    if box is not None and radius >= _LEAST_NAMED * box.width:
        letters = min(
            max(radius * 0.18, _SMALLEST_LETTERS * box.width), _LARGEST_LETTERS * box.width
        )
        lines = _lines(title, int(1.7 * radius / (letters * _LETTER)))
    return Circle(
        row["community_id"], title, row["size"], row["x"], -row["y"], radius,
        hues[row["community_id"]], lines, letters,
    )  # fmt: skip


def _lines(title: str, letters: int, most: int = 3) -> list[str]:
    """Break a title, whose names are parted by commas, into lines of at most some letters."""
    lines: list[str] = []
    for part in title.split(", "):
        if lines and len(lines[-1]) + len(part) + 2 <= letters:
            lines[-1] += f", {part}"
        elif len(lines) < most:
            lines.append(part if len(part) <= letters else f"{part[: max(letters - 1, 1)]}…")
    return lines


def _ties(index: Index, circles: Sequence[Circle], box: Box) -> list[Tie]:
    """Return the strongest ties between circles, as curves that bend aside."""
    by_id = {one.id: one for one in circles}
    members = index.snapshot.table("members", ["community_id", "entity_id"])
    wanted = pc.is_in(members["community_id"], value_set=pa.array(list(by_id), pa.string()))
    members = members.filter(wanted)
    home = dict(
        zip(members["entity_id"].to_pylist(), members["community_id"].to_pylist(), strict=True)
    )
    relations = index.snapshot.table("relations", ["head_id", "tail_id"])
    heads = map(home.get, relations["head_id"].to_pylist())
    tails = map(home.get, relations["tail_id"].to_pylist())
    counted = Counter(
        (min(one, other), max(one, other))
        for one, other in zip(heads, tails, strict=True)
        if one and other and one != other
    )
    strongest = sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:_TIES]
    most = strongest[0][1] if strongest else 1
    return [
        Tie(
            _curve(by_id[one], by_id[other]),
            round(box.width * 0.006 * math.sqrt(count / most), 2),
            count,
        )
        for (one, other), count in strongest
    ]


def _curve(one: Circle, other: Circle) -> str:
    middle_x, middle_y = (one.x + other.x) / 2, (one.y + other.y) / 2
    x = middle_x - (other.y - one.y) * _BEND
    y = middle_y + (other.x - one.x) * _BEND
    return f"M{one.x:.1f} {one.y:.1f}Q{x:.1f} {y:.1f} {other.x:.1f} {other.y:.1f}"


def _points(index: Index, community_id: str) -> list[Point]:
    members = index.snapshot.table("members")
    own = members.filter(pc.equal(members["community_id"], community_id))
    order = [("centrality", "descending"), ("entity_id", "ascending")]
    own = own.sort_by(order).slice(0, _MOST_POINTS)
    entities = index.snapshot.table("entities", ["entity_id", "name"])
    named = entities.filter(
        pc.is_in(entities["entity_id"], value_set=own["entity_id"].combine_chunks())
    )
    names = dict(zip(named["entity_id"].to_pylist(), named["name"].to_pylist(), strict=True))
    return [
        Point(names[row["entity_id"]], row["x"], -row["y"], place < _NAMED_POINTS)
        for place, row in enumerate(own.to_pylist())
    ]

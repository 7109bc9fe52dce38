"""The map of communities as a picture without scripts: circles, strongest ties, names.

A view shows the whole map or one community: its direct child communities as circles, their children as outlines, or the
entities of a community without children. Each circle links to its view.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.inspect.pages.map_names import Dot, Name, name_of_circle, names_of_dots
from graphrag_tasks.retrieval import Index

WIDTH = 1000.0  # Width of a picture in its own units.

COMMUNITIES_DRAWN = 120
COMMUNITIES_LISTED = 40
ENTITIES_LISTED = 60
_MOST_SMALLER = 500
_MOST_POINTS = 300
_TIES = 40
"""Circles drawn, entries listed at first, communities listed without a circle, and points and ties drawn: more would
be too small to point at, or too many to read. Chosen."""
_ON_SCREEN = (1160.0, 700.0)  # Pixels of a picture on a laptop, where its height is limited.
_ON_PHONE = 366.0  # Pixels of a picture on a phone, which is 390 wide.
_LOWEST = 0.4  # Least height, relative to the width.
_MARGIN = 0.02  # Margin around circles, relative to the width.
_MARGINS_OF_POINTS = (0.12, 0.05)  # Margins beside and above points, for their names.
_POINT = 4.5  # Radius of an entity's point, in units of the picture.
_BEND = 0.18  # Curvature of a tie, relative to its length.
_WIDEST_TIE, _WIDEST_BETWEEN_POINTS = 6.0, 2.5
"""Widths of the strongest tie, between communities and between entities, in units of the picture."""
_HUE = 137.508  # The golden angle: neighbours in rank get distant colours.
_ABOUT = ["community_id", "parent_id", "level", "title", "size", "x", "y", "radius"]


@dataclass(frozen=True)
class Circle:
    """A community on the map."""

    id: str
    title: str
    size: int
    x: float
    y: float
    radius: float
    hue: int


@dataclass(frozen=True)
class Tie:
    """The relations between two circles or two entities."""

    path: str
    width: float
    relations: int


@dataclass(frozen=True)
class View:
    """A view of the map, `WIDTH` units wide and `height` high.

    Attributes:
        community: Row of the shown community; None for the whole map.
        summary: Its summary.
        above: Its ancestors, the coarsest first.
        circles, inner: The largest child communities, and their children.
        smaller: Titles and sizes of child communities that are listed, but not drawn, by id.
        communities: Number of all child communities.
        points: Entities of a community without children, the most central first.
        names, names_on_phone: Readable names for each screen width.
        entities: Names of the community's entities, the most central first.
    """

    community: Mapping[str, Any] | None
    summary: str
    above: Sequence[Mapping[str, Any]]
    height: float
    circles: Sequence[Circle]
    inner: Sequence[Circle]
    smaller: Mapping[str, tuple[str, int]]
    communities: int
    ties: Sequence[Tie]
    points: Sequence[Dot]
    names: Sequence[Name]
    names_on_phone: Sequence[Name]
    entities: Sequence[str]


def view(index: Index, community_id: str) -> View:
    """Return a view of the map: one community, or the whole map for ""."""
    table = index.snapshot.table("communities", [*_ABOUT, "summary"])
    line = _line(table, community_id)
    if community_id and not line:
        hint = "Open the map anew: communities change with their members"
        raise QueryError("no such community in this snapshot", community_id, hint)
    shown = line[-1] if line else None
    inside = _children(table, [community_id] if shown else [])
    members = _members(index, community_id) if shown else []
    drawn = inside.slice(0, COMMUNITIES_DRAWN).to_pylist()
    smaller = inside.slice(COMMUNITIES_DRAWN, _MOST_SMALLER)
    frame = _Frame.around(drawn or members, is_of_points=not drawn)
    coarsest = (_children(table, []) if line else inside)["community_id"]
    colours = [line[0]] * len(drawn) if line else drawn
    hues = {
        row["community_id"]: round(pc.index(coarsest, of["community_id"]).as_py() * _HUE) % 360
        for row, of in zip(drawn, colours, strict=True)
    }
    inner = _children(table, list(hues)).to_pylist() if hues else []
    circles = [frame.circle(row, hues[row["community_id"]]) for row in drawn]
    points = [] if drawn else [frame.dot(row) for row in members[:_MOST_POINTS]]
    return View(
        community=shown,
        summary=shown["summary"] if shown else "",
        above=line[:-1],
        height=frame.height,
        circles=circles,
        inner=[frame.circle(row, hues[row["parent_id"]]) for row in inner],
        smaller={row["community_id"]: (row["title"], row["size"]) for row in smaller.to_pylist()},
        communities=inside.num_rows,
        ties=_ties_of_points(index, members, points) if points else _ties(index, circles),
        points=points,
        names=_names(circles, points, frame, frame.pixel),
        names_on_phone=_names(circles, points, frame, WIDTH / _ON_PHONE),
        entities=[row["name"] for row in members],
    )


def _line(communities: pa.Table, community_id: str | None) -> list[dict[str, Any]]:
    """Return a community and its ancestors, the coarsest first; empty if there is none."""
    line: list[dict[str, Any]] = []
    while community_id:
        rows = communities.filter(pc.equal(communities["community_id"], community_id)).to_pylist()
        line[:0] = rows
        community_id = rows[0]["parent_id"] if rows else None
    return line


def _children(communities: pa.Table, parents: Sequence[str]) -> pa.Table:
    """Return the communities directly below others, by default the coarsest; largest first."""
    of = communities["parent_id"]
    wanted = pc.is_in(of, value_set=pa.array(parents, pa.string())) if parents else pc.is_null(of)
    order = [("size", "descending"), ("community_id", "ascending")]
    return communities.filter(wanted).sort_by(order)


@dataclass(frozen=True)
class _Frame:
    """Transforms map coordinates to picture coordinates."""

    left: float
    upper: float
    scale: float
    height: float

    @classmethod
    def around(cls, rows: Sequence[Mapping[str, Any]], *, is_of_points: bool) -> _Frame:
        """Return the frame that shows circles or points as large as possible."""
        if not rows:
            return cls(0.0, 0.0, 1.0, WIDTH * _LOWEST)
        x, y = (np.array([row[axis] for row in rows], np.float64) for axis in ("x", "y"))
        radii = np.array([row.get("radius", 0.0) for row in rows], np.float64)
        left, right = float((x - radii).min()), float((x + radii).max())
        lower, upper = float((y - radii).min()), float((y + radii).max())
        beside, above = _MARGINS_OF_POINTS if is_of_points else (_MARGIN, _MARGIN)
        width = max(right - left, upper - lower, 1e-3) * (1 + 2 * beside)
        height = max((upper - lower) + 2 * above * width, _LOWEST * width)
        return cls(
            (left + right - width) / 2, (upper + lower + height) / 2, WIDTH / width,
            WIDTH * height / width,
        )  # fmt: skip

    @property
    def pixel(self) -> float:
        """Return the size of a laptop pixel, in units of the picture."""
        width, height = _ON_SCREEN
        return max(WIDTH / width, self.height / height)

    def place(self, row: Mapping[str, Any]) -> tuple[float, float]:
        return (row["x"] - self.left) * self.scale, (self.upper - row["y"]) * self.scale

    def circle(self, row: Mapping[str, Any], hue: int) -> Circle:
        name, radius = row["community_id"], row["radius"] * self.scale
        return Circle(name, row["title"], row["size"], *self.place(row), radius, hue)

    def dot(self, row: Mapping[str, Any]) -> Dot:
        return Dot(row["name"], *self.place(row), _POINT)


def _names(circles: Sequence[Circle], points: Sequence[Dot], frame: _Frame, pixel: float) -> list[Name]:
    """Return the names that are readable at this pixel size."""
    named = (name_of_circle(circle.title, circle.x, circle.y, circle.radius, pixel) for circle in circles)
    return [*filter(None, named), *names_of_dots(points, WIDTH, frame.height, pixel)]


def _ties(index: Index, circles: Sequence[Circle]) -> list[Tie]:
    ids = pa.array([circle.id for circle in circles], pa.string())
    members = index.snapshot.table("members", ["community_id", "entity_id"])
    members = members.filter(pc.is_in(members["community_id"], value_set=ids))
    homes = pc.index_in(members["community_id"], value_set=ids).to_numpy()
    return _strongest(index, members["entity_id"], homes, circles, _WIDEST_TIE)


def _ties_of_points(index: Index, members: Sequence[Mapping[str, Any]], points: Sequence[Dot]) -> list[Tie]:
    ids = pa.array([row["entity_id"] for row in members[: len(points)]], pa.string())
    return _strongest(index, ids, np.arange(len(points)), points, _WIDEST_BETWEEN_POINTS)


def _strongest(
    index: Index,
    entities: pa.Array[Any] | pa.ChunkedArray,
    homes: np.ndarray[Any, Any],
    places: Sequence[Circle] | Sequence[Dot],
    widest: float,
) -> list[Tie]:
    relations = index.snapshot.table("relations", ["head_id", "tail_id"])
    if isinstance(entities, pa.ChunkedArray):
        entities = entities.combine_chunks()
    homes = np.append(homes, -1)  # of entities that are elsewhere
    ends = [
        homes[pc.fill_null(pc.index_in(relations[end], value_set=entities), -1).to_numpy()]
        for end in ("head_id", "tail_id")
    ]
    low, high = np.minimum(*ends), np.maximum(*ends)
    between = (low >= 0) & (low != high)
    pairs, counts = np.unique(low[between] * len(places) + high[between], return_counts=True)
    strongest = np.lexsort((pairs, -counts))[:_TIES]
    most = max(counts.tolist(), default=1)
    return [
        Tie(
            _curve(places[pair // len(places)], places[pair % len(places)]),
            round(widest * math.sqrt(count / most), 2),
            count,
        )
        for pair, count in zip(pairs[strongest].tolist(), counts[strongest].tolist(), strict=True)
    ]


def _curve(one: Circle | Dot, other: Circle | Dot) -> str:
    x = (one.x + other.x) / 2 - (other.y - one.y) * _BEND
    y = (one.y + other.y) / 2 + (other.x - one.x) * _BEND
    return f"M{one.x:.1f} {one.y:.1f}Q{x:.1f} {y:.1f} {other.x:.1f} {other.y:.1f}"


def _members(index: Index, community_id: str) -> list[dict[str, Any]]:
    members = index.snapshot.table("members")
    members = members.filter(pc.equal(members["community_id"], community_id))
    entities = index.snapshot.table("entities", ["entity_id", "name"])
    own = members["entity_id"].combine_chunks()
    named = entities.filter(pc.is_in(entities["entity_id"], value_set=own))
    names = dict(zip(*(named[one].to_pylist() for one in ("entity_id", "name")), strict=True))
    order = [("centrality", "descending"), ("entity_id", "ascending")]
    rows: list[dict[str, Any]] = members.sort_by(order).to_pylist()
    return [row | {"name": names[row["entity_id"]]} for row in rows]

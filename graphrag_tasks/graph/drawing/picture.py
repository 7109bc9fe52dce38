"""A picture of a part of the graph as SVG, without scripts or fonts.

Circles are entities, sized by mentions and coloured by label. Lines are relations, as wide as their weight, with an
arrow head at the tail; the strongest are labelled. In a picture of changes, colours show additions and removals, and
removals are dashed.
"""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.core.counted import counted
from graphrag_tasks.graph.drawing.layout import Points, lay_out
from graphrag_tasks.graph.drawing.selection import GAINED, LOST, NOT_XML, Selection

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Colours distinct for the colour-blind, too (Okabe and Ito); further labels share one plain colour."""

_PLAIN, _INK, _LINE, _WORDS = "#7c8ea3", "#1b1f24", "#b3bac4", "#57606a"
_IN_BOTH = "in both"
_CHANGES = {GAINED: "#009e73", LOST: "#d55e00", _IN_BOTH: _PLAIN}
_DASHED = ' stroke-dasharray="6 4"'
_FONT, _SMALL_FONT, _TITLE_FONT = 13, 10.5, 20  # Font sizes in pixels; chosen.
_CHARACTER = 0.56  # Mean width of a character, as a share of the font size.
_CAPITAL = 0.7  # Mean width of a character of a label, as labels are mostly in capitals.
_LABEL_SHIFT = 0.6 * _FONT  # Distance from a circle's centre to the middle of the box that it shares with its label.

_LONGEST_NAME, _LONGEST_WORDS, _LONGEST_TITLE = 30, 34, 90
"""Most characters of a name, of a relation's words and of the title; the rest is cut."""
_SMALLEST, _LARGEST, _UNCOUNTED = 5.0, 20.0, 8.0
"""Radii: the least, the largest, and the one for all circles where mentions are unknown."""
_EDGE_LENGTH = 160.0
_MARGIN, _HEADER = 36.0, 64.0
_WIDEST_LINE = 4.0  # Most pixels of a line's width; chosen.
_PLACES_ON_LINE = (0.5, 0.4, 0.6, 0.3, 0.7)  # Positions for a relation's words, as a share of the line; tried in order.


@dataclass(frozen=True)
class _Edge:
    """All relations between two entities, given by their rows; the strongest words first.

    `change` is the change that they have in common, if any.
    """

    ends: tuple[int, int]
    weight: float
    words: tuple[str, ...]
    both_ways: bool
    change: str = ""


def draw(selection: Selection) -> str:
    """Return an SVG document; with more than a hundred entities it is hard to read."""
    entities = selection.entities.to_pylist()
    if selection.changes:
        for row in entities:
            row["type"] = selection.changes.get(row["entity_id"], _IN_BOTH)
    edges = _edges(selection)
    radii = _radii([row["mentions"] for row in entities])
    boxes = np.array([_box(row["name"], radius) for row, radius in zip(entities, radii, strict=True)]).reshape(-1, 2)
    ends = np.array([edge.ends for edge in edges], dtype=np.int64).reshape(-1, 2)
    centres = lay_out(ends, boxes, edge_length=_EDGE_LENGTH) + np.array([_MARGIN, _HEADER])
    far = (centres + boxes / 2).max(axis=0, initial=0.0)
    above = _labels_above(centres, ends)
    points = centres + np.where(above, _LABEL_SHIFT, -_LABEL_SHIFT)[:, None] * np.array([0.0, 1.0])
    title = _short(selection.title, _LONGEST_TITLE)
    drawn = counted(selection.relations.num_rows, "relations")
    about = f"{counted(len(entities), 'entities')}, {drawn}"
    if selection.omitted:
        about += f"; {selection.omitted} less central ones left out"
    colours = _CHANGES if selection.changes else _colours(entities)
    legend = sum(_legend_width(label) for label in colours)
    width = max(far[0] + _MARGIN, _width(title, _TITLE_FONT) + 2 * _MARGIN, legend + 2 * _MARGIN)
    size = (math.ceil(width), math.ceil(far[1] + 2 * _MARGIN))
    parts = [
        *_head(title, about, size),
        *_lines(edges, points, radii),
        *_nodes(entities, points, radii, colours, above),
        *_edge_words(edges, points, [*zip(centres, boxes, strict=True)]),
        *_legend(colours, size[1]),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


@dataclass(frozen=True, repr=False)
class Picture:
    """A picture of a part of the graph, displayed by notebooks.

    Its background is light, so it is readable in dark notebooks, too.

    Attributes:
        svg: The picture as an SVG document.
    """

    title: str
    entities: int
    relations: int
    svg: str

    @classmethod
    def of(cls, selection: Selection) -> Picture:
        """Draw a part of the graph."""
        size = selection.entities.num_rows, selection.relations.num_rows
        return cls(selection.title, *size, draw(selection))

    def __repr__(self) -> str:
        return f"Picture({self.title!r}, {self.entities} entities, {self.relations} relations)"

    def _repr_svg_(self) -> str:
        return self.svg


def _radii(mentions: Sequence[int | None]) -> list[float]:
    """Return the radius of each entity's circle; one radius for all where mentions are unknown."""
    most = math.sqrt(max([1, *(mention or 0 for mention in mentions)]))
    span = _LARGEST - _SMALLEST
    return [_UNCOUNTED if mention is None else _SMALLEST + span * math.sqrt(mention) / most for mention in mentions]


def _labels_above(centres: Points, ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether each label stands above its node: where the node's lines mostly run down."""
    drop = np.zeros(len(centres))
    falls = centres[ends[:, 1], 1] - centres[ends[:, 0], 1]
    np.add.at(drop, ends[:, 0], falls)
    np.add.at(drop, ends[:, 1], -falls)
    above: NDArray[np.bool_] = drop > 0
    return above


def _edges(selection: Selection) -> list[_Edge]:
    ids = selection.entities["entity_id"].combine_chunks()
    ends = [pc.index_in(selection.relations[end], value_set=ids).to_pylist() for end in ("head_id", "tail_id")]
    found: dict[tuple[int, int], list[tuple[int, Mapping[str, Any]]]] = {}
    for head, tail, row in zip(*ends, selection.relations.to_pylist(), strict=True):
        found.setdefault((min(head, tail), max(head, tail)), []).append((head, row))
    return [_edge(pair, rows, selection.changes) for pair, rows in sorted(found.items())]


def _edge(pair: tuple[int, int], rows: Sequence[tuple[int, Mapping[str, Any]]], changes: Mapping[str, str]) -> _Edge:
    ranked = sorted(rows, key=lambda one: (-one[1]["weight"], one[1]["relation_id"]))
    words = tuple(dict.fromkeys(row["phrase"] for _, row in ranked))
    first = ranked[0][0]
    ends = pair if pair[0] == first else (pair[1], pair[0])
    both_ways = len({head for head, _ in rows}) > 1
    of_rows = {changes.get(row["relation_id"], "") for _, row in rows}
    change = of_rows.pop() if len(of_rows) == 1 else ""
    return _Edge(ends, sum(row["weight"] for _, row in rows), words, both_ways, change)


def _box(name: str, radius: float) -> tuple[float, float]:
    width = max(2 * radius, _width(_short(name, _LONGEST_NAME), _FONT)) + 14
    return width, 2 * radius + _FONT + 18


def _width(text: str, font: float) -> float:
    return len(text) * font * _CHARACTER


def _short(text: str, longest: int) -> str:
    line = " ".join(NOT_XML.sub(" ", text).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _colours(entities: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the colour of each label, by falling frequency; "" stands for no label."""
    counts = Counter(row["type"] or "" for row in entities)
    labels = sorted(counts, key=lambda label: (not label, -counts[label], label))
    named = [label for label in labels if label]
    colours = dict(zip(named, (*_COLOURS, *[_PLAIN] * len(named)), strict=False))
    return colours | ({"": _PLAIN} if "" in counts else {})


def _head(title: str, about: str, size: tuple[int, int]) -> Iterator[str]:
    width, height = size
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" '
        'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">'
    )
    yield f"<title>{_escaped(title)}</title>"
    yield f"<desc>{_escaped(about)}</desc>"
    yield (
        '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
        'markerHeight="7" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
        f'<path d="M0 1 L10 5 L0 9 z" fill="{_WORDS}"/></marker></defs>'
    )
    yield f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    yield _label(title, _MARGIN, 32, _TITLE_FONT, _INK, anchor="start", style=' font-weight="600"')
    yield _label(about, _MARGIN, 50, 12, _WORDS, anchor="start")


def _lines(edges: Sequence[_Edge], points: Points, radii: Sequence[float]) -> Iterator[str]:
    strongest = max([edge.weight for edge in edges], default=1.0) or 1.0
    for edge in edges:
        head, tail = edge.ends
        way = points[tail] - points[head]
        length = max(float(np.hypot(*way)), 1e-6)
        start = points[head] + way * min(radii[head] + 2, length / 2) / length
        end = points[tail] - way * min(radii[tail] + 3, length / 2) / length
        width = 0.8 + (_WIDEST_LINE - 0.8) * math.sqrt(edge.weight / strongest)
        arrows = 'marker-end="url(#arrow)"'
        arrows += ' marker-start="url(#arrow)"' if edge.both_ways else ""
        words = _escaped("; ".join(_short(word, _LONGEST_WORDS) for word in edge.words))
        yield (
            f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" '
            f'stroke="{_CHANGES.get(edge.change, _LINE)}" stroke-width="{width:.1f}" {arrows}'
            f"{_DASHED if edge.change == LOST else ''}><title>{words}</title></line>"
        )


def _nodes(
    entities: Sequence[Mapping[str, Any]],
    points: Points,
    radii: Sequence[float],
    colours: Mapping[str, str],
    above: NDArray[np.bool_],
) -> Iterator[str]:
    for row, (x, y), radius, is_above in zip(entities, points, radii, above, strict=True):
        name, colour = row["name"], colours[row["type"] or ""]
        counted = "" if row["mentions"] is None else f": {row['mentions']} mentions"
        yield (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}" '
            f'stroke="#ffffff" stroke-width="1.5"><title>'
            f"{_escaped(_short(name, 200))}{counted}</title></circle>"
        )
        base = y - radius - 5 if is_above else y + radius + _FONT
        yield _label(_short(name, _LONGEST_NAME), x, base, _FONT, _INK)


def _edge_words(edges: Sequence[_Edge], points: Points, boxes: Sequence[tuple[Any, Any]]) -> Iterator[str]:
    """Yield the words of the strongest relations, where they overlap no node and no other words."""
    taken = [(x - width / 2, y - height / 2, x + width / 2, y + height / 2) for (x, y), (width, height) in boxes]
    for edge in sorted(edges, key=lambda one: (-one.weight, one.ends)):
        words = _short(edge.words[0], _LONGEST_WORDS)
        half = _width(words, _SMALL_FONT) / 2
        for share in _PLACES_ON_LINE:
            x, y = points[edge.ends[0]] * (1 - share) + points[edge.ends[1]] * share
            box = (x - half, y - _SMALL_FONT, x + half, y + 3)
            if not any(_overlap(box, other) for other in taken):
                taken.append(box)
                yield _label(words, x, y, _SMALL_FONT, _WORDS, style=' font-style="italic"')
                break


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _legend(colours: Mapping[str, str], height: int) -> Iterator[str]:
    x, y = _MARGIN, height - _MARGIN / 2
    for label, colour in colours.items():
        yield f'<circle cx="{x + 5:.1f}" cy="{y - 4:.1f}" r="5" fill="{colour}"/>'
        yield _label(label or "no label", x + 15, y, 12, _WORDS, anchor="start")
        x += _legend_width(label)


def _legend_width(label: str) -> float:
    return len(label or "no label") * 12 * _CAPITAL + 34


def _label(text: str, x: float, y: float, font: float, colour: str, anchor: str = "middle", style: str = "") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{font}" fill="{colour}" text-anchor="{anchor}"'
        f'{style} stroke="#ffffff" stroke-width="3" stroke-linejoin="round" paint-order="stroke">'
        f"{_escaped(text)}</text>"
    )


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)

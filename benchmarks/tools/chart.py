"""Charts of lines and of bars as SVG, for the figures of the documentation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_COLOURS = ("#2a6fbb", "#c0504d", "#4f8a3c", "#8a5aa8")
_LEFT, _TOP, _BELOW, _RIGHT = 50, 42, 45, 20  # Room around the area of a chart, in pixels.


@dataclass(frozen=True)
class Chart:
    """Curves over one axis.

    Attributes:
        title: What is shown, with its unit.
        along: What the horizontal axis shows.
        curves: Points of each curve, by name.
        by_powers: Whether both axes are logarithmic, in powers of ten.
    """

    title: str
    along: str
    curves: Mapping[str, Sequence[tuple[float, float]]]
    by_powers: bool = False


def draw(charts: Sequence[Chart], *, columns: int, width: int, height: int) -> str:
    """Return charts in rows of so many columns; width and height are those of a chart's area."""
    across, down = width + _LEFT + _RIGHT, height + _TOP + _BELOW
    parts = []
    for number, chart in enumerate(charts):
        row, place = divmod(number, columns)
        parts.append(f'<g transform="translate({place * across + _LEFT},{row * down + _TOP})">')
        parts += _area(chart, width, height)
        parts.append("</g>")
    rows = -(-len(charts) // columns)
    return _page(columns * across, rows * down, parts)


_NAMED, _ROW, _BAR, _LONGEST = 190, 34, 12, 420  # Room for a part's name, height of a row and a bar, longest bar.


def bars(figures: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Return bars of each part of a figure, by its title and by what is compared; sums come first."""
    parts, y = [], 0
    for title, compared in figures.items():
        y += _TOP
        names = (f'<tspan fill="{colour}">{name}</tspan>' for colour, name in zip(_COLOURS, compared, strict=False))
        parts.append(_text(8, y - 10, "start", f"{title}: {' · '.join(names)}"))
        rows = {"all": {name: sum(of.values()) for name, of in compared.items()}}
        for part in dict.fromkeys(part for of in compared.values() for part in of):
            rows[part] = {name: of.get(part, 0.0) for name, of in compared.items()}
        most = max(rows["all"].values()) or 1
        for part, of in rows.items():
            parts.append(_text(_NAMED - 8, y + _BAR + 4, "end", part))
            for number, (colour, value) in enumerate(zip(_COLOURS, of.values(), strict=False)):
                at, long = y + number * (_BAR + 1), _LONGEST * value / most
                parts.append(f'<rect x="{_NAMED}" y="{at}" width="{long:.1f}" height="{_BAR}" fill="{colour}"/>')
                parts.append(
                    _text(
                        _NAMED + long + 5, at + _BAR - 2, "start", f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
                    )
                )
            y += _ROW
    return _page(_NAMED + _LONGEST + 60, y + 10, parts)


def _page(width: int, height: int, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
    style = 'font-family="sans-serif" font-size="12">'
    return "\n".join([f"{head} {style}", '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>"]) + "\n"


def _area(chart: Chart, width: int, height: int) -> list[str]:
    points = [point for curve in chart.curves.values() for point in curve]
    across, up = (_Axis.of([point[axis] for point in points], chart.by_powers) for axis in (0, 1))
    parts = [f'<rect width="{width}" height="{height}" fill="none" stroke="#888"/>']
    for tick in across.ticks:
        parts.append(_text(width * across.share(tick), height + 16, "middle", f"{tick:,.10g}"))
    for tick in up.ticks:
        y = height * (1 - up.share(tick))
        parts.append(f'<line x1="0" y1="{y:.1f}" x2="{width}" y2="{y:.1f}" stroke="#eee"/>')
        parts.append(_text(-6, y + 4, "end", f"{tick:,.10g}"))
    for colour, curve in zip(_COLOURS, chart.curves.values(), strict=False):
        places = [(width * across.share(x), height * (1 - up.share(y))) for x, y in curve]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in places]
    names = (f'<tspan fill="{colour}">{name}</tspan>' for colour, name in zip(_COLOURS, chart.curves, strict=False))
    parts.append(_text(0, -24, "start", chart.title))
    parts.append(_text(0, -8, "start", " · ".join(names)))
    parts.append(_text(width / 2, height + 34, "middle", chart.along))
    return parts


def _text(x: float, y: float, anchor: str, text: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="#222">{text}</text>'


@dataclass(frozen=True)
class _Axis:
    """Numbered places of an axis, and where it begins and ends."""

    ticks: Sequence[float]
    first: float
    last: float
    by_powers: bool

    @classmethod
    def of(cls, values: Sequence[float], by_powers: bool) -> _Axis:
        """Span the values: by powers of ten with room at both ends, or by multiples from 0 on."""
        most = max(values)
        if by_powers:
            first, last = min(values) / 2, most * 2
            powers = range(math.ceil(math.log10(first)), math.floor(math.log10(last)) + 1)
            return cls([10.0**power for power in powers], first, last, by_powers)
        step = 10.0 ** math.floor(math.log10(most))
        while most / step < 4:
            step /= 2
        ticks = [step * number for number in range(math.ceil(most / step) + 1)]
        return cls(ticks, 0, ticks[-1], by_powers)

    def share(self, value: float) -> float:
        """Return where a value lies between both ends, 0 to 1."""
        of = math.log10 if self.by_powers else float
        first, at, last = map(of, (self.first, value, self.last))
        return (at - first) / (last - first)

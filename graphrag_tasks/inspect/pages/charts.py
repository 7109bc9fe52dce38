"""Small charts of a store's snapshots: contents and cost of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from graphrag_tasks.inspect.pages.reader import Listed

MOST_SNAPSHOTS = 30  # Most snapshots in a chart: the newest.

CHART_WIDTH, CHART_HEIGHT = 240.0, 72.0
_WIDEST_BAR = 24.0  # Widest bar in pixels: several charts stand side by side.
_GAP = 0.25  # Empty share of a bar's place.
_LEAST_HEIGHT = 1.0  # Least height of a bar above 0, in pixels, so that it is visible.

_MEASURES: Mapping[str, Callable[[Listed], float | None]] = {
    "documents": lambda listed: listed.counts["documents"],
    "entities": lambda listed: listed.counts["entities"],
    "relations": lambda listed: listed.counts["relations"],
    "CPU seconds": lambda listed: listed.cpu_seconds,
    "USD to a language model": lambda listed: listed.usd,
}


@dataclass(frozen=True)
class Bar:
    """A snapshot's bar, in units of the picture."""

    snapshot: Listed
    value: float
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Chart:
    """One measure of all snapshots, oldest first; bars begin at 0."""

    name: str
    bars: Sequence[Bar]

    @property
    def values(self) -> list[float]:
        """Values of the bars."""
        return [bar.value for bar in self.bars]


def charts_of(snapshots: Sequence[Listed]) -> list[Chart]:
    """Return a chart for each measure that is not always 0; none for a single snapshot.

    `snapshots` are newest first. Those with hidden figures have no bar.
    """
    shown = [snapshot for snapshot in snapshots if not snapshot.why_no_figures][:MOST_SNAPSHOTS]
    shown.reverse()
    if len(shown) < 2:
        return []
    found = (_chart(name, measure, shown) for name, measure in _MEASURES.items())
    return [chart for chart in found if any(chart.values)]


def _chart(name: str, measure: Callable[[Listed], float | None], snapshots: Sequence[Listed]) -> Chart:
    values = [measure(listed) or 0 for listed in snapshots]
    highest = max(values) or 1
    step = min(CHART_WIDTH / len(values), _WIDEST_BAR)
    bars = []
    for place, (snapshot, value) in enumerate(zip(snapshots, values, strict=True)):
        height = max(CHART_HEIGHT * value / highest, _LEAST_HEIGHT) if value else 0.0
        x = step * (place + _GAP / 2)
        bars.append(Bar(snapshot, value, x, CHART_HEIGHT - height, step * (1 - _GAP), height))
    return Chart(name, bars)

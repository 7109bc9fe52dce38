"""Compare modes on the same questions, with significance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.workbench.evaluation.report import METRICS, RetrievalReport

RESULTS_FILE, TABLES_FILE = "results.parquet", "results.md"
_TIMES = ("wall_ms", "cpu_ms", "search_wall_ms", "search_cpu_ms")
RESULTS = pa.schema(
    [
        *((name, pa.string()) for name in ("mode", "id", "type", "question")),
        *((name, pa.float64()) for name in METRICS),
        ("failure", pa.string()),
        *((name, pa.float64()) for name in _TIMES),
        ("gold", pa.list_(pa.string())),
        ("found_at", pa.list_(pa.int64())),
        ("ranking", pa.list_(pa.string())),
    ]
)
"""Columns of `RESULTS_FILE`; `report.QuestionResult` explains them."""

RESAMPLES = 10_000  # Efron and Tibshirani (1993, chapter 13) ask for at least 1,000 for an interval.
LEAST_PAIRS = 10  # Fewest pairs for a p-value: with fewer, resamples differ too little. Chosen.
_BATCH = 1_000  # Resamples drawn at once, to bound memory.
_TOLERANCE = 1e-12  # Rounding error of a mean.
_SMALLEST_P_SHOWN = 0.001  # With three decimals; smaller p-values are shown as below it.


@dataclass(frozen=True)
class Difference:
    """The mean difference of a metric between two modes, with its 95 % interval.

    `p` is the two-sided p-value; None for fewer than `LEAST_PAIRS`.
    """

    mean: float
    low: float
    high: float
    p: float | None


def paired_bootstrap(
    one: Sequence[float], other: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0
) -> Difference:
    """Compare two modes by their values for the same questions, in the same order.

    Questions are drawn with replacement as pairs of values, so that question difficulty cancels out (Efron and
    Tibshirani 1993, chapters 13 and 16). The interval is the percentile interval. p counts the resamples whose mean is
    as far from the observed mean as that is from 0; the observed one is included, so p is never 0.
    """
    if not one or len(one) != len(other):
        raise ValueError(f"the values are not paired: {len(one)} and {len(other)}")
    differences = np.asarray(one, dtype=np.float64) - np.asarray(other, dtype=np.float64)
    mean, size = float(differences.mean()), len(differences)
    generator = np.random.Generator(np.random.PCG64(seed))
    batches = [min(_BATCH, resamples - start) for start in range(0, resamples, _BATCH)]
    means = np.concatenate([differences[generator.integers(size, size=(n, size))].mean(axis=1) for n in batches])
    low, high = np.percentile(means, [2.5, 97.5])
    as_far = int((np.abs(means - mean) >= abs(mean) - _TOLERANCE).sum())
    p = (as_far + 1) / (resamples + 1) if size >= LEAST_PAIRS else None
    return Difference(mean, float(low), float(high), p)


@dataclass(frozen=True)
class Comparison:
    """Reports of several modes on the same questions.

    `differences` has, for each other mode and metric, the difference to the mode `against`.
    """

    reports: tuple[RetrievalReport, ...]
    against: str | None
    differences: dict[str, dict[str, Difference]]

    @classmethod
    def of(cls, reports: Sequence[RetrievalReport], against: str | None = None) -> Comparison:
        """Compare every report with that of the mode `against`."""
        if against is None:
            return cls(tuple(reports), None, {})
        base = next((report for report in reports if report.mode == against), None)
        if base is None:
            modes = ", ".join(report.mode for report in reports)
            raise ConfigError(f"mode '{against}' was not evaluated", "--against", f"Modes: {modes}")
        others = {report.mode: _differences(report, base) for report in reports if report is not base}
        return cls(tuple(reports), against, others)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON values."""
        return {
            "modes": {report.mode: report.to_dict() for report in self.reports},
            "against": self.against,
            "differences": {
                mode: {metric: asdict(difference) for metric, difference in found.items()}
                for mode, found in self.differences.items()
            },
        }

    def to_markdown(self) -> str:
        """Return each mode's tables, and a table of differences."""
        parts = [report.to_markdown() for report in self.reports]
        if self.differences:
            explained = "with its 95 % interval and p (paired bootstrap)"
            lines = [
                f"Difference from `{self.against}`, {explained}",
                "",
                f"| mode | {' | '.join(METRICS)} |",
                f"|---|{'---|' * len(METRICS)}",
                *(
                    f"| {mode} | {' | '.join(_cell(found[metric]) for metric in METRICS)} |"
                    for mode, found in self.differences.items()
                ),
            ]
            parts.append("\n".join(lines) + "\n")
        return "\n".join(parts)

    def files(self) -> dict[str, bytes]:
        """Return `RESULTS_FILE`, a row per mode and question, and `TABLES_FILE`, for people."""
        rows = [{"mode": report.mode} | result.row() for report in self.reports for result in report.results]
        results = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_pylist(rows, schema=RESULTS), results)
        return {RESULTS_FILE: results.getvalue().to_pybytes(), TABLES_FILE: self.to_markdown().encode("utf-8")}


def write_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files, by name, into a new or existing folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)


def _differences(report: RetrievalReport, base: RetrievalReport) -> dict[str, Difference]:
    return {
        metric: paired_bootstrap(
            [result.metrics[metric] for result in report.results], [result.metrics[metric] for result in base.results]
        )
        for metric in METRICS
    }


def _cell(one: Difference) -> str:
    shown = f"{one.mean:+.3f} [{one.low:+.3f}, {one.high:+.3f}]"
    if one.p is None:
        return shown
    return f"{shown} p={one.p:.3f}" if one.p >= _SMALLEST_P_SHOWN else f"{shown} p<{_SMALLEST_P_SHOWN}"

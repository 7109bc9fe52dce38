"""Several modes on the same questions, and whether they differ by more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.evaluate.report import METRICS, RetrievalReport
from graphrag_tasks.evaluate.significance import Difference, paired_bootstrap

RESULTS_FILE = "results.parquet"
TABLES_FILE = "results.md"

_SHOWN = 0.001
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
"""Columns of `RESULTS_FILE`, as `report.QuestionResult` explains them."""


@dataclass(frozen=True)
class Comparison:
    """Reports of several modes on the same questions.

    Attributes:
        reports: One of each mode.
        against: The mode that the others are compared with; None where none is.
        differences: For each other mode the difference of each metric, that mode minus `against`.
    """

    reports: tuple[RetrievalReport, ...]
    against: str | None
    differences: dict[str, dict[str, Difference]]

    @classmethod
    def of(cls, reports: Sequence[RetrievalReport], against: str | None = None) -> Comparison:
        """Compare every report with that of the mode `against`.

        Raises:
            ConfigError: No report is of that mode.
        """
        if against is None:
            return cls(tuple(reports), None, {})
        base = next((one for one in reports if one.mode == against), None)
        if base is None:
            modes = ", ".join(one.mode for one in reports)
            raise ConfigError(f"mode '{against}' was not evaluated", "--against", f"Modes: {modes}")
        return cls(
            tuple(reports),
            against,
            {one.mode: _differences(one, base) for one in reports if one is not base},
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain dicts, lists, texts and numbers: what JSON can carry."""
        return {
            "modes": {one.mode: one.to_dict() for one in self.reports},
            "against": self.against,
            "differences": {
                mode: {metric: asdict(one) for metric, one in found.items()}
                for mode, found in self.differences.items()
            },
        }

    def to_markdown(self) -> str:
        """Return each mode's tables, and one of the differences."""
        parts = [one.to_markdown() for one in self.reports]
        if self.differences:
            parts.append("\n".join(self._differences_table()) + "\n")
        return "\n".join(parts)

    def files(self) -> dict[str, bytes]:
        """Return `RESULTS_FILE`, a row per mode and question, and `TABLES_FILE`, for people."""
        rows = [{"mode": one.mode} | result.row() for one in self.reports for result in one.results]
        results = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_pylist(rows, schema=RESULTS), results)
        return {
            RESULTS_FILE: results.getvalue().to_pybytes(),
            TABLES_FILE: self.to_markdown().encode("utf-8"),
        }

    def write(self, folder: Path) -> None:
        """Write `files` into a folder, which is made."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in self.files().items():
            (folder / name).write_bytes(data)

    def _differences_table(self) -> list[str]:
        return [
            f"Difference from `{self.against}`, with its 95 % interval and p (paired bootstrap)",
            "",
            f"| mode | {' | '.join(METRICS)} |",
            f"|---|{'---|' * len(METRICS)}",
            *(
                f"| {mode} | {' | '.join(_cell(found[metric]) for metric in METRICS)} |"
                for mode, found in self.differences.items()
            ),
        ]


def _differences(report: RetrievalReport, base: RetrievalReport) -> dict[str, Difference]:
    return {
        metric: paired_bootstrap(
            [one.metrics[metric] for one in report.results],
            [one.metrics[metric] for one in base.results],
        )
        for metric in METRICS
    }


def _cell(one: Difference) -> str:
    p = f"p={one.p:.3f}" if one.p >= _SHOWN else f"p<{_SHOWN}"
    return f"{one.mean:+.3f} [{one.low:+.3f}, {one.high:+.3f}] {p}"

"""Result of a retrieval evaluation: figures overall, by type, and by question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from graphrag_tasks.core.extras import brought_by
from graphrag_tasks.workbench.evaluation.failures import REASONS
from graphrag_tasks.workbench.evaluation.gold import Stale

if TYPE_CHECKING:
    import pandas as pd

METRICS = ("recall@2", "recall@5", "recall@10", "all_gold@8", "mrr@10")
"""Names of the figures, in display order; `metrics` defines them."""


@dataclass(frozen=True)
class Times:
    """Milliseconds of wall-clock time, and of CPU time of all threads."""

    wall: float
    cpu: float

    def __sub__(self, other: Times) -> Times:
        return Times(self.wall - other.wall, self.cpu - other.cpu)

    def __add__(self, other: Times) -> Times:
        return Times(self.wall + other.wall, self.cpu + other.cpu)


@dataclass(frozen=True)
class QuestionResult:
    """The figures of a question.

    Attributes:
        found_at: The first place of each gold item; None if not in the first ten.
        ranking: The first ten documents (`path`) or chunks (`path:start-end`), best first.
        failure: Why the first eight places lack a gold item (see `failures`), or None.
        encoding: Time of the query encoder; None if not measured.
    """

    id: str
    type: str
    question: str
    gold: tuple[str, ...]
    found_at: tuple[int | None, ...]
    ranking: tuple[str, ...]
    metrics: dict[str, float]
    failure: str | None
    total: Times
    encoding: Times | None

    @property
    def search(self) -> Times | None:
        """Time without the query encoder; None if not measured."""
        return self.total - self.encoding if self.encoding else None

    def row(self) -> dict[str, Any]:
        """Return the result as a row of a table."""
        return {
            "id": self.id, "type": self.type, "question": self.question, **self.metrics,
            "failure": self.failure, "wall_ms": self.total.wall, "cpu_ms": self.total.cpu,
            "search_wall_ms": self.search.wall if self.search else None,
            "search_cpu_ms": self.search.cpu if self.search else None,
            "gold": list(self.gold), "found_at": list(self.found_at), "ranking": list(self.ranking),
        }  # fmt: skip


@dataclass(frozen=True)
class Scores:
    """Number of questions in a group, means of `METRICS`, and failures by reason."""

    questions: int
    metrics: dict[str, float]
    failures: dict[str, int]

    @classmethod
    def of(cls, results: Sequence[QuestionResult]) -> Scores:
        """Average over questions with equal weight."""
        counts = Counter(result.failure for result in results)
        metrics = {name: fmean(result.metrics[name] for result in results) for name in METRICS}
        return cls(len(results), metrics, {name: counts[name] for name in REASONS})


@dataclass(frozen=True)
class Milliseconds:
    """Mean and median time of a search."""

    mean: float
    median: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Milliseconds:
        """Summarize search times."""
        return cls(fmean(values), median(values))


@dataclass(frozen=True)
class Cost:
    """Wall-clock and CPU time of a search, with and (if measured) without the query encoder."""

    wall_ms: Milliseconds
    cpu_ms: Milliseconds
    search_wall_ms: Milliseconds | None
    search_cpu_ms: Milliseconds | None

    @classmethod
    def of(cls, results: Sequence[QuestionResult]) -> Cost:
        """Summarize the search times of questions."""
        searching = [result.search for result in results if result.search]
        return cls(
            Milliseconds.of([result.total.wall for result in results]),
            Milliseconds.of([result.total.cpu for result in results]),
            Milliseconds.of([times.wall for times in searching]) if searching else None,
            Milliseconds.of([times.cpu for times in searching]) if searching else None,
        )


@dataclass(frozen=True)
class RetrievalReport:
    """Figures of a mode on a set of questions.

    Attributes:
        depth: Chunks first requested for each question.
        moved: Number of gold spans found at another position.
        stale: Questions left out because their text or document is gone.
    """

    mode: str
    snapshot_id: str
    depth: int
    overall: Scores
    by_type: dict[str, Scores]
    cost: Cost
    results: tuple[QuestionResult, ...]
    moved: int
    stale: tuple[Stale, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return asdict(self, dict_factory=_plain)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per question: figures, times, gold and ranking."""
        with brought_by("notebook"):
            import pandas as pd

        return pd.DataFrame([result.row() for result in self.results])

    def to_markdown(self) -> str:
        """Return tables of the figures, overall and by type, and of the times."""
        cost = self.cost
        lines = [
            f"Mode `{self.mode}`, snapshot `{self.snapshot_id}`",
            "",
            f"| questions | n | {' | '.join((*METRICS, *REASONS))} |",
            f"|---|---|{'---|' * (len(METRICS) + len(REASONS))}",
            _row("all", self.overall),
            *(_row(name or "(no type)", scores) for name, scores in self.by_type.items()),
            "",
            "Milliseconds a query, mean (median): " + _ms(cost.cpu_ms, cost.wall_ms),
        ]
        if cost.search_cpu_ms and cost.search_wall_ms:
            search = _ms(cost.search_cpu_ms, cost.search_wall_ms)
            lines.append(f"Without the query encoder: {search}")
        if self.moved:
            lines.append(f"{self.moved} gold spans stand at another place than the questions say")
        if self.stale:
            gone = ", ".join(f"{stale.id} ({stale.span})" for stale in self.stale)
            lines.append(f"{len(self.stale)} questions left out, what they are about is gone: {gone}")
        return "\n".join(lines) + "\n"


def _plain(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields}


def _row(name: str, scores: Scores) -> str:
    figures = [f"{scores.metrics[metric]:.3f}" for metric in METRICS]
    figures += [str(scores.failures[reason]) for reason in REASONS]
    return f"| {name.replace('|', '/')} | {scores.questions} | {' | '.join(figures)} |"


def _ms(cpu: Milliseconds, wall: Milliseconds) -> str:
    return f"{cpu.mean:.1f} ({cpu.median:.1f}) CPU, {wall.mean:.1f} ({wall.median:.1f}) wall clock"

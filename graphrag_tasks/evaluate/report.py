"""The result of a retrieval evaluation: figures over all questions, by type, and one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from graphrag_tasks.evaluate.clock import Times
from graphrag_tasks.evaluate.failures import REASONS
from graphrag_tasks.evaluate.gold import Stale

if TYPE_CHECKING:
    import pandas as pd

METRICS = ("recall@2", "recall@5", "recall@10", "all_gold@8", "mrr@10")
"""Names of the figures, in the order they are shown; see `metrics` for what they mean."""


@dataclass(frozen=True)
class QuestionResult:
    """One question's figures.

    Attributes:
        id: The question's id.
        type: Its type.
        question: Its text.
        gold: What it needs: `path`, or `path:start-end` of a span.
        found_at: For each of these the first place that has it; None where the first ten lack it.
        ranking: What was found, best first, at most ten: `path`, or `path:start-end` of a chunk.
        metrics: Figures by name, `METRICS`.
        failure: Why the first eight places lack a gold item (see `failures`); None where they do
            not.
        total: Milliseconds of its search.
        encoding: Milliseconds of that in the query encoder; None where it was not measured.
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

    def row(self) -> dict[str, Any]:
        """Return it as one row of a table."""
        without = self.total - self.encoding if self.encoding else None
        return {
            "id": self.id, "type": self.type, "question": self.question, **self.metrics,
            "failure": self.failure, "wall_ms": self.total.wall, "cpu_ms": self.total.cpu,
            "search_wall_ms": without.wall if without else None,
            "search_cpu_ms": without.cpu if without else None,
            "gold": list(self.gold), "found_at": list(self.found_at), "ranking": list(self.ranking),
        }  # fmt: skip


@dataclass(frozen=True)
class Scores:
    """Means over a group of questions.

    Attributes:
        questions: How many there are.
        metrics: Mean of each figure of `METRICS`.
        failures: How many failed for each reason.
    """

    questions: int
    metrics: dict[str, float]
    failures: dict[str, int]

    @classmethod
    def of(cls, results: Sequence[QuestionResult]) -> Scores:
        """Average over questions; every question weighs the same."""
        counts = Counter(one.failure for one in results)
        return cls(
            len(results),
            {name: fmean(one.metrics[name] for one in results) for name in METRICS},
            {name: counts[name] for name in REASONS},
        )


@dataclass(frozen=True)
class Milliseconds:
    """Time of a search."""

    mean: float
    median: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Milliseconds:
        """Summarise the times of searches."""
        return cls(fmean(values), median(values))


@dataclass(frozen=True)
class Cost:
    """What a search costs.

    Attributes:
        wall_ms: Wall-clock time.
        cpu_ms: CPU time, over all threads of the process.
        search_wall_ms: Wall-clock time without the query encoder; None where it was not measured.
        search_cpu_ms: CPU time without the query encoder; None where it was not measured.
    """

    wall_ms: Milliseconds
    cpu_ms: Milliseconds
    search_wall_ms: Milliseconds | None
    search_cpu_ms: Milliseconds | None

    @classmethod
    def of(cls, results: Sequence[QuestionResult]) -> Cost:
        """Summarise the times of the questions' searches."""
        searching = [one.total - one.encoding for one in results if one.encoding is not None]
        return cls(
            Milliseconds.of([one.total.wall for one in results]),
            Milliseconds.of([one.total.cpu for one in results]),
            Milliseconds.of([one.wall for one in searching]) if searching else None,
            Milliseconds.of([one.cpu for one in searching]) if searching else None,
        )


@dataclass(frozen=True)
class RetrievalReport:
    """Figures of one mode on one set of questions.

    Attributes:
        mode: The mode.
        snapshot_id: The snapshot that answered.
        depth: Chunks first asked for with each question.
        overall: Means over all questions.
        by_type: Means over the questions of each type, by name.
        cost: Times of a search.
        results: Every question's own figures.
        moved: Gold spans found at another place than the file says.
        stale: Questions left out, for what they are about is gone.
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

    @classmethod
    def of(
        cls,
        results: Sequence[QuestionResult],
        *,
        mode: str,
        snapshot_id: str,
        depth: int,
        moved: int = 0,
        stale: Sequence[Stale] = (),
    ) -> RetrievalReport:
        """Average the results of at least one question."""
        types = sorted({one.type for one in results})
        groups = {name: [one for one in results if one.type == name] for name in types}
        return cls(
            mode=mode,
            snapshot_id=snapshot_id,
            depth=depth,
            overall=Scores.of(results),
            by_type={name: Scores.of(group) for name, group in groups.items()},
            cost=Cost.of(results),
            results=tuple(results),
            moved=moved,
            stale=tuple(stale),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain dicts, lists, texts and numbers: what JSON can carry."""
        return asdict(self, dict_factory=_plain)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per question: its figures, its times, what it needs and what was found."""
        import pandas as pd

        return pd.DataFrame([one.row() for one in self.results])

    def to_markdown(self) -> str:
        """Return tables of the figures, all questions first and then by type, and the times."""
        lines = [
            f"Mode `{self.mode}`, snapshot `{self.snapshot_id}`",
            "",
            f"| questions | n | {' | '.join((*METRICS, *REASONS))} |",
            f"|---|---|{'---|' * (len(METRICS) + len(REASONS))}",
            _row("all", self.overall),
            *(_row(name or "(no type)", scores) for name, scores in self.by_type.items()),
            "",
            *self._times(),
            *self._drift(),
        ]
        return "\n".join(lines) + "\n"

    def _times(self) -> list[str]:
        cost = self.cost
        lines = [f"Milliseconds a query, mean (median): {_ms(cost.cpu_ms)} CPU, "
                 f"{_ms(cost.wall_ms)} wall clock"]  # fmt: skip
        if cost.search_cpu_ms and cost.search_wall_ms:
            lines.append(f"Without the query encoder: {_ms(cost.search_cpu_ms)} CPU, "
                         f"{_ms(cost.search_wall_ms)} wall clock")  # fmt: skip
        return lines

    def _drift(self) -> list[str]:
        moved = f"{self.moved} gold spans stand at another place than the questions say"
        gone = ", ".join(f"{one.id} ({one.span})" for one in self.stale)
        left_out = f"{len(self.stale)} questions left out, what they are about is gone: {gone}"
        return [moved] * bool(self.moved) + [left_out] * bool(self.stale)


def _plain(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields}


def _row(name: str, scores: Scores) -> str:
    figures = [f"{scores.metrics[metric]:.3f}" for metric in METRICS]
    figures += [str(scores.failures[one]) for one in REASONS]
    return f"| {name.replace('|', '/')} | {scores.questions} | {' | '.join(figures)} |"


def _ms(values: Milliseconds) -> str:
    return f"{values.mean:.1f} ({values.median:.1f})"

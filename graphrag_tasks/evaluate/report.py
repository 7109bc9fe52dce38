"""The result of a retrieval evaluation: figures over all questions, by type, and one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

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
        gold_ids: Documents it needs.
        ranking: Documents found, best first; at most ten.
        metrics: Figures by name, `METRICS`.
        wall_ms: Wall-clock milliseconds of its search.
        cpu_ms: Milliseconds of CPU of its search, over all threads of the process.
    """

    id: str
    type: str
    question: str
    gold_ids: tuple[str, ...]
    ranking: tuple[str, ...]
    metrics: dict[str, float]
    wall_ms: float
    cpu_ms: float


@dataclass(frozen=True)
class Scores:
    """Means over a group of questions.

    Attributes:
        questions: How many there are.
        metrics: Mean of each figure of `METRICS`.
    """

    questions: int
    metrics: dict[str, float]

    @classmethod
    def of(cls, results: Sequence[QuestionResult]) -> Scores:
        """Average over questions; every question weighs the same."""
        return cls(
            len(results), {name: fmean(one.metrics[name] for one in results) for name in METRICS}
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
class RetrievalReport:
    """Figures of one mode on one set of questions.

    Attributes:
        mode: The mode.
        snapshot_id: The snapshot that answered.
        depth: Chunks first asked for with each question.
        overall: Means over all questions.
        by_type: Means over the questions of each type, by name.
        wall_ms: Wall-clock time of a search.
        cpu_ms: CPU time of a search, over all threads of the process.
        results: Every question's own figures.
    """

    mode: str
    snapshot_id: str
    depth: int
    overall: Scores
    by_type: dict[str, Scores]
    wall_ms: Milliseconds
    cpu_ms: Milliseconds
    results: tuple[QuestionResult, ...]

    @classmethod
    def of(
        cls, results: Sequence[QuestionResult], *, mode: str, snapshot_id: str, depth: int
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
            wall_ms=Milliseconds.of([one.wall_ms for one in results]),
            cpu_ms=Milliseconds.of([one.cpu_ms for one in results]),
            results=tuple(results),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain dicts, lists, texts and numbers: what JSON can carry."""
        return asdict(self, dict_factory=_plain)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per question: its figures, its times, what it needs and what was found."""
        import pandas as pd

        rows = [
            {"id": one.id, "type": one.type, "question": one.question, **one.metrics,
             "wall_ms": one.wall_ms, "cpu_ms": one.cpu_ms,
             "gold_ids": list(one.gold_ids), "ranking": list(one.ranking)}
            for one in self.results
        ]  # fmt: skip
        return pd.DataFrame(rows)

    def to_markdown(self) -> str:
        """Return a table of the figures, all questions first and then by type, and the times."""
        lines = [
            f"Mode `{self.mode}`, snapshot `{self.snapshot_id}`",
            "",
            f"| questions | n | {' | '.join(METRICS)} |",
            f"|---|---|{'---|' * len(METRICS)}",
            _row("all", self.overall),
            *(_row(name or "(no type)", scores) for name, scores in self.by_type.items()),
            "",
            f"Milliseconds a query, mean (median): {_times(self.cpu_ms)} CPU, "
            f"{_times(self.wall_ms)} wall clock",
        ]
        return "\n".join(lines) + "\n"


def _plain(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields}


def _row(name: str, scores: Scores) -> str:
    figures = " | ".join(f"{scores.metrics[metric]:.3f}" for metric in METRICS)
    return f"| {name.replace('|', '/')} | {scores.questions} | {figures} |"


def _times(values: Milliseconds) -> str:
    return f"{values.mean:.1f} ({values.median:.1f})"

"""The quality gate: a user's own questions, and the figures an index must reach with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.evaluate.gold import locate
from graphrag_tasks.evaluate.questions import read_questions
from graphrag_tasks.evaluate.report import METRICS
from graphrag_tasks.evaluate.retrieval import evaluate_targets
from graphrag_tasks.retrieval import Index


@dataclass(frozen=True)
class Gate:
    """What an index reached.

    Attributes:
        mode: The search mode.
        questions: Questions that were judged.
        stale: Questions left out, for the text or the document they ask about is gone.
        metrics: Mean of each figure of `report.METRICS`.
        missed: The figures below their minimum: what was reached and what was wanted.
    """

    mode: str
    questions: int
    stale: int
    metrics: dict[str, float]
    missed: dict[str, tuple[float, float]]

    @property
    def passed(self) -> bool:
        """Whether every minimum was reached."""
        return not self.missed


def gate(
    index: Index, questions: str | Path, *, minimum: Mapping[str, float], mode: str = "paper"
) -> Gate:
    """Ask a file of questions and compare the figures with what is wanted.

    Args:
        index: An opened index; its snapshot need not be the current one.
        questions: JSON lines of `Question`, with gold spans or gold documents.
        minimum: Least value of a figure, by its name in `report.METRICS`; may be empty.
        mode: Search mode.

    Raises:
        ConfigError: The file is not such JSON lines or has none, all questions are about other
            documents, or a minimum is set for a figure that there is not.
        QueryError: There is no such mode.
    """
    unknown = sorted(set(minimum) - set(METRICS))
    if unknown:
        raise ConfigError(
            f"there is no figure '{unknown[0]}'", "minimum", f"Figures: {', '.join(METRICS)}"
        )
    asked = read_questions(questions)
    if not asked:
        raise ConfigError("there are no questions to evaluate", str(questions))
    report = evaluate_targets(index, locate(asked, index.snapshot, strict=False), mode=mode)
    metrics = report.overall.metrics
    return Gate(
        mode=mode,
        questions=report.overall.questions,
        stale=len(report.stale),
        metrics=metrics,
        missed={
            name: (metrics[name], least) for name, least in minimum.items() if metrics[name] < least
        },
    )

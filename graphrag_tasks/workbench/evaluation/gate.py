"""Gate: the figures that an index must reach on a user's questions, and their storage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.retrieval import ALL_DOCUMENTS, Index, open_index
from graphrag_tasks.storage.snapshots.store import Store
from graphrag_tasks.workbench.evaluation.gold import locate
from graphrag_tasks.workbench.evaluation.questions import read_questions
from graphrag_tasks.workbench.evaluation.report import METRICS, Comparison
from graphrag_tasks.workbench.evaluation.retrieval import evaluate_targets
from graphrag_tasks.workbench.judges.evaluation import evaluate_answers
from graphrag_tasks.workbench.judges.report import PERCENT

EVALUATIONS = "evaluations"  # Folder in a store with a folder for each evaluated snapshot.


@dataclass(frozen=True)
class Gate:
    """The figures that an index reached.

    `stale` counts the questions left out because their text or document is gone; `missed` maps figures below their
    minimum to reached and required value.
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


def gate(index: Index, questions: str | Path, *, minimum: Mapping[str, float], mode: str = "paper") -> Gate:
    """Evaluate a file of `Question` lines and compare the figures with their minimum.

    `minimum` has the least value of some figures of `report.METRICS`. The index's snapshot need not be the current one.
    """
    unknown = sorted(set(minimum) - set(METRICS))
    if unknown:
        raise ConfigError(f"there is no figure '{unknown[0]}'", "minimum", f"Figures: {', '.join(METRICS)}")
    asked = read_questions(questions)
    if not asked:
        raise ConfigError("there are no questions to evaluate", str(questions))
    report = evaluate_targets(index, locate(asked, index.snapshot, strict=False), mode=mode)
    metrics = report.overall.metrics
    missed = {name: (metrics[name], least) for name, least in minimum.items()
              if metrics[name] < least}  # fmt: skip
    return Gate(mode, report.overall.questions, len(report.stale), metrics, missed)


def evaluate_store(store: str, questions: str | Path, modes: Sequence[str]) -> dict[str, Any]:
    """Evaluate the current snapshot in several modes, and store the figures.

    Passages are judged by the questions' gold, and answers without a model; modes are compared with the first. Returned
    are the snapshot's id, the folder of the figures, and the mean of each figure by mode, from 0 to 1, of passages
    (`metrics`) and of answers (`answers`).
    """
    index = open_index(store, principals=ALL_DOCUMENTS)
    gold = locate(read_questions(questions), index.snapshot)
    reports = [evaluate_targets(index, gold, mode=mode) for mode in modes]
    answers = evaluate_answers(index, gold, modes, against=modes[0])
    snapshot_id = index.snapshot.snapshot_id
    folder = Store(store).folder / EVALUATIONS / snapshot_id
    for name, data in (Comparison.of(reports, modes[0]).files() | answers.files()).items():
        folder.write_bytes(name, data)
    return {
        "snapshot_id": snapshot_id,
        "folder": folder.uri,
        "metrics": {report.mode: report.overall.metrics for report in reports},
        "answers": {
            mode: {name: one["mean"] / PERCENT for name, one in found.items() if "mean" in one}
            for mode, found in answers.to_dict()["modes"].items()
        },
    }

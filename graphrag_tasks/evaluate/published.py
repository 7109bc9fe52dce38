"""The questions of a user, asked of a published snapshot; the figures are kept in the store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphrag_tasks.evaluate.comparison import Comparison
from graphrag_tasks.evaluate.questions import read_questions
from graphrag_tasks.evaluate.retrieval import evaluate_retrieval
from graphrag_tasks.retrieval import ALL_DOCUMENTS, open_index
from graphrag_tasks.snapshots.store import Store

EVALUATIONS = "evaluations"
"""Folder of a store with a folder for each snapshot that was evaluated."""


def evaluate_store(store: str, questions: str | Path, modes: Sequence[str]) -> dict[str, Any]:
    """Ask the current snapshot in several modes, and keep the figures beside the snapshots.

    Args:
        store: Folder or URI of the store.
        questions: JSON lines of `Question`.
        modes: Search modes; the others are compared with the first.

    Returns:
        The snapshot's id, and the mean of each figure by mode.

    Raises:
        SnapshotError: Nothing is published.
        ConfigError: The questions cannot be read or are about another corpus.
        QueryError: There is no such mode.
    """
    index = open_index(store, principals=ALL_DOCUMENTS)
    asked = read_questions(questions)
    reports = [evaluate_retrieval(index, asked, mode=mode) for mode in modes]
    snapshot_id = index.snapshot.snapshot_id
    folder = Store(store).folder / EVALUATIONS / snapshot_id
    for name, data in Comparison.of(reports, modes[0]).files().items():
        folder.write_bytes(name, data)
    return {
        "snapshot_id": snapshot_id,
        "folder": folder.uri,
        "metrics": {one.mode: one.overall.metrics for one in reports},
    }

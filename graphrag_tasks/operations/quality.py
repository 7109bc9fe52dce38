"""The quality gate: a snapshot that is worse than the one before it is not published.

Measured are the triples of a sentence, how many entities are cut off or in the largest component,
how many names were merged, and, where the user has questions with known sources, how many of these
are found. What a bad night looks like in them: a parser that lost its tables (fewer triples), a
model that changed (orphans), an overrides file that went wrong (merges). In a corpus of few
sentences a single document moves them all, so there only the questions count.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graphrag_tasks.core.config import QualityConfig
from graphrag_tasks.core.errors import QualityError, SnapshotError
from graphrag_tasks.evaluate import gate as ask_questions
from graphrag_tasks.retrieval import Index
from graphrag_tasks.snapshots.manifests import Manifest
from graphrag_tasks.snapshots.store import Snapshot

log = logging.getLogger(__name__)

_ASKED = "recall@5"
_DIGITS = 4


@dataclass(frozen=True)
class _Fall:
    name: str
    before: float
    after: float
    allowed: float

    def __str__(self) -> str:
        return f"{self.name} {self.before:g} to {self.after:g} (limit {self.allowed:g})"


class QualityGate:
    """Measures a staged snapshot and compares it with the published one.

    Args:
        config: Questions and limits.
    """

    def __init__(self, config: QualityConfig) -> None:
        self._config = config

    def __call__(self, staged: Snapshot, published: Snapshot | None) -> dict[str, float]:
        """Return the figures of a staged snapshot.

        Args:
            staged: The snapshot that is to be published.
            published: The current one, if it can be read.

        Raises:
            QualityError: It fell too far, or misses a minimum; the message names each figure.
            ConfigError: The questions cannot be read.
        """
        measured = graph_figures(staged.manifest) | self._asked(staged)
        before = (published.manifest.stats.get("quality") if published else None) or {}
        if staged.manifest.stats["counts"]["sentences_kept"] < self._config.min_sentences:
            before = {name: value for name, value in before.items() if name == _ASKED}
        falls = [*self._below_minimum(measured), *self._fallen(before, measured)]
        for fall in falls:
            log.warning("quality: %s", fall)
        if falls and not self._config.allow_drop:
            raise QualityError(
                f"the new snapshot is worse: {'; '.join(map(str, falls))}",
                "publish",
                "Nothing was published. Look at the documents, or, if that is meant, run again "
                "with quality.allow_drop: the work is kept",
            )
        return measured

    def _asked(self, staged: Snapshot) -> dict[str, float]:
        config = self._config
        if config.questions is None:
            return {}
        found = ask_questions(Index(staged), config.questions, minimum={}, mode=config.mode)
        if found.stale:
            log.warning("quality: %d questions are about text that is gone", found.stale)
        return {name: round(value, _DIGITS) for name, value in found.metrics.items()}

    def _below_minimum(self, after: Mapping[str, float]) -> Iterator[_Fall]:
        least = self._config.minimum_recall
        if _ASKED in after and after[_ASKED] < least:
            yield _Fall(f"minimum of {_ASKED}", least, after[_ASKED], least)

    def _fallen(self, before: Mapping[str, float], after: Mapping[str, float]) -> Iterator[_Fall]:
        config = self._config
        limits = {
            "triples_per_sentence": -before.get("triples_per_sentence", 0.0)
            * config.max_triples_drop,
            "orphan_share": config.max_orphan_rise,
            "largest_component_share": -config.max_component_drop,
            "merge_rate": config.max_merge_rise,
            _ASKED: -config.max_recall_drop,
        }
        for name, limit in limits.items():
            if name not in before or name not in after:
                continue
            change = after[name] - before[name]
            worse = change > limit if name in _RISES else change < limit
            if worse:
                yield _Fall(name, before[name], after[name], round(before[name] + limit, _DIGITS))


_COUNTED = (
    "triples", "sentences_kept", "orphan_share", "largest_component_share", "merges_same", "names",
)  # fmt: skip
_RISES = ("orphan_share", "merge_rate")
"""Figures that are bad when they rise; the others are when they fall."""


def graph_figures(manifest: Manifest) -> dict[str, float]:
    """Return what is compared of a graph: triples a sentence read, and shares of entities.

    Args:
        manifest: Of a finished snapshot.

    Raises:
        SnapshotError: Receipts of the run lost counts.
    """
    counts = manifest.stats.get("counts", {})
    if missing := [name for name in _COUNTED if name not in counts]:
        raise SnapshotError(
            f"the run has no counts of {', '.join(missing)}",
            "publish",
            "Run again: graphrag-tasks index SOURCE --full-refresh",
        )
    return {
        "triples_per_sentence": _ratio(counts["triples"], counts["sentences_kept"]),
        "orphan_share": counts["orphan_share"],
        "largest_component_share": counts["largest_component_share"],
        "merge_rate": _ratio(counts["merges_same"], counts["names"]),
    }


def _ratio(part: float, whole: float) -> float:
    return round(part / whole, _DIGITS) if whole else 0.0

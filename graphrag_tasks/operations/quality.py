"""The quality gate: a snapshot that is worse than the one before it is not published.

It compares triples per sentence, the shares of orphans and of the largest component, merges per
name and, if the user has questions with known sources, their recall. A parser that lost its tables
shows in the triples, a changed model in the orphans, a wrong overrides file in the merges. In a
small corpus one document moves these figures, so there only the questions count.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping

from graphrag_tasks.core.config import QualityConfig
from graphrag_tasks.core.errors import QualityError, SnapshotError
from graphrag_tasks.evaluate import gate as ask_questions
from graphrag_tasks.retrieval import Index
from graphrag_tasks.snapshots.manifests import Manifest
from graphrag_tasks.snapshots.store import Snapshot

log = logging.getLogger(__name__)

_ASKED = "recall@5"
_DIGITS = 4


class QualityGate:
    """Measures a staged snapshot and compares it with the published one."""

    def __init__(self, config: QualityConfig) -> None:
        self._config = config

    def __call__(self, staged: Snapshot, published: Snapshot | None) -> dict[str, float]:
        """Return the figures of a staged snapshot.

        Raises:
            QualityError: A figure fell too far, or misses a minimum; the message names each.
            ConfigError: The questions cannot be read.
        """
        measured = graph_figures(staged.manifest) | self._asked(staged)
        before = (published.manifest.stats.get("quality") if published else None) or {}
        if staged.manifest.stats["counts"]["sentences_kept"] < self._config.min_sentences:
            before = {name: value for name, value in before.items() if name == _ASKED}
        falls = list(self._falls(before, measured))
        for fall in falls:
            log.warning("quality: %s", fall)
        if falls and not self._config.allow_drop:
            raise QualityError(
                f"the new snapshot is worse: {'; '.join(falls)}",
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

    def _falls(self, before: Mapping[str, float], after: Mapping[str, float]) -> Iterator[str]:
        config, least = self._config, self._config.minimum_recall
        if _ASKED in after and after[_ASKED] < least:
            yield _fall(f"minimum of {_ASKED}", least, after[_ASKED], least)
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
            if change > limit if name in _RISES else change < limit:
                yield _fall(name, before[name], after[name], round(before[name] + limit, _DIGITS))


def _fall(name: str, before: float, after: float, allowed: float) -> str:
    return f"{name} {before:g} to {after:g} (limit {allowed:g})"


_COUNTED = (
    "triples", "sentences_kept", "orphan_share", "largest_component_share", "merges_same", "names",
)  # fmt: skip
_RISES = ("orphan_share", "merge_rate")
"""Figures that are bad when they rise; the others are bad when they fall."""


def graph_figures(manifest: Manifest) -> dict[str, float]:
    """Return the figures of a finished snapshot's graph that the gate compares.

    Raises:
        SnapshotError: Receipts of the run lost counts.
    """
    counts = manifest.stats.get("counts", {})
    if missing := [name for name in _COUNTED if name not in counts]:
        hint = "Run again: graphrag-tasks index SOURCE --full-refresh"
        raise SnapshotError(f"the run has no counts of {', '.join(missing)}", "publish", hint)
    return {
        "triples_per_sentence": _ratio(counts["triples"], counts["sentences_kept"]),
        "orphan_share": counts["orphan_share"],
        "largest_component_share": counts["largest_component_share"],
        "merge_rate": _ratio(counts["merges_same"], counts["names"]),
    }


def _ratio(part: float, whole: float) -> float:
    return round(part / whole, _DIGITS) if whole else 0.0

"""The quality gate: a snapshot worse than its predecessor is not published.

It compares triples per sentence, the shares of orphans and of the largest component, merges per name and, for the
user's questions with known sources, recall and cited sources; for language models, the share of supported facts, and
the reasons why others are declined. Lost tables show in the triples, a changed model in the orphans, wrong overrides in
the merges, a drifting model in the declined facts. In a small corpus single documents move these figures, so there only
the questions count.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow.compute as pc

from graphrag_tasks.core.commands import command
from graphrag_tasks.core.config import QualityConfig
from graphrag_tasks.core.errors import QualityError, SnapshotError
from graphrag_tasks.retrieval import Index
from graphrag_tasks.retrieval.modes.registry import AUTO
from graphrag_tasks.storage.snapshots.manifests import Manifest
from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.workbench.evaluation import gate as ask_questions
from graphrag_tasks.workbench.judges import COVERAGE, judge_unaided

log = logging.getLogger(__name__)

_ASKED = "recall@5"
_ADOPTED, _DECLINED = "adopted_share", "declined_"
_LEAST_TOLD = 200  # Fewest facts for shares to be meaningful; a share of .5 is then certain to ± .07.
_DIGITS = 4  # Decimals of a figure, so that none differs only by rounding.


_FEWEST_SENTENCES = 200  # Sentences from which on graphs are compared: in a smaller one a document moves the figures.
_FEWEST_NAMES = 50
"""Names of the earlier graph from which on shares of them are compared: a first entity is an orphan. Chosen."""
_OF_NAMES = ("orphan_share", "largest_component_share", "merge_rate")
_MOST_TRIPLES_DROP = 0.3
"""Share of the triples per sentence that may be lost. This and the changes below were chosen: more than new
documents bring, less than a lost table or a changed model does."""
_MOST_CHANGES = {
    "orphan_share": 0.1,
    "largest_component_share": -0.2,
    "merge_rate": 0.1,
    _ADOPTED: -0.1,
    COVERAGE: -0.05,
}


@dataclass(frozen=True)
class FigureCheck:
    """A figure of a snapshot, compared with its predecessor and its limit.

    Attributes:
        before: None if the predecessor has none, or is not compared.
        limit: What `after` may not pass; None if unlimited.
        held: Whether the limit is met.
    """

    name: str
    before: float | None
    after: float
    limit: float | None
    held: bool

    def __str__(self) -> str:
        before = "" if self.before is None else f"{self.before:g} to "
        return f"{self.name} {before}{self.after:g} (limit {self.limit:g})"


class QualityGate:
    """Measures a staged snapshot and compares it with the published one."""

    def __init__(self, config: QualityConfig) -> None:
        self._config = config

    def __call__(self, staged: Snapshot, published: Snapshot | None) -> dict[str, float]:
        """Return the figures of a staged snapshot."""
        measured = {**graph_figures(staged.manifest), **model_figures(staged), **self._asked(staged)}
        before = published.manifest if published else None
        found = verdicts(measured, staged.manifest, before, self._config)
        falls = [str(verdict) for verdict in found if not verdict.held]
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
        index = Index(staged)
        found = ask_questions(index, config.questions, minimum={}, mode=AUTO)
        if found.stale:
            log.warning("quality: %d questions are about text that is gone", found.stale)
        figures = found.metrics
        if config.answers:
            figures = figures | judge_unaided(index, config.questions, AUTO)
        return {name: round(value, _DIGITS) for name, value in figures.items()}


def verdicts(
    measured: Mapping[str, float], of: Manifest, before: Manifest | None, config: QualityConfig
) -> list[FigureCheck]:
    """Return the gate's verdict on each figure of a snapshot.

    `of` is the snapshot's manifest, and `before` its predecessor's.
    """
    earlier = before.stats.get("quality", {}) if before else {}
    if before and before.stats.get("counts", {}).get("names", 0) < _FEWEST_NAMES:
        earlier = {name: value for name, value in earlier.items() if name not in _OF_NAMES}
    if of.stats["counts"]["sentences_kept"] < _FEWEST_SENTENCES:
        earlier = {name: value for name, value in earlier.items() if name in (_ASKED, COVERAGE)}
    return [_verdict(name, earlier.get(name), value, config) for name, value in measured.items()]


def _verdict(name: str, before: float | None, after: float, config: QualityConfig) -> FigureCheck:
    changes = {**_MOST_CHANGES, _ASKED: -config.max_recall_drop}
    if before is not None:
        changes["triples_per_sentence"] = -before * _MOST_TRIPLES_DROP
    if before is None or name not in changes:
        return FigureCheck(name, before, after, None, True)
    limit = round(before + changes[name], _DIGITS)
    return FigureCheck(name, before, after, limit, after <= limit if name in _RISES else after >= limit)


_COUNTED = (
    "triples", "sentences_kept", "orphan_share", "largest_component_share", "merges_same", "names",
)  # fmt: skip
_RISES = ("orphan_share", "merge_rate")  # Figures for which higher is worse.


def graph_figures(manifest: Manifest) -> dict[str, float]:
    """Return the figures of a snapshot's graph that the gate compares."""
    counts = manifest.stats.get("counts", {})
    if missing := [name for name in _COUNTED if name not in counts]:
        hint = f"Run again: {command('index', '--full-refresh')}"
        raise SnapshotError(f"the run has no counts of {', '.join(missing)}", "publish", hint)
    return {
        "triples_per_sentence": _ratio(counts["triples"], counts["sentences_kept"]),
        "orphan_share": counts["orphan_share"],
        "largest_component_share": counts["largest_component_share"],
        "merge_rate": _ratio(counts["merges_same"], counts["names"]),
    }


def model_figures(snapshot: Snapshot) -> dict[str, float]:
    """Return the share of adopted model facts, and of each reason to decline one.

    They cover all documents of the snapshot, whatever the run read; empty for few facts.
    """
    told = pc.sum(snapshot.table("answers", ["told"])["told"]).as_py() or 0
    if told < _LEAST_TOLD:
        return {}
    reasons = Counter(snapshot.table("declined", ["reason"])["reason"].to_pylist())
    adopted = _ratio(told - reasons.total(), told)
    shares = {f"{_DECLINED}{name}": _ratio(count, told) for name, count in reasons.items()}
    return {_ADOPTED: adopted, **dict(sorted(shares.items()))}


def _ratio(part: float, whole: float) -> float:
    return round(part / whole, _DIGITS) if whole else 0.0

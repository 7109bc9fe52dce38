"""Entity resolution measured on labelled pairs of names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.language.names import entity_key
from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.workbench.evaluation.questions import read_values


class LabelledPair(BaseModel):
    """Two names of a corpus, and whether they are one thing."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    left: str
    right: str
    same: bool
    corpus: str
    split: str


@dataclass(frozen=True)
class PairReport:
    """How a snapshot's entities agree with labelled pairs.

    Attributes:
        pairs: Pairs both of whose names the snapshot has.
        absent: Pairs of which it lacks a name: not judged.
        precision: Share of merged pairs that are one thing; None where none is merged.
        recall: Share of pairs that are one thing that are merged.
        apart: Share of pairs that are two things that are kept apart.
        wrong: Pairs merged that are two things.
        missed: Pairs kept apart that are one thing.
    """

    pairs: int
    absent: int
    precision: float | None
    recall: float | None
    apart: float | None
    wrong: list[tuple[str, str]]
    missed: list[tuple[str, str]]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return asdict(self)


def evaluate_entities(
    gold: str | Path, snapshot: Snapshot, *, corpus: str | None = None, split: str | None = None
) -> PairReport:
    """Compare the entities of a snapshot with labelled pairs of names.

    Args:
        gold: JSON lines of `LabelledPair`.
        snapshot: What to judge.
        corpus: Only pairs of this corpus.
        split: Only pairs of this split.
    """
    pairs = [
        pair
        for _, pair in read_values(gold, LabelledPair)
        if corpus in (None, pair.corpus) and split in (None, pair.split)
    ]
    if not pairs:
        raise ConfigError(f"no pair of corpus {corpus} and split {split}", str(gold))
    resolved = snapshot.table("resolved", ["key", "entity_id"])
    entity_of = dict(zip(resolved["key"].to_pylist(), resolved["entity_id"].to_pylist(), strict=True))
    return report_of(pairs, entity_of)


def report_of(pairs: Iterable[LabelledPair], entity_of: dict[str, str]) -> PairReport:
    """Judge the entities of names, by their keys."""
    right: list[tuple[str, str]] = []
    wrong: list[tuple[str, str]] = []
    missed: list[tuple[str, str]] = []
    apart = absent = 0
    for pair in pairs:
        names = pair.left, pair.right
        left, other = (entity_of.get(entity_key(name)) for name in names)
        if left is None or other is None:
            absent += 1
        elif left == other:
            (right if pair.same else wrong).append(names)
        elif pair.same:
            missed.append(names)
        else:
            apart += 1
    return PairReport(
        pairs=len(right) + len(wrong) + len(missed) + apart,
        absent=absent,
        precision=_share(len(right), len(right) + len(wrong)),
        recall=_share(len(right), len(right) + len(missed)),
        apart=_share(apart, apart + len(wrong)),
        wrong=wrong,
        missed=missed,
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None

"""Confidence of what CaRB does not show: commands, examples, patterns in lines.

Their share of right triples on labelled technical sentences is what is learned, one number for
each rule. There are few triples of a rule, so its share is drawn towards what was known before:
towards the mean that its other features give, or the constant that a pattern was given by hand.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.scoring.triple_gold import read_gold
from benchmarks.scoring.triples import evaluate_triples
from graphrag_tasks.core.config import Config
from graphrag_tasks.extract.linear.names import CONFIDENCE

HELD_OUT = frozenset({"held", "test"})
"""Splits that nothing is learned from."""
STRENGTH = 5
"""Triples that what was known before counts as."""


class Judged(NamedTuple):
    """One triple of a labelled sentence: its rule, its confidence, and whether it is right."""

    split: str
    rule: str
    confidence: float
    right: bool


def read_judged(gold: Path, sources: Path) -> list[Judged]:
    """Extract from the documents of all labelled sentences that are not held out, and judge."""
    splits = {one.id: one.split for one in read_gold(gold) if one.split not in HELD_OUT}
    report = evaluate_triples(
        gold, str(sources), config=Config(), split=tuple(set(splits.values()))
    )
    return [
        Judged(splits[one.id], found.rule, found.confidence, right)
        for one in report.judged
        for found, right in zip(one.found, one.right, strict=True)
    ]


def shares(judged: Sequence[Judged], prior: Mapping[str, float]) -> dict[str, float]:
    """Return the share of right triples of each rule that has a prior, drawn towards it."""
    return {
        rule: round((right + STRENGTH * prior[rule]) / (number + STRENGTH), 3)
        for rule, (right, number) in _counts(judged).items()
        if rule in prior
    }


def offsets(
    judged: Sequence[Judged], weights: Mapping[str, float], fitted: Iterable[str]
) -> dict[str, float]:
    """Return a weight "rule X" for each rule of the parse that was not fitted.

    It moves the mean confidence of the rule's triples to their share of right ones.

    Args:
        judged: Judged triples; their confidences include the weights.
        weights: The weights they were extracted with.
        fitted: Rules whose weights stay, and patterns, which have none.
    """
    found = {}
    kept = set(fitted)
    for rule, (right, number) in _counts(judged).items():
        if rule in kept:
            continue
        name = f"rule {rule}"
        odds = [
            _odds(one.confidence) - weights.get(name, 0.0) for one in judged if one.rule == rule
        ]
        before = sum(map(_logistic, odds)) / number
        share = (right + STRENGTH * before) / (number + STRENGTH)
        found[name] = round(_shift(odds, share), 3)
    return found


def calibrated(
    judged: Sequence[Judged],
    before: Mapping[str, float],
    weights: Mapping[str, float],
    patterns: Mapping[str, float],
) -> list[Judged]:
    """Return triples with the confidences that other weights give.

    Args:
        judged: Triples with the confidences that `before` gives.
        before: Weights of features.
        weights: Those weights, with others for rules.
        patterns: Confidence by pattern; one without an entry keeps what it has.
    """
    moved = []
    for one in judged:
        name = f"rule {one.rule}"
        offset = weights.get(name, 0.0) - before.get(name, 0.0)
        known = patterns.get(one.rule)
        confidence = _logistic(_odds(one.confidence) + offset) if known is None else known
        moved.append(one._replace(confidence=confidence))
    return moved


def priors() -> dict[str, float]:
    """Return the confidence of each pattern as it was set by hand."""
    return {rule.value: share for rule, share in CONFIDENCE.items()}


def _counts(judged: Iterable[Judged]) -> dict[str, tuple[int, int]]:
    by_rule: dict[str, list[bool]] = defaultdict(list)
    for one in judged:
        by_rule[one.rule].append(one.right)
    return {rule: (sum(ones), len(ones)) for rule, ones in sorted(by_rule.items())}


def _shift(odds: Sequence[float], share: float) -> float:
    """Return what to add to log-odds so that their mean probability is a share, by bisection."""
    low, high = -10.0, 10.0
    for _ in range(40):
        middle = (low + high) / 2
        mean = sum(_logistic(one + middle) for one in odds) / len(odds)
        low, high = (middle, high) if mean < share else (low, middle)
    return (low + high) / 2


def _odds(probability: float) -> float:
    bounded = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(bounded / (1 - bounded))


def _logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))

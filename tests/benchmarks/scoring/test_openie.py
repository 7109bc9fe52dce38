"""CaRB's matching, worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.scoring.openie import OpenTuple, read_gold, score


def make(text: str, confidence: float = 1.0) -> OpenTuple:
    """Return the tuple of "predicate|argument|argument"."""
    predicate, *arguments = text.split("|")
    return OpenTuple(predicate, tuple(arguments), confidence)


def test_the_best_threshold_is_reported() -> None:
    gold = {"s": [make("reads|It|KONV")], "t": [make("runs|It|here")]}
    report = score(gold, {"s": [make("reads|It|KONV", 0.9), make("x|y|z", 0.2)]})
    assert (report.precision, report.recall, report.threshold) == (1, 0.5, 0.9)
    assert report.f1 == pytest.approx(2 / 3)
    assert report.auc == pytest.approx(0.5)
    assert (report.sentences, report.gold, report.predicted) == (2, 2, 2)


def test_both_gold_forms_say_the_same(tmp_path: Path) -> None:
    tsv, jsonl = tmp_path / "gold.tsv", tmp_path / "gold.jsonl"
    tsv.write_text("It reads KONV . \treads\tIt\t KONV \tC: SAP said\n\n")
    jsonl.write_text(
        '{"sentence": "It reads KONV . ", "predicate": "reads", "args": ["It", " KONV ", "C: SAP said"]}\n'
    )
    assert read_gold(tsv) == read_gold(jsonl) == {"It reads KONV .": [make("reads|It|KONV")]}

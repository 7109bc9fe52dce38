"""CaRB's matching, worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.scoring.openie import (
    OpenTuple,
    assign,
    match,
    read_gold,
    score,
    tuples_of_rows,
)
from graphrag_tasks.core.errors import ConfigError


def make(text: str, confidence: float = 1.0) -> OpenTuple:
    """Return the tuple of "predicate|argument|argument"."""
    predicate, *arguments = text.split("|")
    return OpenTuple(predicate, tuple(arguments), confidence)


MATCHES = {
    "equal": ("reads|It|KONV", "reads|It|KONV", (1, 1)),
    "longer prediction": ("reads|It|KONV", "reads|It|table KONV", (3 / 4, 1)),
    "further arguments are one slot": ("moved|It|KONV|to disk", "moved|It|KONV to|disk", (1, 1)),
    "a word counts once": ("reads|It|KONV", "reads|It|KONV KONV", (3 / 4, 1)),
    "words count in their slot only": ("reads|It|KONV", "reads|KONV|It", (1 / 3, 1 / 3)),
    "no word of the predicate": ("reads|It|KONV", "stores|It|KONV", (0, 0)),
    "case matters": ("reads|It|KONV", "Reads|It|KONV", (0, 0)),
    "'be' is any of its forms": ("is|KONV|a table", "be|KONV|a table", (1, 1)),
    "another form of 'be' is not": ("is|KONV|a table", "was|KONV|a table", (0, 0)),
    "a slot too few": ("reads|It|KONV", "reads|It", (0, 0)),
    "a gold tuple of one argument": ("runs|It", "runs|It|here", (1, 1)),
    "speech turns round": ("said|that it runs|SAP", "said|SAP|that it runs", (1, 1)),
}


@pytest.mark.parametrize(("gold", "predicted", "expected"), MATCHES.values(), ids=MATCHES.keys())
def test_match(gold: str, predicted: str, expected: tuple[float, float]) -> None:
    assert match(make(gold), make(predicted)) == pytest.approx(expected)


words = st.lists(st.sampled_from(["is", "a", "b", "said"]), min_size=1, max_size=4)
"""Without "be": in CaRB, "be is" matches "is" twice."""

tuples = st.builds(
    lambda predicate, arguments: OpenTuple(" ".join(predicate), tuple(map(" ".join, arguments))),
    words,
    st.lists(words, max_size=4),
)


@given(tuples, tuples)
def test_a_match_is_a_share_of_words(gold: OpenTuple, predicted: OpenTuple) -> None:
    precision, recall = match(gold, predicted)
    assert 0 <= precision <= 1
    assert 0 <= recall <= 1
    assert match(gold, gold) == (1, 1)


def test_assignment_is_greedy_by_precision_and_one_to_one() -> None:
    assert assign([[(0.5, 0.0), (0.9, 0.0)], [(0.4, 0.0), (0.8, 0.0)]]) == {1: 0, 0: 1}
    assert assign([[(0.0, 0.0), (0.0, 0.0)]]) == {0: 0}
    assert assign([[]]) == {}


def test_precision_is_one_to_one_and_recall_is_not() -> None:
    gold = {"s": [make("reads|It|KONV"), make("reads|It|BSEG")]}
    both = score(gold, {"s": [make("reads|It|KONV BSEG")]})
    assert (both.precision, both.recall) == pytest.approx((3 / 4, 1))
    twice = score(gold, {"s": [make("reads|It|KONV")] * 3})
    assert twice.precision == pytest.approx((1 + 2 / 3 + 0) / 3)


def test_the_best_threshold_is_reported() -> None:
    gold = {"s": [make("reads|It|KONV")], "t": [make("runs|It|here")]}
    report = score(gold, {"s": [make("reads|It|KONV", 0.9), make("x|y|z", 0.2)]})
    assert (report.precision, report.recall, report.threshold) == (1, 0.5, 0.9)
    assert report.f1 == pytest.approx(2 / 3)
    assert report.auc == pytest.approx(0.5)
    assert (report.sentences, report.gold, report.predicted) == (2, 2, 2)


def test_sentences_meet_without_spaces_and_punctuation() -> None:
    gold = {"It reads ( KONV ) .": [make("reads|It|KONV")]}
    assert score(gold, {"It reads -LRB- KONV -RRB-.": [make("reads|It|KONV")]}).f1 == 1


def test_nothing_predicted_scores_nothing() -> None:
    report = score({"s": [make("reads|It|KONV")]}, {})
    assert (report.precision, report.recall, report.f1, report.auc) == (0, 0, 0, 0)


def test_both_gold_forms_say_the_same(tmp_path: Path) -> None:
    tsv, jsonl = tmp_path / "gold.tsv", tmp_path / "gold.jsonl"
    tsv.write_text("It reads KONV . \treads\tIt\t KONV \tC: SAP said\n\n")
    jsonl.write_text(
        '{"sentence": "It reads KONV . ", "predicate": "reads",'
        ' "args": ["It", " KONV ", "C: SAP said"]}\n'
    )
    assert read_gold(tsv) == read_gold(jsonl) == {"It reads KONV .": [make("reads|It|KONV")]}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("gold.tsv", "no tabs\n", "gold.tsv, line 1: is not sentence, predicate"),
        ("gold.jsonl", '{"sentence": "s", "predicate": "p"}\n', "line 1: args: Field required"),
        ("absent.jsonl", None, "is not readable"),
    ],
)
def test_faulty_gold_is_named(tmp_path: Path, name: str, text: str | None, said: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError, match=said):
        read_gold(tmp_path / name)


def test_rows_become_predictions() -> None:
    (one,) = tuples_of_rows(["It reads\t0.7500\treads\tIt\tKONV\tfrom disk"])["It reads"]
    assert one == make("reads|It|KONV|from disk", 0.75)

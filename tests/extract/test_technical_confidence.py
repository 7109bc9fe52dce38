"""Calibration of the rules that CaRB does not show, on judged triples."""

import pytest

from benchmarks.training.technical import STRENGTH, Judged, calibrated, offsets, priors, shares
from graphrag_tasks.extract.dependency.confidence import load_weights
from graphrag_tasks.extract.frames import Span
from graphrag_tasks.extract.linear.names import CONFIDENCE, LinearRule, pair


def judged(rule: str, confidence: float, *right: bool) -> list[Judged]:
    return [Judged("dev", rule, confidence, one) for one in right]


def test_a_share_is_drawn_towards_what_was_known() -> None:
    found = judged("alias", 0.9, True, True, False) + judged("svo", 0.5, True)
    assert shares(found, {"alias": 0.9, "label": 0.6}) == {
        "alias": pytest.approx((2 + STRENGTH * 0.9) / (3 + STRENGTH), abs=0.001)
    }


def test_an_offset_moves_the_mean_to_the_share_and_keeps_the_order() -> None:
    found = [*judged("imperative", 0.8, *[True, False] * 200), *judged("imperative", 0.4, False),
             *judged("svo", 0.5, True)]  # fmt: skip
    learned = offsets(found, {"rule imperative": 0.7}, fitted={"svo"})
    assert list(learned) == ["rule imperative"]
    moved = calibrated(found, {"rule imperative": 0.7}, learned, {"svo": 0.25})
    confidences = [one.confidence for one in moved]
    assert sum(confidences[:-1]) / (len(found) - 1) == pytest.approx(0.5, abs=0.01)
    assert confidences[0] > confidences[400]
    assert confidences[-1] == 0.25


def test_what_was_learned_goes_before_what_was_set_by_hand() -> None:
    names = Span("A b", 0, 3), Span("c d", 5, 8)
    for rule in LinearRule:
        expected = load_weights().patterns.get(rule.value, CONFIDENCE[rule])
        assert pair(rule, names[0], "be", names[1]).confidence == expected
    assert priors()[LinearRule.ALIAS.value] == CONFIDENCE[LinearRule.ALIAS]

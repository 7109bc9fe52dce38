"""The arithmetic of judged answers, by examples that can be reckoned by hand."""

import math

import pytest

from graphrag_tasks.workbench.evaluation.gold import share_interval
from graphrag_tasks.workbench.judges import AnswersReport
from graphrag_tasks.workbench.judges.report import JudgedMode
from graphrag_tasks.workbench.judges.verdicts import ALIGNMENT, Verdicts


@pytest.mark.parametrize(("half", "whole", "expected"), [(1000, 2040, 50.80), (1, 3291, 65.83), (1, 3093, 61.87)])
def test_alignment_is_half_of_the_partly_and_all_of_the_same(half: int, whole: int, expected: float) -> None:
    """The figures of Min et al., table 2, from shares of 5,000 answers that come to them."""
    classes = [0.5] * half + [1.0] * whole + [0.0] * (5000 - half - whole)
    mode = JudgedMode("auto", (), {ALIGNMENT: [Verdicts(ALIGNMENT, (one,)) for one in classes]})
    found = AnswersReport("m", "s", (mode,)).to_dict()["modes"]["auto"][ALIGNMENT]
    assert round(found["mean"], 2) == expected
    assert found["low"] < expected < found["high"]


def test_a_shares_interval_holds_at_the_ends_too() -> None:
    low, high = share_interval(2, 2)
    assert high == 1
    assert 0.3 < low < 0.4
    low, high = share_interval(50, 100)
    assert math.isclose(low, 0.4038, abs_tol=1e-3)
    assert math.isclose(high, 0.5962, abs_tol=1e-3)
    with pytest.raises(ValueError, match="nothing"):
        share_interval(0, 0)

"""The measures of parsing against their definitions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.scoring.parse_metrics import (
    bag_f1,
    common_length,
    heading_key,
    in_order_f1,
    precision_recall,
    similarity,
    words,
)


def quadratic(left: str, right: str) -> int:
    """Length of the longest common subsequence by the textbook table."""
    above = [0] * (len(right) + 1)
    for one in left:
        row = [0]
        for place, other in enumerate(right):
            row.append(above[place] + 1 if one == other else max(row[place], above[place + 1]))
        above = row
    return above[-1]


@given(st.text("abcd", max_size=90), st.text("abcd", max_size=90))
def test_longest_common_subsequence(left: str, right: str) -> None:
    assert common_length(left, right) == quadratic(left, right) == common_length(right, left)


def test_order_counts_in_sequences_only() -> None:
    found, wanted = ["c", "a", "b"], ["a", "b", "c", "d"]
    assert bag_f1(found, wanted) == pytest.approx(6 / 7)
    assert in_order_f1(found, wanted) == pytest.approx(4 / 7)


def test_bags_count_repetitions() -> None:
    assert bag_f1(["a", "a", "a"], ["a"]) == pytest.approx(0.5)
    assert precision_recall(["a", "a", "x"], ["a", "b"]) == (pytest.approx(1 / 3), 0.5)


def test_nothing_on_both_sides_is_undefined() -> None:
    assert bag_f1([], []) is None
    assert in_order_f1([], []) is None
    assert similarity(" ", "") is None
    assert precision_recall([], ["a"]) == (None, 0.0)
    assert precision_recall(["a"], []) == (0.0, None)
    assert bag_f1([], ["a"]) == 0.0


def test_words_leave_signs_and_forms_out() -> None:
    assert words("The ﬁle\u00ad's name_part: Straße 12,5") == [
        *("the", "file", "s", "name", "part", "strasse", "12", "5")
    ]


def test_similarity_sees_characters_not_spaces_or_quotes() -> None:
    assert similarity("a “b” ,\n c", 'a "b", c') == 1.0
    assert similarity("abcd", "abxd") == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("printed", "bookmark"),
    [
        ("1.1. Scope", "Scope"),
        ("Chapter 2 Files", "2 Files"),
        ("Appendix A Reporting Bugs", "Reporting Bugs"),
        ("A.3 How to up-\nload", "How to upload"),
        ("2024", "2024"),
    ],
)
def test_headings_meet_their_bookmarks(printed: str, bookmark: str) -> None:
    assert heading_key(printed) == heading_key(bookmark) != ""


def test_a_word_before_a_heading_is_no_number() -> None:
    assert heading_key("A manual") == "amanual"

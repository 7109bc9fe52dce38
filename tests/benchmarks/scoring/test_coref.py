"""GAP's scores, its files, and that the names only judge what was chosen."""

from pathlib import Path

import pytest

from benchmarks.scoring.coref import (
    GapExample,
    GapPrediction,
    Name,
    gap_lines,
    predict_gap,
    read_gap,
    score_gap,
)
from graphrag_tasks.core.errors import ConfigError

HEADER = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n"
TEXT = "Anna Berg met Clara Dahl in Oslo. She later moved to Rome."
ROW = (
    f"t-1\t{TEXT}\tShe\t34\tAnna Berg\t0\tTRUE\tClara Dahl\t14\tFALSE\t"
    "http://en.wikipedia.org/wiki/Anna_Berg_(painter)\n"
)


def example(id_: str, pronoun: str, a: bool, b: bool) -> GapExample:
    gender = "feminine" if pronoun == "she" else "masculine"
    return GapExample(id_, "", pronoun, 0, gender, Name("A", 0, a), Name("B", 2, b), "")


def test_scores_are_over_both_decisions_of_each_example() -> None:
    examples = [
        example("1", "he", True, False),
        example("2", "he", False, True),
        example("3", "she", True, False),
        example("4", "she", False, False),
    ]
    said = [
        GapPrediction("1", True, False),
        GapPrediction("2", True, False),
        GapPrediction("3", True, False),
        GapPrediction("4", False, True),
    ]
    report = score_gap(examples, said)
    assert (report.precision, report.recall) == pytest.approx((2 / 4, 2 / 3))
    assert report.f1 == pytest.approx(4 / 7)
    assert (report.masculine_f1, report.feminine_f1) == pytest.approx((2 / 4, 2 / 3))
    assert report.bias == pytest.approx(4 / 3)


def test_every_example_needs_a_prediction() -> None:
    with pytest.raises(ConfigError, match="first one 1"):
        score_gap([example("1", "he", True, False)], [])
    with pytest.raises(ConfigError, match="no examples"):
        score_gap([], [])


def test_a_file_is_read_and_its_title_is_the_pages(tmp_path: Path) -> None:
    file = tmp_path / "gap.tsv"
    file.write_text(HEADER + ROW, "utf-8")
    [one] = read_gap(file)
    assert (one.title, one.gender, one.a.is_antecedent) == ("Anna Berg (painter)", "feminine", True)
    assert one.text[one.offset :].startswith(one.pronoun)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not GAP's form"),
        ("ID\tText\n1\tx\n", "no Pronoun"),
        (HEADER + ROW.replace("\t34\t", "\tx\t"), "row 1"),
        (HEADER + ROW.replace("\t14\t", "\t-1\t"), "B-offset"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "gap.tsv"
    file.write_text(content, "utf-8")
    with pytest.raises(ConfigError, match=message):
        read_gap(file)


def test_an_absent_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_gap(tmp_path / "none.tsv")


def test_the_names_do_not_change_what_is_chosen(tmp_path: Path) -> None:
    file = tmp_path / "gap.tsv"
    swapped = ROW.replace("t-1", "t-2").replace(
        "Anna Berg\t0\tTRUE\tClara Dahl\t14\tFALSE", "Clara Dahl\t14\tTRUE\tAnna Berg\t0\tFALSE"
    )
    file.write_text(HEADER + ROW + swapped, "utf-8")
    assert gap_lines(predict_gap(read_gap(file))) == ["t-1\tTRUE\tFALSE", "t-2\tFALSE\tTRUE"]

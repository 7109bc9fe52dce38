"""Texts of a file that are in none of its blocks."""

from __future__ import annotations

from graphrag_tasks.parse.blocks import Block
from graphrag_tasks.parse.completeness import FileText, with_missing


def texts_of(blocks: list[str], *texts: list[str]) -> list[str]:
    found = with_missing([Block("paragraph", text) for text in blocks], map(FileText, texts))
    return [block.text for block in found]


def test_a_missing_text_stands_behind_the_text_before_it() -> None:
    assert texts_of(["one", "three"], ["one"], ["two"], ["three"]) == ["one", "two", "three"]
    assert texts_of(["two"], ["one"], ["two"]) == ["one", "two"]


def test_blank_space_and_signs_do_not_count() -> None:
    assert texts_of(["a-b: c"], ["a", "b"], [" c "], ["..."]) == ["a-b: c"]


def test_only_the_missing_runs_of_a_text_are_added() -> None:
    assert texts_of(["It was sold."], ["It was ", "not ", "sold."]) == ["It was sold.", "not"]

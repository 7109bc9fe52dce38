"""Sentences whose verb the model takes for a noun, and what is read instead."""

import pytest

from graphrag_tasks.extract.dependency.extractor import DependencyExtractor
from graphrag_tasks.extract.reading import ProseLine, read_lines
from graphrag_tasks.extract.triples import derive_triples


def triples(text: str) -> list[str]:
    (frames,) = read_lines([ProseLine(text)], DependencyExtractor())
    found = [one for frame in frames for one in derive_triples(frame)]
    for one in found:
        assert text[one.head_start : one.head_end] == one.head
    return [f"{one.head} | {one.relation} | {one.tail}" for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Insert the following code into the artifact and activate.", "code | insert into | artifact"),
        ("Grant authorizations to users right away.", "authorizations | grant to | users"),
        ("This section explores released classes.", "section | explore | released classes"),
        ("Audit Log: Stores information on changes.", "Audit Log | store | information"),
    ],
)
def test_a_misread_verb_is_read_again(text: str, expected: str) -> None:
    assert expected in triples(text)

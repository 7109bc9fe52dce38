"""Sentences whose verb the model takes for a noun, and what is read instead."""

from collections.abc import Callable

import pytest
from spacy.tokens import Doc

from graphrag_tasks.extract.dependency.extractor import DependencyExtractor
from graphrag_tasks.extract.dependency.rereading import reread, reworded
from graphrag_tasks.extract.reading import Line, read_lines
from graphrag_tasks.extract.triples import derive_triples
from graphrag_tasks.language.parser import copied


def triples(text: str) -> list[str]:
    (frames,) = read_lines([Line(text)], DependencyExtractor())
    found = [one for frame in frames for one in derive_triples(frame)]
    for one in found:
        assert text[one.head_start : one.head_end] == one.head
    return [f"{one.head} | {one.relation} | {one.tail}" for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Insert the following code into the artifact and activate.",
         "code | insert into | artifact"),
        ("Grant authorizations to users right away.", "authorizations | grant to | users"),
        ("This section explores released classes.", "section | explore | released classes"),
        ("Audit Log: Stores information on changes.", "Audit Log | store | information"),
    ],
)  # fmt: skip
def test_a_misread_verb_is_read_again(text: str, expected: str) -> None:
    assert expected in triples(text)


REWORDED = {
    "a command": ("Grant/NNP/compound/1 rights/NNS/ROOT/1 to/IN/prep/1 users/NNS/pobj/2",
                  "You must grant rights to users"),
    "a command before an article": ("Insert/NNP/ROOT/0 the/DT/det/2 code/NN/appos/0",
                                    "You must insert the code"),
    "a verb after a singular": ("This/DT/det/1 part/NN/compound/2 explores/NNS/ROOT/2 it/PRP/dep/2",
                                "This part shows it"),
    "a command that was read": ("Grant/VB/ROOT/0 the/DT/det/2 rights/NNS/dobj/0", None),
    "a noun with a verb": ("Test/NN/compound/1 cases/NNS/nsubj/2 exist/VBP/ROOT/2", None),
    "a statement of a language": ("READ/NN/compound/1 the/DT/det/2 table/NN/ROOT/2", None),
    "a noun of another": ("Update/NN/ROOT/0 of/IN/prep/0 tables/NNS/pobj/1", None),
    "a plural with its own article": ("Some/DT/det/2 status/NN/compound/2 tables/NNS/ROOT/2", None),
    "a plural that counts": ("Every/DT/det/2 two/CD/nummod/2 days/NNS/ROOT/2", None),
}  # fmt: skip


@pytest.mark.parametrize(("notation", "expected"), REWORDED.values(), ids=REWORDED)
def test_rewordings(notation: str, expected: str | None, parse: Callable[[str], Doc]) -> None:
    rewording = reworded(copied(parse(notation)))
    assert (rewording and rewording.text) == expected


def test_a_rewording_that_is_misread_too_changes_nothing(parse: Callable[[str], Doc]) -> None:
    doc = copied(parse("Grant/NNP/compound/1 rights/NNS/ROOT/1 now/RB/advmod/1"))
    rewording = reworded(doc)
    assert rewording is not None
    nouns = "You/PRP/nsubj/4 must/MD/aux/4 grant/NN/nsubj/4 rights/NNS/dobj/4 now/VB/ROOT/4"
    assert reread(doc, rewording, copied(parse(nouns))) is doc
    assert reread(doc, rewording, copied(parse("Grant/VB/ROOT/0"))) is doc

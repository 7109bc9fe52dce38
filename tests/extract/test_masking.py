"""Statements in capitals are one word for the parser, and themselves again after it."""

from collections.abc import Callable

import pytest
from spacy.tokens import Doc

from graphrag_tasks.extract.dependency.rereading import masked, unmasked
from graphrag_tasks.language.parser import copied


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("COMMIT ENTITIES triggers COMMIT WORK.", "COMMIT_ENTITIES triggers COMMIT_WORK."),
        ("the ORDER BY clause", "the ORDER_BY clause"),
        ("SAP HANA and SAP BTP", "SAP HANA and SAP BTP"),
        ("%key is a component of %tky", "Xkey is a component of Xtky"),
        ("90% are done", "90% are done"),
        ("DO NOT DELETE", "DO NOT DELETE"),
    ],
)
def test_masked(text: str, expected: str) -> None:
    assert masked(text) == expected
    assert len(masked(text)) == len(text)


def test_unmasked(parse: Callable[[str], Doc]) -> None:
    text = "The ORDER BY clause sorts"
    doc = copied(parse("The/DT/det/2 ORDER_BY/RB/advmod/2 clause/NN/nsubj/3 sorts/VBZ/ROOT/3/sort"))
    words = [(token.text, token.lower_, token.pos_, token.dep_) for token in unmasked(doc, text)]
    assert words[1] == ("ORDER BY", "order by", "PROPN", "compound")
    assert words[2] == ("clause", "clause", "NOUN", "nsubj")
    assert doc.text == text

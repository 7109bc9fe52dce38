"""Names of several words are one word for the parser, and themselves again after it."""

import time
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
        ("Enter Assets:Current Assets:Cash.", "Enter Assets_Current_Assets_Cash."),
        ("Note:this at 10:30, http://A.B:80", "Note:this at 10:30, http://A.B:80"),
        ("Use File → Save As to save.", "Use File___Save_As to save."),
        ("under Edit > Preferences.", "under Edit___Preferences."),
        ("A > B holds", "A > B holds"),
        ("a row (see Section 2, “Rows”)", "a row (see_Section_2___RowsX)"),
        ("in Section 2, “Rows”.", "in Section_2___RowsX."),
        ("the “Open As Layers” command", "the “Open_As_Layers” command"),
    ],
)
def test_masked(text: str, expected: str) -> None:
    assert masked(text) == expected
    assert len(masked(text)) == len(text)


@pytest.mark.parametrize("unit", ["A/", "A A ", "A1-", "A → ", "A:A A ", "(see A ", '"A A '])
def test_names_are_found_in_long_hostile_lines(unit: str) -> None:
    started = time.process_time()
    masked(unit * (60_000 // len(unit)) + "a")
    # Less than half a second where it grows with the text, minutes where it grows with its square.
    assert time.process_time() - started < 60


def test_unmasked(parse: Callable[[str], Doc]) -> None:
    text = "The ORDER BY clause sorts"
    doc = copied(parse("The/DT/det/2 ORDER_BY/RB/advmod/2 clause/NN/nsubj/3 sorts/VBZ/ROOT/3/sort"))
    words = [(token.text, token.lower_, token.pos_, token.dep_) for token in unmasked(doc, text)]
    assert words[1] == ("ORDER BY", "order by", "PROPN", "compound")
    assert words[2] == ("clause", "clause", "NOUN", "nsubj")
    assert doc.text == text

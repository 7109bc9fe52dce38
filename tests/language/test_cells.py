"""Cells of tables: prose, names and code are told apart by their text alone."""

import pytest

from graphrag_tasks.language.cells import is_prose


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sales requirement totals record", False),
        ("Business Role Template Fiori Space Assignment", False),
        ("Checks on STRUCTURE Typing", False),
        ("v8.5.0", False),
        ("CONTINUE.", False),
        ("The error message was removed.", True),
        ("Checks whether two data objects are the same", True),
        ("Creates a global class", True),
        ("Additions are available to affect scrolling", True),
        ("Key figure that holds the open quantity of each plant for one day only", True),
        ("DATA(a) = 1. IF a = b. ... ELSE. ... ENDIF. IF a EQ b. ... ENDIF.", False),
        ("3.126.219.206, 63.177.3.125, 18.197.217.237, 1.2.3.4, 1.2.3.5, 1.2.3.6, 1.2.3.7, "
         "1.2.3.8, 1.2.3.9, 1.2.4.1, 1.2.4.2", False),
    ],
)  # fmt: skip
def test_sentences_and_long_phrases_are_prose(text: str, expected: bool) -> None:
    assert is_prose(text, "text") is expected

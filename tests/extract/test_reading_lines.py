"""Which lines are parsed, and how their places lead back to the text."""

import pytest

from graphrag_tasks.extract.reading import is_phrase, readings_of


def test_each_line_of_a_text_is_read_alone() -> None:
    text = "Orders\nNote: It reads orders."
    assert [tuple(one) for one in readings_of(text)] == [("Orders", 0), ("It reads orders.", 13)]
    assert text[13:] == "It reads orders."


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Setup of Cloud Connector", True), ("Migration (IDoc) to events", True),
     ("Sample Code", False), ("Tables such as KONV", True), ("for", False)],
)  # fmt: skip
def test_phrases_are_lines_that_relate_two_nouns(text: str, *, expected: bool) -> None:
    assert is_phrase(text) is expected

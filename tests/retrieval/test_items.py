"""Which blocks of a document are one list."""

from __future__ import annotations

from typing import Any

import pytest

from graphrag_tasks.retrieval.context.items import items_around


def document(*blocks: tuple[str, str]) -> tuple[list[dict[str, Any]], str]:
    rows, text = [], ""
    for kind, words in blocks:
        start = len(text) + 2 if text else 0
        text = f"{text}\n\n{words}" if text else words
        rows.append({"kind": kind, "text": words, "char_start": start, "char_end": len(text)})
    return rows, text


LISTS = (
    ("heading", "Levels"),
    ("paragraph", "The levels are as follows."),
    ("list_item", "error"),
    ("list_item", "warning"),
    ("paragraph", "Nothing else is logged."),
    ("paragraph", "A line has these fields:"),
    ("paragraph", "login, for example anna;"),
    ("paragraph", "password. It is hashed;"),
    ("paragraph", "the shell."),
    ("paragraph", "Each line ends at its newline."),
    ("table", "Key: a | Value: 1\nKey: b | Value: 2"),
)
LEVELS = ["error", "warning"]
FIELDS = ["login, for example anna;", "password. It is hashed;", "the shell."]
ROWS = ["Key: a | Value: 1", "Key: b | Value: 2"]


@pytest.mark.parametrize(
    ("words", "items"),
    [
        ("warning", LEVELS),
        ("as follows", LEVELS),
        ("Levels", LEVELS),
        ("Nothing else", FIELDS),
        ("these fields", FIELDS),
        ("is hashed", FIELDS),
        ("the shell", FIELDS),
        ("its newline", ROWS),
        ("Value: 2", ROWS),
    ],
)
def test_a_place_in_a_list_or_just_above_it_gives_its_items(words: str, items: list[str]) -> None:
    rows, text = document(*LISTS)
    found = items_around(rows, text.index(words))
    assert [text[span.start : span.end] for span in found] == items


def test_two_paragraphs_after_a_colon_are_no_list() -> None:
    rows, text = document(
        ("paragraph", "An example:"), ("paragraph", "It runs."), ("paragraph", "It ends.")
    )
    assert items_around(rows, text.index("An example")) == []


def test_a_place_outside_the_text_has_no_items() -> None:
    assert items_around([], 5) == []

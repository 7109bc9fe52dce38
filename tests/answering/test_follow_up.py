"""Follow-up questions without a model: what is filled in, what is left, and what is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from graphrag_tasks.answering import answer
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.retrieval import Index
from tests.answering.conftest import PAGES
from tests.retrieval.finder import Finder
from tests.retrieval.small_worlds import World

NAMES = ("table VBBS", "VBUP", "SFTP adapter", "mail adapter", "lagers", "yeast", "hops", "beer")
WORLD = replace(PAGES, entities=(*PAGES.entities, *((name, name, ()) for name in NAMES)))
IS_FOR, SFTP = "What is table VBBS for?", "How do I configure the SFTP adapter?"
LEFT, BOTH = "", "both"
Find = Callable[[str], Finder]


@pytest.mark.parametrize(
    ("before", "question", "expected"),
    [
        (IS_FOR, "Why?", BOTH),
        (IS_FOR, "And who maintains it?", "Who maintains table VBBS?"),
        (IS_FOR, "And what are its fields?", "What are table VBBS’s fields?"),
        ("What is yeast?", "When is it added there?", "When is yeast added there?"),
        ("Does the SFTP adapter need VBUP?", "Who made it?", BOTH),
        (SFTP, "Who has done that?", BOTH),
        (IS_FOR, "And who maintains that table?", BOTH),
        (IS_FOR, "Does VBUP replace it?", BOTH),
        ("How do I add yeast?", "What if they fail?", BOTH),
        (IS_FOR, "and VBUP?", "What is table VBUP for?"),
        (IS_FOR, "VBUP?", "What is table VBUP for?"),
        ("What is yeast?", "And the hops?", BOTH),
        ("Does VBBS need VBUP?", "And Windows?", BOTH),
        ("Is it in May or in June?", "And in July?", BOTH),
        (IS_FOR, "And what is VBUP for?", LEFT),
        (IS_FOR, "Is it possible to delete VBUP?", LEFT),
        (IS_FOR, "Which table is the one that replaces VBUP?", LEFT),
        (IS_FOR, "What are the main topics of this documentation?", LEFT),
        (IS_FOR, "Do we need IT?", LEFT),
        (IS_FOR, "it " * 4_000, LEFT),
        (" \n ", "Who maintains it?", LEFT),
    ],
)
def test_a_follow_up_is_asked_with_what_it_leaves_out(
    open_world: Callable[[World], Index], find: Find, before: str, question: str, expected: str
) -> None:
    find("spooler")
    reply = answer(open_world(WORLD), question, mode="dense", after=before)
    assert reply.asked_as == (f"{question} {before}" if expected == BOTH else expected)
    assert any("not clear" in note for note in reply.notes) == (expected == BOTH)


def test_the_reply_keeps_the_question_and_says_how_it_was_asked(index: Index, find: Find) -> None:
    find("spooler")
    first = answer(index, "What is the spooler?")
    assert first.asked_as == first.to_dict()["asked_as"] == "" and "Asked as" not in str(first)
    second = answer(index, "And what does it need?", after=first)
    assert second.question == "And what does it need?"
    assert second.to_dict()["asked_as"] == "What does the spooler need?"
    assert str(second).startswith("Asked as: “What does the spooler need?”\n")
    assert "Asked as: “What does the spooler need?”" in second._repr_html_()
    assert answer(index, "Why?", after=second).asked_as == "Why? What does the spooler need?"
    with pytest.raises(QueryError, match="after must be a question or a reply"):
        answer(index, "Why?", after=3)  # type: ignore[arg-type]


def test_a_question_without_names_gives_the_only_name_of_the_quoted_sentence(index: Index, find: Find) -> None:
    for word, question, expected in (
        ("5150", "What listens?", "Who made gateway?"),
        ("replaced", "What was replaced?", "Who made it? What was replaced?"),  # two names
    ):
        find(word)
        before = answer(index, question, wanted=1)
        assert answer(index, "Who made it?", after=before).asked_as == expected

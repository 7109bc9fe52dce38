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

NAMES = ("table VBBS", "VBUP", "SFTP adapter", "mail adapter", "Billing", "lagers", "yeast", "hops")
WORLD = replace(PAGES, entities=(*PAGES.entities, *((name, name, ()) for name in NAMES)))
IS_FOR, FERMENTED = "What is table VBBS for?", "How is ale fermented?"
SFTP = "How do I configure the SFTP adapter?"
Find = Callable[[str], Finder]


@pytest.fixture
def asked_as(open_world: Callable[[World], Index], find: Find) -> Callable[[str, str], str]:
    find("spooler")
    index = open_world(WORLD)
    return lambda before, question: answer(index, question, mode="dense", after=before).asked_as


def test_a_follow_up_is_asked_with_what_it_leaves_out(
    asked_as: Callable[[str, str], str],
) -> None:
    for before, question, expected in (
        (IS_FOR, "and VBUP?", "What is table VBUP for?"),
        (IS_FOR, "VBUP?", "What is table VBUP for?"),
        (IS_FOR, "Who maintains it?", "Who maintains table VBBS?"),
        (IS_FOR, "And who maintains that table?", "Who maintains table VBBS?"),
        (IS_FOR, "What about its fields?", "What about table VBBS’s fields?"),
        (IS_FOR, "Does VBUP replace it?", "Does VBUP replace table VBBS?"),
        (IS_FOR, "In 2023?", "What is table VBBS for in 2023?"),
        ("What replaced VBBS in 2022?", "And in 2023?", "What replaced VBBS in 2023?"),
        ("What is used instead of VBBS?", "And instead of VBUP?", "What is used instead of VBUP?"),
        (IS_FOR, "Why?", "Why: what is table VBBS for?"),
        (FERMENTED, "Why?", "Why is ale fermented?"),
        ("Does VBBS need VBUP?", "Since when?", "Since when does VBBS need VBUP?"),
        (FERMENTED, "What about lagers?", "How is lagers fermented?"),
        ("What does yeast do in beer?", "and hops?", "What does hops do in beer?"),
        (SFTP, "What does it cost?", "What does the SFTP adapter cost?"),
        (SFTP, "Who has done that?", f"Who has done that? {SFTP}"),
        ("What is the SFTP adapter?", "how do I start that?", "How do I start the SFTP adapter?"),
        ("What is an SFTP adapter?", "And a mail adapter?", "What is a mail adapter?"),
        ("What is Pin 16 of VBUP?", "and pin 15?", "What is pin 15 of VBUP?"),
        (SFTP, "and the mail adapter?", "How do I configure the mail adapter?"),
        (SFTP, "Which settings are used there?", "Which settings are used in the SFTP adapter?"),
        ("What is the price of VBUP?", "What about the size?", "What is the size of VBUP?"),
        ("How do VBBS and VBUP differ?", "Who reads them?", "Who reads VBBS and VBUP?"),
        ("In Billing, what is VBBS?", "Who made it?", "Who made VBBS?"),
        ("Which of them eats yeast?", "Where is it?", "Where is it? Which of them eats yeast?"),
        ("What is my received yeast?", "Is it new?", "Is it new? What is my received yeast?"),
        ("What does VBUP hold?", "Are they new?", "Are they new? What does VBUP hold?"),
        ("Who is Zephyr?", "What does he do?", "What does he do? Who is Zephyr?"),
    ):
        assert asked_as(before, question) == expected, (before, question)


def test_a_question_that_names_its_own_subject_is_left_as_it_is(
    asked_as: Callable[[str, str], str],
) -> None:
    for question in (
        "What is VBUP for?",
        "And what is VBUP for?",
        "Does VBUP fail if it is full?",
        "Does VBUP have its own index?",
        "Is it possible to delete VBUP?",
        "Which table is the one that replaces VBUP?",
        "Are there tables?",
        "What are the main topics of this documentation?",
        "List all tables",
        "Do we need IT?",
        "Was kostet es?",
    ):
        assert asked_as(IS_FOR, question) == "", question
    for before in "", " \n ":
        assert asked_as(before, "Who maintains it?") == ""


def test_what_cannot_be_filled_is_searched_with_the_question_before(
    open_world: Callable[[World], Index], find: Find
) -> None:
    find("spooler")
    reply = answer(open_world(WORLD), "What replaces it?", mode="dense", after=FERMENTED)
    assert reply.asked_as == reply.context.question == f"What replaces it? {FERMENTED}"
    assert any("not clear" in note for note in reply.notes)


def test_the_reply_keeps_the_question_and_says_how_it_was_asked(index: Index, find: Find) -> None:
    find("spooler")
    first = answer(index, "What replaced the spooler?")
    assert first.asked_as == first.to_dict()["asked_as"] == "" and "Asked as" not in str(first)
    second = answer(index, "And what does it need?", after=first)
    assert second.question == "And what does it need?"
    assert second.to_dict()["asked_as"] == "What does the spooler need?"
    assert str(second).startswith("Asked as: “What does the spooler need?”\n")
    assert "Asked as: “What does the spooler need?”" in second._repr_html_()
    third = answer(index, "Why?", after=second)
    assert third.asked_as == "Why: what does the spooler need?"


def test_a_question_without_names_gives_the_only_name_of_the_quoted_sentence(
    index: Index, find: Find
) -> None:
    find("5150")
    before = answer(index, "What listens?", wanted=1)
    assert [one.text for one in before.sentences if one.is_best] == [
        "The gateway listens on port 5150."
    ]
    assert answer(index, "Who made it?", after=before).asked_as == "Who made gateway?"
    assert answer(index, "Who made it?", after=before.question).asked_as.endswith("What listens?")
    find("replaced")  # two names
    before = answer(index, "What was replaced?", wanted=1)
    assert answer(index, "Who made it?", after=before).asked_as.endswith("What was replaced?")


def test_a_question_that_was_not_answered_still_names_its_subject(index: Index, find: Find) -> None:
    find("nothing")
    before = answer(index, "Which colour has the Zeppelin ZFI99?")
    assert before.sentences == ()
    assert answer(index, "Who flew it?", after=before).asked_as == "Who flew the Zeppelin ZFI99?"


def test_bad_follow_ups_fail_as_other_questions_do(index: Index, find: Find) -> None:
    find("spooler")
    with pytest.raises(QueryError, match=r"empty|blank"):
        answer(index, " ", after="What replaced the spooler?")
    with pytest.raises(QueryError, match="after must be a question or a reply"):
        answer(index, "Why?", after=3)  # type: ignore[arg-type]
    assert answer(index, "it " * 4_000, after="What replaced the spooler?").asked_as == ""
    asked = answer(index, "Why?", after="spooler " * 2_000).asked_as
    assert len(asked) < 2_100

"""Lists: a good sentence brings its whole group, and what was not read is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from graphrag_tasks.answering import answer
from graphrag_tasks.cli import app
from graphrag_tasks.retrieval import Index
from tests.retrieval.finder import Finder
from tests.retrieval.small_worlds import World

Find = Callable[[str], Finder]
Open = Callable[..., Index]


def listing(items: Sequence[str], lead: str = "The levels are these:") -> tuple[World, Any]:
    """Return a document with a list in it, and its blocks."""
    parts = [lead, *items]
    text = "\n\n".join(parts)
    world = World(
        documents=(("d1", "Logging policies"), ("d2", "Backup policy")),
        chunks=(("c1", "d1", text), ("c2", "d2", "Backups are kept on two sites.")),
        sentences=(
            *((f"s{place}", "c1", part) for place, part in enumerate(parts)),
            ("t1", "c2", "Backups are kept on two sites."),
        ),
    )
    blocks = [
        {"document_id": "d1", "ordinal": place, "kind": "list_item" if place else "paragraph",
         "level": None, "text": part, "char_start": text.index(part),
         "char_end": text.index(part) + len(part), "page": None, "bbox": None, "has_link": False}
        for place, part in enumerate(parts)
    ]  # fmt: skip
    return world, blocks


@pytest.mark.parametrize(
    ("question", "doubt"),
    [
        ("Which levels can a message have?", ""),
        ("Which levels can a message not have?", "without regard to “not”"),
        ("How are these levels?", ""),
    ],
)
def test_one_good_sentence_brings_its_whole_list(open_world: Open, find: Find, question: str, doubt: str) -> None:
    world, blocks = listing(["error", "warning", "notice"])
    find("levels")
    reply = answer(open_world(world, blocks=blocks), question)
    assert (reply.form, reply.verdict.state) == ("list", "uncertain" if doubt else "answered")
    assert any("without regard" in note and doubt in note for note in reply.notes) is bool(doubt)
    assert [one.text for one in reply.sentences] == ["error", "warning", "notice"]
    assert {one.numbers for one in reply.sentences} == {(1,)}
    assert reply.text.splitlines() == ["- error [1]", "- warning [1]", "- notice [1]"]


def test_a_sentence_that_names_them_all_answers_before_a_worse_list(open_world: Open, find: Find) -> None:
    world, blocks = listing(["red", "green", "blue"], lead="Colours of levels.")
    whole = "A message has the level error, warning, or notice."
    told = replace(
        world, chunks=(world.chunks[0], ("c2", "d2", whole)), sentences=(*world.sentences[:-1], ("t1", "c2", whole))
    )
    find("message")
    reply = answer(open_world(told, blocks=blocks), "Which levels can a message have?")
    assert [one.text for one in reply.sentences if one.is_best] == [whole]


def test_a_list_of_sources_is_no_answer(open_world: Open, find: Find) -> None:
    world, blocks = listing(["[1] Levels, ISBN 978-1", "[2] https://a.example/levels"])
    find("levels")
    reply = answer(open_world(world, blocks=blocks), "Which levels can a message have?")
    assert reply.form == "quotes"


def test_a_glossary_tells_the_term_that_is_asked_for_before_its_definition(open_world: Open, find: Find) -> None:
    entries = ["Wort", "Unfermented, or raw, beer.", "Trub", "Wort settles here as a sediment."]
    world, blocks = listing(entries, lead="Words of brewers.")
    find("beer")
    index = open_world(world, blocks=blocks)
    reply = answer(index, "What is wort?", wanted=1)
    assert [one.text for one in reply.sentences] == ["Wort: Unfermented, or raw, beer."]
    listed = answer(index, "Which words of brewers are there?")
    assert [one.text for one in listed.sentences] == [
        "Wort: Unfermented, or raw, beer.",
        "Trub: Wort settles here as a sediment.",
    ]


def test_the_answer_ends_with_its_list_and_the_rest_is_shown_apart(open_world: Open, find: Find) -> None:
    world, blocks = listing(["error", "warning", "notice"])
    find("e")
    reply = answer(open_world(world, blocks=blocks), "Which levels can a message have?")
    assert [one.text for one in reply.sentences] == ["error", "warning", "notice"]
    assert [one.text for one in reply.nearby] == ["Backups are kept on two sites."]
    assert reply.nearby[0].numbers == (2,)
    assert "Also near:\n- Backups" in str(reply)
    assert "[2]" not in reply._repr_html_()  # which shows nothing near
    assert [one["text"] for one in reply.to_dict()["nearby"]] == ["Backups are kept on two sites."]


def test_the_command_cites_only_what_it_prints(
    open_world: Open, find: Find, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world, blocks = listing(["error", "warning", "notice"])
    find("e")
    opened = open_world(world, blocks=blocks)
    monkeypatch.setattr("graphrag_tasks.retrieval.open_index", lambda *_, **__: opened)
    for shown, cited in ((5, True), (0, False)):
        monkeypatch.setattr("graphrag_tasks.cli.query._NEARBY", shown)
        assert app(["answer", "Which levels can a message have?"], standalone_mode=False) in (0, None)
        assert ("[2]" in capsys.readouterr().out) is cited


def test_of_a_long_list_the_items_that_share_words_with_the_question_are_kept(open_world: Open, find: Find) -> None:
    items = [f"code {number} is {'fatal' if number % 3 == 0 else 'harmless'}" for number in range(60)]
    world, blocks = listing(items)
    find("fatal")
    reply = answer(open_world(world, blocks=blocks), "Which levels are fatal?")
    shown = [one.text for one in reply.sentences]
    assert all("fatal" in text for text in shown)
    assert shown == sorted(shown, key=items.index)
    assert f"{len(shown)} of the list's 60 items: those that answer best." in reply.notes


def test_a_question_that_only_looks_like_one_for_a_list_is_answered_by_quotations(index: Index, find: Find) -> None:
    find("5150")
    reply = answer(index, "I want to know which ports the gateway listens on")
    assert reply.form == "quotes"
    assert "The gateway listens on port 5150." in [one.text for one in reply.sentences]


def test_documents_on_the_subject_that_give_no_item_are_named(open_world: Open, find: Find) -> None:
    world, blocks = listing([f"level {number}" for number in range(30)])
    find("e")
    reply = answer(open_world(world, blocks=blocks), "List the levels")
    cited = {one.citations[0].source.title for one in reply.sentences}
    assert cited == {"Logging policies"}
    assert any("not read to the end: Backup policy." in note for note in reply.notes)

"""Lists: a good sentence brings its whole group, and what was not read is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphrag_tasks.answering import answer
from graphrag_tasks.answering.lists import PLACES
from graphrag_tasks.retrieval import Index
from tests.retrieval.finder import Finder
from tests.retrieval.small_worlds import World

Find = Callable[[str], Finder]
Open = Callable[..., Index]


def listing(items: Sequence[str], lead: str = "The levels are these.") -> tuple[World, Any]:
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
         "char_end": text.index(part) + len(part), "page": None, "bbox": None, "links": None,
         "anchors": None}
        for place, part in enumerate(parts)
    ]  # fmt: skip
    return world, blocks


def test_one_good_sentence_brings_its_whole_list(open_world: Open, find: Find) -> None:
    world, blocks = listing(["error", "warning", "notice"])
    find("levels")
    reply = answer(open_world(world, blocks=blocks), "Which levels can a message have?")
    assert reply.form == "list"
    assert [one.text for one in reply.sentences[:3]] == ["error", "warning", "notice"]
    assert len({one.numbers for one in reply.sentences[:3]}) == 1
    assert reply.text.splitlines()[0] == "- error [1]"


def test_of_a_long_list_the_items_that_share_words_with_the_question_are_kept(
    open_world: Open, find: Find
) -> None:
    items = [
        f"code {number} is {'fatal' if number % 3 == 0 else 'harmless'}" for number in range(60)
    ]
    world, blocks = listing(items)
    find("levels")
    reply = answer(open_world(world, blocks=blocks), "Which levels are fatal?")
    assert len(reply.sentences) <= PLACES
    first = [one.text for one in reply.sentences if one.numbers == (1,)]
    assert all("fatal" in text for text in first)
    assert first == sorted(first, key=items.index)


def test_documents_are_listed_by_their_titles_where_they_are_asked_for(
    open_world: Open, find: Find
) -> None:
    world, blocks = listing(["error", "warning"])
    find("e")
    reply = answer(open_world(world, blocks=blocks), "Which policies exist?")
    titles = [one.citations[0].source.title for one in reply.sentences if one.numbers == (1,)]
    assert titles == ["Logging policies", "Backup policy"]

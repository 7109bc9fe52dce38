"""Questions about the corpus as a whole, without a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from graphrag_tasks.answering import answer
from graphrag_tasks.retrieval import Index
from tests.answering.conftest import PAGES
from tests.retrieval.finder import Finder
from tests.retrieval.small_worlds import World

TOPICS = replace(
    PAGES,
    mentions=(("e1", "s2"), ("e2", "s2"), ("e3", "s9")),
    communities=(("k1", 0, "Printing", "Print servers."), ("k2", 0, "Gateways", "Ports.")),
    members=(("k1", "e1"), ("k1", "e2"), ("k2", "e3")),
)
Open = Callable[[World], Index]
Find = Callable[[str], Finder]


@pytest.mark.parametrize(
    "question", ["What are the main topics of this documentation?", "Give me an overview of the documents"]
)
def test_few_documents_are_told_by_title_headings_and_a_sentence(open_world: Open, find: Find, question: str) -> None:
    find("e")
    reply = answer(open_world(TOPICS), question)
    assert reply.form == "overview"
    assert reply.verdict.state == "answered"
    assert [one.text for one in reply.sentences] == [
        "Printing (2 passages: Part): The print server replaced the spooler.",
        "Network (1 passage: Part): The gateway listens on port 5150.",
    ]
    assert [one.citations[0].source.document_id for one in reply.sentences] == ["d1", "d2"]


def test_many_documents_are_told_by_their_communities(open_world: Open, find: Find) -> None:
    find("e")
    documents = [f"d{number}" for number in range(60)]
    text = "The pump moves water to the mill."
    world = World(
        documents=tuple((one, f"Sheet {one}") for one in documents),
        chunks=tuple((f"c{one}", one, text) for one in documents),
        sentences=tuple((f"s{one}", f"c{one}", text) for one in documents),
        entities=(("e1", "pump", ()),),
        mentions=tuple(("e1", f"s{one}") for one in documents),
        communities=(("k1", 0, "Pumps", "-"),),
        members=(("k1", "e1"),),
    )
    (line,) = answer(open_world(world), "What are the main topics?").sentences
    assert line.text.startswith("Pumps (60 documents, 100%: Sheet d")
    assert line.text.endswith(f": {text}")


@pytest.mark.parametrize(
    "question",
    [
        "What does it say about the spooler?",
        "Tell me about the spooler",
        "Please give me a short overview of the spooler in these documents.",
        "Summarise the spooler",
    ],
)
def test_a_subject_is_told_by_its_sections(open_world: Open, find: Find, question: str) -> None:
    finder = find("spooler")
    world = replace(
        PAGES,
        chunks=(*PAGES.chunks[:2], ("c3", "d2", "The gateway does not support the spooler.")),
        sentences=(*PAGES.sentences[:8], ("s9", "c3", "The gateway does not support the spooler.")),
        evidence=PAGES.evidence[:1],
        mentions=PAGES.mentions[:4],
    )
    reply = answer(open_world(world), question)
    assert reply.form == "overview"
    assert reply.verdict.state == "answered"
    assert {one.text.rpartition(": ")[2] for one in reply.sentences} == {
        "The print server replaced the spooler.",
        "The gateway does not support the spooler.",
    }
    assert len(finder.asked) <= 2  # the chunks, and once their sentences


@pytest.mark.parametrize(
    "question", ["Tell me how the spooler works", "What does Anna say about the spooler?", "Tell me about it"]
)
def test_other_questions_are_quoted(index: Index, find: Find, question: str) -> None:
    find("spooler")
    assert answer(index, question).form == "quotes"

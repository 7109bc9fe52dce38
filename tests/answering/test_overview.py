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
    "question",
    ["What are the main topics of this documentation?", "Give me an overview of the documents"],
)
def test_topics_come_with_their_documents_and_shares(
    open_world: Open, find: Find, question: str
) -> None:
    find("e")
    reply = answer(open_world(TOPICS), question)
    assert reply.form == "overview"
    assert reply.verdict.state == "answered"
    assert [one.text for one in reply.sentences] == [
        "Printing: 1 document (50%), such as Printing",
        "Gateways: 1 document (50%), such as Network",
    ]
    assert [one.citations[0].source.document_id for one in reply.sentences] == ["d1", "d2"]

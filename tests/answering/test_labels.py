"""Answers of a reader with labels: no word of a document that is hidden from the reader."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag_tasks.answering import answer
from graphrag_tasks.llm import Client
from graphrag_tasks.retrieval import MODES, open_index
from tests.llm.endpoint import scripted
from tests.llm.test_client import settings
from tests.retrieval.finder import Finder
from tests.retrieval.labelled_worlds import Document, Fact, publish
from tests.retrieval.small_worlds import FakeEmbedder

SEEN = Document("s", "Guide", (Fact("the Gateway", "hold", "Ports"),), ("staff",))
HIDDEN = Document("h", "Zephyr plan", (Fact("the Gateway", "fund", "Quorum"),), ("board",))
QUESTIONS = (
    "What does the Gateway fund?", "Which plans exist?", "How many plans are there?",
    "What are the main topics of this documentation?", "List what the Gateway holds",
)  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publish(tmp_path_factory.mktemp("labels"), [SEEN, HIDDEN])


@pytest.mark.parametrize("mode", ["auto", *MODES])
def test_no_word_of_a_hidden_document_is_in_an_answer(store: Path, find: Callable[[str], Finder], mode: str) -> None:
    find("Gateway")

    def told(principals: list[str]) -> str:
        index = open_index(store, principals=principals, embedder=FakeEmbedder(), noun_phrases=lambda text: [text])
        replies = [answer(index, question, mode=mode).to_dict() for question in QUESTIONS]
        for reply in replies:  # the questions' own words
            del reply["question"], reply["verdict"], reply["context"], reply["summary"]
        return json.dumps(replies)

    assert not any(word in told(["staff"]) for word in ("Zephyr", "Quorum", "plan"))
    assert "Quorum" in told(["board"])


def test_a_follow_up_names_nothing_that_its_reader_may_not_see(store: Path, find: Callable[[str], Finder]) -> None:
    find("Quorum")
    board, staff = (
        open_index(store, principals=[one], embedder=FakeEmbedder(), noun_phrases=lambda _: [])
        for one in ("board", "staff")
    )
    before = answer(board, "What is funded?", wanted=1)
    assert "Quorum" in before.text
    follow_up = answer(staff, "Who did it?", after=before)
    assert "Quorum" not in json.dumps(follow_up.to_dict())


@pytest.mark.parametrize("mode", ["auto", "ranked", "global", "list", "path"])
def test_no_word_of_a_hidden_document_is_in_a_request(store: Path, find: Callable[[str], Finder], mode: str) -> None:
    find("Gateway")

    def sent(principals: list[str]) -> str:
        index = open_index(store, principals=principals, embedder=FakeEmbedder(), noun_phrases=lambda text: [text])
        with scripted() as endpoint:
            helped = {"plan": True, "prompt_tokens": 700}
            client = Client(settings(endpoint, answers=helped))
            for question in QUESTIONS[0], QUESTIONS[3], QUESTIONS[4]:
                answer(index, question.replace("fund", "hold"), client, mode)
            return json.dumps(endpoint.bodies)

    assert not any(word in sent(["staff"]) for word in ("Zephyr", "Quorum", "fund"))
    assert "Quorum" in sent(["board"])

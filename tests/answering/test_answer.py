"""An answer without a model: what is quoted, what it points to, and when there is none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from graphrag_tasks.answering import Reply, answer
from graphrag_tasks.retrieval import Index
from tests.answering.conftest import PAGES
from tests.retrieval.finder import Finder

Find = Callable[[str], Finder]


def quoted(reply: Reply) -> list[str]:
    return [one.text for one in reply.sentences]


def best(reply: Reply) -> list[str]:
    return [one.text for one in reply.sentences if one.is_best]


def test_the_best_sentence_is_quoted_with_its_neighbours(index: Index, find: Find) -> None:
    find("90 jobs")
    reply = answer(index, "How many jobs do the queues of the print server hold?", wanted=1)
    assert reply.verdict.state == "answered"
    assert best(reply) == ["Its queues hold 90 jobs."]
    assert quoted(reply) == ["Its queues hold 90 jobs.", "Old queues are deleted each night."]
    assert reply.text == "Its queues hold 90 jobs. Old queues are deleted each night. [1]"
    assert reply.sources() == ["[1] Printing, pages 5-6 (docs/d1.pdf)"]


def test_every_sentence_is_in_the_document_that_it_points_to(index: Index, find: Find) -> None:
    find("spooler")
    reply = answer(index, "What replaced the spooler, and what listens on port 5150?")
    texts = {chunk: text for chunk, _, text in PAGES.chunks}
    assert reply.sentences
    for sentence in reply.sentences:
        (citation,) = sentence.citations
        assert sentence.text == citation.source.text
        assert sentence.text in texts[citation.source.chunk_id]
        assert citation.source.page is not None


def test_what_no_document_holds_is_named_and_nothing_is_quoted(index: Index, find: Find) -> None:
    find("no passage has this")
    reply = answer(index, "Which colour has the Zeppelin ZFI99?")
    assert reply.verdict.state == "not in these documents"
    assert reply.verdict.unknown == ("colour", "Zeppelin", "ZFI99")
    assert reply.text == "" and reply.sentences == ()
    assert "“ZFI99” are mentioned nowhere" in str(reply)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wer gewann das Halbfinale?", "German"), ("¿Qué necesita el spooler?", "Spanish"),
        ("Quelle imprimante remplace le spooler ?", "French"), ("Что заменяет спулер?", "Russian"),
    ],
)  # fmt: skip
def test_a_question_in_another_language_is_said_to_be_and_never_denied(
    index: Index, find: Find, question: str, language: str
) -> None:
    find("nothing")
    reply = answer(index, question)
    assert (reply.verdict.state, reply.verdict.unknown) == ("uncertain", ())
    assert f"in {language}, and the documents are in English" in " ".join(reply.notes)
    assert reply.sentences


@pytest.mark.parametrize(
    "question",
    [
        "How much is the premium?", "How long does it happen?", "How many documents name it?",
        "What happens often to the premium?",
    ],
)  # fmt: skip
def test_only_what_names_something_is_mentioned_nowhere(
    index: Index, find: Find, question: str
) -> None:
    find("nothing")
    assert set(answer(index, question).verdict.unknown) <= {"premium"}


@pytest.mark.parametrize(
    "question",
    [
        "Which documents mention the gateway?", "which files contain “gateway”?",
        "In which documents is the gateway mentioned?", "Where is the gateway mentioned?",
        "List all documents that mention gateway.",
    ],
)  # fmt: skip
def test_documents_that_mention_a_name_are_listed_by_their_mentions(
    index: Index, find: Find, question: str
) -> None:
    find("nothing")
    reply = answer(index, question)
    assert (reply.form, reply.verdict.state) == ("list", "answered")
    assert [one.text for one in reply.sentences] == ["The gateway listens on port 5150."]
    assert reply.summary == "1 of 2 documents mention “gateway”."
    both = answer(index, question.replace("gateway", "spooler"))
    assert [len(one.citations) for one in both.sentences] == [1, 1]
    none = answer(index, question.replace("gateway", "Atlantis"))
    assert (none.verdict.state, none.sentences) == ("not in these documents", ())


@pytest.mark.parametrize("mode", ["dense", "bm25", "paper", "ranked", "path", "global", "list"])
def test_every_mode_gives_an_answer_by_the_reranker(index: Index, find: Find, mode: str) -> None:
    find("5150")
    reply = answer(index, "Which port does the gateway listen on?", mode=mode, wanted=1)
    assert reply.verdict.state == "answered"
    assert best(reply) == ["The gateway listens on port 5150."]


def test_the_graph_of_a_reply_has_the_relations_that_its_sentences_state(
    index: Index, find: Find
) -> None:
    find("replaced")
    reply = answer(index, "What replaced the spooler?", wanted=1)
    edges = reply.to_networkx().edges(data="relation")
    assert [one for one in edges if one[2]] == [("print server", "spooler", "replace")]


def test_a_reply_is_json(index: Index, find: Find) -> None:
    import json

    find("5150")
    shown = json.loads(json.dumps(answer(index, "Which port?", wanted=1).to_dict()))
    assert shown["sentences"][0]["citations"] == [1]
    assert shown["citations"][0]["uri"] == "docs/d2.pdf"

"""An answer without a model: what is quoted, what it points to, and when there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from graphrag_tasks.answering import Reply, answer, answer_stream
from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.retrieval import Index
from tests.answering.conftest import PAGES
from tests.retrieval.finder import Finder
from tests.retrieval.small_worlds import World

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
    assert reply.source_lines() == ["[1] Printing, pages 5-6 (docs/d1.pdf)"]


def test_a_stream_without_a_model_yields_the_quotations(index: Index, find: Find) -> None:
    find("90 jobs")
    *pieces, reply = answer_stream(index, "How many jobs do the queues of the print server hold?")
    assert isinstance(reply, Reply)
    assert [str(piece).strip() for piece in pieces] == quoted(reply)


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


def test_the_best_quotation_comes_first_each_in_reading_order_and_once(index: Index, find: Find) -> None:
    find("midnight")
    reply = answer(index, "Does the spooler need the driver?")
    assert "midnight" in best(reply)[0]
    places = [(one.numbers[0], one.citations[0].source.char_start) for one in reply.sentences]
    assert places == sorted(set(places))
    assert places[0][0] == 1


def glossary(*lines: str) -> World:
    sentences = [(f"s{number}", "c1", line) for number, line in enumerate(lines)]
    return World(
        documents=(("d1", "Glossary"),),
        chunks=(("c1", "d1", " ".join(lines)),),
        sentences=tuple(sentences),
        entities=(),
        relations=(),
        evidence=(),
        mentions=(),
    )


def test_a_question_answers_nothing_but_leads_its_answer(open_world: Callable[..., Index], find: Find) -> None:
    find("duplex")
    index = open_world(
        glossary(
            "Can I get full duplex?",
            "You need a second device for that, and full duplex is hard.",
            "The gateway listens on port 5150.",
        )
    )
    reply = answer(index, "Can I get full duplex?")
    assert best(reply) == ["Can I get full duplex? You need a second device for that, and full duplex is hard."]


def test_a_repeated_sentence_is_quoted_once_and_the_words_of_the_question_never(
    open_world: Callable[..., Index], find: Find
) -> None:
    find("port")
    index = open_world(
        glossary(
            "Which port does the gateway listen on",
            "The gateway listens on port 5150.",
            "The gateway listens on port 5150.",
            "Port 5151 is kept free for tests.",
        )
    )
    reply = answer(index, "Which port does the gateway listen on?")
    assert quoted(reply) == ["The gateway listens on port 5150.", "Port 5151 is kept free for tests."]


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("How many jobs do the queues of the print server hold?", True),
        ("What replaced the spooler?", True),
        ("Which port does the gateway listen on?", True),
        ("How much memory does the print server have?", False),
        ("In what year was the spooler replaced?", False),
        ("Who invented the print server?", False),
    ],
)
def test_what_is_not_told_of_a_known_thing_is_not_answered(
    index: Index, monkeypatch: pytest.MonkeyPatch, question: str, is_told: bool
) -> None:
    finder = Finder("e", sure=20)
    monkeypatch.setattr("graphrag_tasks.retrieval.index.make_reranker", lambda _: finder)
    reply = answer(index, question, wanted=1)
    assert (reply.verdict.state == "answered") is is_told


def test_quotations_are_numbered_from_one_in_an_index_of_one_chunk(
    open_world: Callable[[World], Index], find: Find
) -> None:
    one = World(
        documents=(("d1", "A"),),
        chunks=(("c1", "d1", "The queue holds 90 jobs. It is emptied each night."),),
        sentences=(("s1", "c1", "The queue holds 90 jobs."), ("s2", "c1", "It is emptied each night.")),
    )
    find("90 jobs")
    reply = answer(open_world(one), "How many jobs does the queue hold?", mode="dense")
    assert [sentence.numbers for sentence in reply.sentences] == [(1,), (1,)]


def test_a_question_for_several_things_quotes_each_chunk_once(index: Index, find: Find) -> None:
    find("e")
    reply = answer(index, "What replaced the spooler, and what does the gateway listen on?")
    chunk_of = {one.numbers[0]: one.citations[0].source.chunk_id for one in reply.sentences}
    assert len(chunk_of) == len(set(chunk_of.values())) == 3


def test_both_parts_of_a_question_are_marked_but_no_header(open_world: Callable[..., Index], find: Find) -> None:
    texts = ("From: Ann Subject: First-aid", "First-aiders are Ann and Bo.", "A First-aid box is here.", "It rains.")
    sentences = tuple((f"s{place}", "c1", text) for place, text in enumerate(texts))
    find("First-aid")
    world = World(documents=(("d1", "Rules"),), chunks=(("c1", "d1", " ".join(texts)),), sentences=sentences)
    reply = answer(open_world(world), "Who are the first-aiders and where is the first-aid box?")
    assert [one.text for one in reply.sentences if one.is_best] == [*texts[1:3]]
    assert texts[0] not in reply.text


@pytest.mark.parametrize("wanted", [0, -1, "a", 1.5])
def test_no_less_than_a_sentence_is_wanted(index: Index, wanted: Any) -> None:
    with pytest.raises(QueryError, match="wanted must be"):
        answer(index, "What is the port?", wanted=wanted)


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
def test_only_what_names_something_is_mentioned_nowhere(index: Index, find: Find, question: str) -> None:
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
def test_documents_that_mention_a_name_are_listed_by_their_mentions(index: Index, find: Find, question: str) -> None:
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


def test_the_graph_of_a_reply_has_the_relations_that_its_sentences_state(index: Index, find: Find) -> None:
    find("replaced")
    reply = answer(index, "What replaced the spooler?", wanted=1)
    edges = reply.to_networkx().edges(data="relation")
    assert [one for one in edges if one[2]] == [("print server", "spooler", "replace")]


def test_an_index_without_documents_has_no_answer(open_world: Callable[[World], Index]) -> None:
    reply = answer(open_world(World()), "What is a spooler?")
    assert reply.verdict.state == "not in these documents"
    assert reply.to_dict()["sentences"] == []


@pytest.mark.parametrize("question", ["", "   ", 7])
def test_a_question_that_is_none_is_refused(index: Index, question: object) -> None:
    with pytest.raises(QueryError):
        answer(index, question)  # type: ignore[arg-type]


def test_a_question_of_10_000_characters_is_answered(index: Index, find: Find) -> None:
    find("5150")
    reply = answer(index, "Which port does the gateway listen on? " * 257)
    assert any("first 2,000 characters" in note for note in reply.notes)
    assert "The gateway listens on port 5150." in quoted(reply)


def test_a_reply_is_json(index: Index, find: Find) -> None:
    import json

    find("5150")
    shown = json.loads(json.dumps(answer(index, "Which port?", wanted=1).to_dict()))
    assert shown["sentences"][0]["citations"] == [1]
    assert shown["citations"][0]["uri"] == "docs/d2.pdf"

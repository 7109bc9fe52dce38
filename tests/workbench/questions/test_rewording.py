"""A model words questions anew: nothing that is excluded is sent, and no wrong words are taken."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.llm import Client
from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.workbench.questions import Rewording, make_questions
from tests.llm.endpoint import scripted

Body = dict[str, Any]
MANY = 200


def shown(body: Body) -> dict[str, str]:
    found: dict[str, str] = json.loads(body["messages"][1]["content"].split("\n\nYour last")[0])
    return found


def politely(body: Body) -> str:
    asked = shown(body)["question"]
    return json.dumps({"question": f"Please tell me: {asked[0].lower()}{asked[1:]}"})


def client(url: str) -> Client:
    config = {"base_url": url, "model": "m", "models": {"questions": "worder"},
              "budget": {"usd": 0}}  # fmt: skip
    return Client(LlmConfig.model_validate(config))


def test_new_words_keep_answer_and_gold_and_say_who_made_them(snapshot: Snapshot) -> None:
    plain = {one.id: one for one in make_questions(snapshot, MANY).questions}
    with scripted(answer=politely) as endpoint:
        made = make_questions(snapshot, MANY, rewording=Rewording(client(endpoint.url)))
        assert {one["model"] for one in endpoint.bodies} == {"worder"}
    assert plain.keys() == {one.id for one in made.questions}
    for one in made.questions:
        assert (one.answer, one.gold) == (plain[one.id].answer, plain[one.id].gold)
        assert one.made == ("model" if one.answerable else "rule")
        assert one.question.startswith("Please tell me") == one.answerable


def test_what_must_not_be_sent_is_in_no_request(snapshot: Snapshot) -> None:
    with scripted(answer=politely) as endpoint:
        rewording = Rewording(client(endpoint.url), ["board/**"])
        made = make_questions(snapshot, MANY, rewording=rewording)
        sent = json.dumps(endpoint.bodies)
    assert endpoint.bodies
    assert "Zephyr" not in sent
    kept = [one for one in made.questions if "Zephyr" in one.question and one.answerable]
    assert kept
    assert {one.made for one in kept} == {"rule"}


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda body: json.dumps({"question": "Who knows?"}), id="asks something else"),
        pytest.param(
            lambda body: json.dumps({"question": f"{shown(body)['question'][:-1]} {shown(body)['answer']}?"}),
            id="says the answer",
        ),
        pytest.param(lambda body: json.dumps({"question": shown(body)["question"][:-1]}), id="no question"),
        pytest.param(
            lambda body: json.dumps({"question": shown(body)["question"] + " " + "x" * 10_000 + "?"}), id="too long"
        ),
    ],
)
def test_words_that_do_not_ask_the_same_are_not_taken(snapshot: Snapshot, answer: Callable[[Body], str]) -> None:
    with scripted(answer=answer) as endpoint:
        made = make_questions(snapshot, MANY, rewording=Rewording(client(endpoint.url)))
    assert {one.made for one in made.questions} == {"rule"}

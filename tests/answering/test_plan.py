"""A plan by a scripted model: what is shown, what counts of it, and what a bad one changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.answering import Reply, answer
from graphrag_tasks.llm import Client
from graphrag_tasks.llm.request import count_tokens
from graphrag_tasks.retrieval import Index, open_index
from tests.llm.endpoint import Body, ScriptedEndpoint, scripted
from tests.llm.test_client import settings
from tests.retrieval.finder import Finder
from tests.retrieval.labelled_worlds import Document, Fact, publish
from tests.retrieval.small_worlds import FakeEmbedder

Find = Callable[[str], Finder]
NOTHING: dict[str, Any] = {"rewritten": "", "parts": [], "names": [], "route": "simple", "paths": []}
QUESTION = "Who works in Zurich?"

PEOPLE = ("Ada Byron", "Lise Meitner", "Max Frisch", "Rosa Parks")
WORLD = Document(
    "d", "Staff",
    (
        *(Fact(one, "join", "Alpha Ltd", "PERSON", "ORG") for one in PEOPLE),
        Fact("Ada Byron", "use", "Lake Office", "PERSON", "FAC"),
        Fact("Max Frisch", "use", "Lake Office", "PERSON", "FAC"),
        Fact("Lise Meitner", "use", "Hill Office", "PERSON", "FAC"),
        Fact("Lake Office", "stand in", "Zurich", "FAC", "GPE"),
        Fact("Hill Office", "stand in", "Berlin", "FAC", "GPE"),
        Fact("Alpha Ltd", "own", "Ledger", "ORG", "PRODUCT"),
    ),
    None,
)  # fmt: skip


def thing(name: str = "", of: str = "") -> dict[str, str]:
    return {"name": name, "type": of}


def path(start: dict[str, str], *steps: tuple[str, str, dict[str, str]]) -> dict[str, Any]:
    return {"start": start, "steps": [{"relation": one, "direction": way, "to": to} for one, way, to in steps]}


EMPTY = path(thing("Zurich"), ("located in", "in", thing(of="team")), ("join", "in", thing(of="person")))
POPULATED = path(thing("Zurich"), ("stand in", "in", thing()), ("use", "in", thing(of="person")))
TURNED = path(thing(of="person"), ("uses", "out", thing()), ("stands in", "out", thing("Zurich")))


@pytest.fixture
def people(tmp_path: Path, find: Find) -> Index:
    find("Zurich")
    store = publish(tmp_path, [WORLD])
    return open_index(store, embedder=FakeEmbedder(), noun_phrases=lambda _: [])


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with scripted() as endpoint:
        yield endpoint


def is_plan(body: Body) -> bool:
    return "rewritten" in json.dumps(body.get("response_format", ""))


def plans(endpoint: ScriptedEndpoint, plan: dict[str, Any] | str, says: str = "Ada Byron [1].") -> None:
    told = plan if isinstance(plan, str) else json.dumps(NOTHING | plan)
    endpoint.script.answer = lambda body: told if is_plan(body) else says


def ask(index: Index, endpoint: ScriptedEndpoint, question: str = QUESTION, **answers: Any) -> Reply:
    changes = {"answers": {"plan": True, **answers}}
    return answer(index, question, Client(settings(endpoint, **changes)))


def names(reply: Reply) -> set[str]:
    return {hit.name for hit in reply.context.listed}


def ways() -> Iterator[list[dict[str, Any]]]:
    """Yield plans for who works in Zurich; of most, some or all relations are not there."""
    yield from ([EMPTY], [POPULATED], [TURNED], [EMPTY, POPULATED], [TURNED, EMPTY])
    for relation, direction, kind in product(("work in", "*"), ("in", "out", "any"), ("person", "")):
        yield [path(thing("zurich"), (relation, direction, thing()), ("work", direction, thing(of=kind)))]
    for kind in ("employee", "team", "thing"):
        yield [path(thing(of="person"), ("*", "any", thing(of=kind)), ("*", "any", thing("Zurich")))]


@pytest.mark.parametrize("paths", list(ways()))
def test_who_works_in_zurich_is_found_whatever_way_is_planned(
    people: Index, endpoint: ScriptedEndpoint, paths: Sequence[dict[str, Any]]
) -> None:
    plans(endpoint, {"paths": list(paths)})
    reply = ask(people, endpoint)
    assert names(reply) == {"Ada Byron", "Max Frisch"}
    shown = endpoint.bodies[-1]["messages"][-1]["content"]
    assert "Ada Byron —uses→ Lake Office" in shown or "Lake Office ←uses— Ada Byron" in shown


@pytest.mark.parametrize("paths", [
    [path(thing("Atlantis"), ("*", "any", thing()))],
    [path(thing("Zurich"), ("*", "any", thing("Ledger")))],
    [path(thing(), ("*", "any", thing()))],
    [path(thing("Zurich"))],
])  # fmt: skip
def test_where_no_way_leads_anywhere_the_passages_stay(
    people: Index, endpoint: ScriptedEndpoint, paths: Sequence[dict[str, Any]]
) -> None:
    plain = people.search(QUESTION)
    plans(endpoint, {"paths": list(paths)})
    reply = ask(people, endpoint)
    assert [one.chunk_id for one in reply.context.chunks] == [one.chunk_id for one in plain.chunks]
    assert not reply.context.paths


@pytest.mark.parametrize("said", ["nothing", "{}", '{"rewritten": 3}', "[]"])
def test_without_a_valid_plan_the_answer_is_as_without_one(
    people: Index, endpoint: ScriptedEndpoint, said: str
) -> None:
    plans(endpoint, said)
    reply = ask(people, endpoint)
    assert reply.model and reply.sentences
    assert any("not planned" in note for note in reply.notes)


def test_the_graph_is_shown_as_data_and_within_the_prompt(people: Index, endpoint: ScriptedEndpoint) -> None:
    plans(endpoint, {})
    for tokens in (500, 700, 2000):
        ask(people, endpoint, prompt_tokens=tokens)
        body = next(one for one in reversed(endpoint.bodies) if is_plan(one))
        system, user = (one["content"] for one in body["messages"])
        assert count_tokens(system) + count_tokens(user) <= max(tokens, count_tokens(system) + 20)
    lines = user.splitlines()
    assert any(line.startswith("> Ada Byron,") for line in lines)
    assert any(line.startswith("> PERSON —join→ ORG: 4") for line in lines)
    told = ("> ", "Graph:", "Relations:", "Question:", "All below", "")
    assert all(line.startswith(told) for line in lines)


def test_nothing_of_the_graph_is_shown_where_a_document_is_excluded(people: Index, endpoint: ScriptedEndpoint) -> None:
    plans(endpoint, {})
    client = Client(settings(endpoint, answers={"plan": True}, exclude=("d.md",)))
    answer(people, QUESTION, client)
    assert "Ada" not in json.dumps(endpoint.bodies)

"""Answers in the shapes of providers, through the real client: see providers/README.md."""

import json
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.errors import EndpointError
from graphrag_tasks.llm import Answer, Client
from graphrag_tasks.llm.abilities import Abilities
from graphrag_tasks.llm.endpoint import Endpoint
from tests.llm.endpoint import Body, Reply, scripted
from tests.llm.test_client import Form, requests, settings

PROVIDERS = {
    one.stem: json.loads(one.read_text())
    for one in sorted((Path(__file__).parent / "providers").glob("*.json"))
}
OTHERS = [
    pytest.param(other, id=f"{name} {other['status']} {other.get('kind') or other['says']}")
    for name, one in PROVIDERS.items()
    for other in one["others"]
]


@pytest.mark.parametrize("name", PROVIDERS)
def test_an_answer_arrives_in_the_strictest_form_that_is_taken(tmp_path: Path, name: str) -> None:
    provider = PROVIDERS[name]

    def reply(body: Body) -> Reply:
        form = (body.get("response_format") or {}).get("type")
        refuses = provider["refuses"]
        if refuses and form in refuses["forms"]:
            return Reply(refuses["status"], refuses["body"])
        told = "JSON object of this schema" in body["messages"][0]["content"]
        return Reply(200, provider["ok"] if told or "prose" not in provider else provider["prose"])

    expects = provider["expects"]
    with scripted(reply=reply) as endpoint:
        client = Client(settings(endpoint, concurrency=1), str(tmp_path), "run")
        first, second = client.ask(requests(2))
        assert isinstance(first, Answer)
        assert isinstance(second, Answer)
        assert first.parsed(Form) == Form(title="VBBE replaces VBBS", tags=["table"])
        told = {key: getattr(first.usage, key) for key in expects if key != "structured"}
        assert told == {key: value for key, value in expects.items() if key != "structured"}
        assert client.abilities("summarize").structured == expects["structured"]
        before = endpoint.requests
        Client(settings(endpoint), str(tmp_path), "run").ask(requests(3))
        assert endpoint.requests == before + 1  # what was learned is kept


@pytest.mark.parametrize("other", OTHERS)
def test_an_error_is_understood(other: dict[str, Any]) -> None:
    reply = Reply(other["status"], other["body"], other.get("headers", {}))
    with scripted(reply=lambda _: reply) as server:
        endpoint = Endpoint(settings(server))
        if "says" in other:
            with pytest.raises(EndpointError, match=other["says"]):
                endpoint.attempt(requests(1)[0], "m", Abilities())
        else:
            found = endpoint.attempt(requests(1)[0], "m", Abilities())
            assert (found.kind, found.wait) == (other["kind"], other.get("wait"))
            assert found.why
        endpoint.close()

"""Answers in the shapes of providers, through the real client: see providers/README.md."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.errors import EndpointError
from graphrag_tasks.llm import Answer, Client
from graphrag_tasks.llm.endpoint import Endpoint
from graphrag_tasks.llm.request import Kind, Usage
from tests.llm.endpoint import Reply, scripted
from tests.llm.test_client import Form, requests, settings

PROVIDERS = {
    one.stem: json.loads(one.read_text()) for one in sorted((Path(__file__).parent / "providers").glob("*.json"))
}
OTHERS = [
    pytest.param(other, id=f"{name} {other['status']} {other.get('kind') or other['says']}")
    for name, one in PROVIDERS.items()
    for other in one["others"]
]


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("structured", ["json_schema", "json_object", "prompt"])
def test_an_answer_is_read_and_its_tokens_are_counted(tmp_path: Path, name: str, structured: str) -> None:
    provider = PROVIDERS[name]
    with scripted(reply=lambda _: Reply(200, provider["ok"])) as endpoint:
        config = settings(endpoint, concurrency=1, structured=structured)
        first, second = Client(config, str(tmp_path), "run").ask(requests(2))
        assert isinstance(first, Answer)
        assert isinstance(second, Answer)
        assert first.parsed(Form) == Form(title="VBBE replaces VBBS", tags=["table"])
        assert {key: getattr(first.usage, key) for key in provider["expects"]} == provider["expects"]
        body = endpoint.bodies[0]
        assert (body.get("response_format") or {"type": "prompt"})["type"] == structured
        assert ("JSON object of this schema" in body["messages"][0]["content"]) == (structured != "json_schema")


@pytest.mark.parametrize("other", OTHERS)
def test_an_error_is_understood(other: dict[str, Any]) -> None:
    reply = Reply(other["status"], other["body"], other.get("headers", {}))
    with scripted(reply=lambda _: reply) as server:
        endpoint = Endpoint(settings(server))
        if "says" in other:
            with pytest.raises(EndpointError, match=other["says"]):
                endpoint.attempt(requests(1)[0], "m")
        else:
            found = endpoint.attempt(requests(1)[0], "m")
            assert (found.kind, found.wait) == (other["kind"], other.get("wait"))
            assert found.why
        endpoint.close()


@pytest.mark.parametrize(
    ("status", "headers", "message", "kind", "seconds"),
    [
        (429, {"retry-after-ms": "1500"}, "slow down", "busy", 1.5),
        (429, {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, "slow down", "busy", 0),
        (503, {"retry-after": "7"}, "overloaded", "busy", 7),
        (503, {}, "overloaded", "failed", None),
        (429, {"retry-after": "nan"}, "slow down", "busy", None),
        (429, {"retry-after": "-1"}, "slow down", "busy", 0),
        (429, {"retry-after": "soon"}, "slow down", "busy", None),
        (400, {}, "litellm.ContextWindowExceededError: prompt too large", "too_long", None),
        (402, {}, "Insufficient credits", "the account has no money left", None),
        (400, {}, "User location is not supported for the API use.", "status 400: User location", None),
        (400, {}, "Unsupported parameter: 'response_format'", "status 400: .*'response_format'.*llm.structured", None),
    ],
)  # fmt: skip
def test_a_refusal_of_common_servers_is_named(
    status: int, headers: dict[str, str], message: str, kind: str, seconds: float | None
) -> None:
    reply = Reply(status, {"error": {"message": message}}, headers)
    with scripted(reply=lambda _: reply) as server, closing(Endpoint(settings(server))) as endpoint:
        if kind in list(Kind):
            found = endpoint.attempt(requests(1)[0], "m")
            assert (found.kind, found.wait, found.usage) == (kind, seconds, Usage())
        else:
            with pytest.raises(EndpointError, match=kind):
                endpoint.attempt(requests(1)[0], "m")

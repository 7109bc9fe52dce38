"""Answers in the shapes of providers, through the real client: see providers/README.md."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.errors import EndpointError
from graphrag_tasks.llm import Answer, Client
from graphrag_tasks.llm.abilities import Abilities
from graphrag_tasks.llm.answers import Kind, Usage
from graphrag_tasks.llm.endpoint import Endpoint
from tests.llm.endpoint import Body, Reply, scripted
from tests.llm.test_client import Form, requests, settings
from tests.llm.test_streaming import ASKED

PROVIDERS = {
    one.stem: json.loads(one.read_text()) for one in sorted((Path(__file__).parent / "providers").glob("*.json"))
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


@pytest.mark.parametrize(
    ("status", "headers", "message", "kind", "seconds"),
    [
        (429, {"retry-after-ms": "1500"}, "slow down", "busy", 1.5),
        (429, {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, "slow down", "busy", 0),
        (503, {"retry-after": "7"}, "overloaded", "busy", 7),
        (503, {}, "overloaded", "failed", None),
        (429, {"retry-after": "nan"}, "try again in 2s", "busy", 2),
        (429, {"retry-after": "-1"}, "slow down", "busy", 0),
        (429, {"retry-after": "soon"}, "slow down", "busy", None),
        (400, {}, "litellm.ContextWindowExceededError: prompt too large", "too_long", None),
        (402, {}, "Insufficient credits", "the account has no money left", None),
        (400, {}, "Your credit balance is too low to use it", "no money left", None),
        (429, {}, "insufficient_quota: see your plan", "no money left", None),
        (403, {}, "Country, region, or territory not supported", "this region", None),
        (400, {}, "User location is not supported for the API use.", "this region", None),
        (400, {}, "max_tokens is too large: 9. It supports at most 4", "output_tokens", None),
        (400, {}, "max_tokens: 9 > 4, which is the maximum allowed number of output tokens",
         "output_tokens", None),
    ],
)  # fmt: skip
def test_a_refusal_of_common_servers_is_named(
    status: int, headers: dict[str, str], message: str, kind: str, seconds: float | None
) -> None:
    reply = Reply(status, {"error": {"message": message}}, headers)
    with scripted(reply=lambda _: reply) as server, closing(Endpoint(settings(server))) as endpoint:
        if kind in list(Kind):
            found = endpoint.attempt(requests(1)[0], "m", Abilities())
            assert (found.kind, found.wait, found.usage) == (kind, seconds, Usage())
        else:
            with pytest.raises(EndpointError, match=kind):
                endpoint.attempt(requests(1)[0], "m", Abilities())


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("shape", ["parts", "events"])
def test_an_answer_in_parts_or_in_events_is_read(tmp_path: Path, shape: str, streams: bool) -> None:
    parts = [{"type": "text", "text": "It holds "}, {"type": "text", "text": "90 jobs."}]
    usage = {"prompt_tokens": 20.0, "completion_tokens": 5.0}
    choice = {"message": {"content": parts}, "finish_reason": "stop"}
    reply = Reply(200, {"model": "m", "choices": [choice], "usage": usage})
    if shape == "events":
        deltas = [{"choices": [{"delta": {"content": [part]}}]} for part in parts]
        end = {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": usage}
        lines = [f"data: {json.dumps(one)}\n\n" for one in (*deltas, end)]
        body = "".join([": ping\n\n", *lines, "data: [DONE]\n\n"]).encode()
        reply = Reply(200, body, {"content-type": "text/event-stream"})
    told: list[str] = []
    with scripted(reply=lambda _: reply) as server:
        tell = told.append if streams else None
        found = Client(settings(server), str(tmp_path)).ask_one(ASKED, tell=tell)
    assert isinstance(found, Answer)
    assert (found.text, found.usage) == ("It holds 90 jobs.", Usage(20, 5))
    assert "".join(told) == (found.text if streams else "")

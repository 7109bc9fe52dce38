"""A scripted endpoint: speaks OpenAI's chat, embeddings, models, files and batches, with faults.

It knows nothing of prompts: it fills whatever schema is asked for with words of the text. It counts what it was sent,
what it delivered, and what it was asked for again after it had delivered it.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from unittest.mock import patch

from tests.llm.batches import BatchScript, BatchState

FAULTS = ("busy", "busy_after", "error", "cut", "page", "prose")
"""What an attempt may meet; `slow`, `quota`, … are asked for by name."""

Body = dict[str, Any]


def fill(schema: Any, words: Sequence[str], definitions: Any = None) -> Any:
    """Return a value of a schema, made of words."""
    definitions = definitions or schema.get("$defs", {})
    if "$ref" in schema:
        return fill(definitions[schema["$ref"].rpartition("/")[2]], words, definitions)
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return fill(schema["anyOf"][0], words, definitions)
    kind = schema.get("type")
    if kind == "object":
        return {name: fill(one, words, definitions) for name, one in schema["properties"].items()}
    if kind == "array":
        return [fill(schema["items"], words, definitions)]
    fixed = {"integer": 1, "number": 1.0, "boolean": True, "null": None}
    return fixed[kind] if kind in fixed else " ".join(words[:12]) or "nothing"


@dataclass(frozen=True)
class Reply:
    """What a provider answers, as it stands on the wire."""

    status: int
    body: object
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Script:
    """How the endpoint behaves.

    Attributes:
        faults: Share of attempts that meet one of `kinds`.
        kinds: Names of faults, drawn by `seed`.
        delay: Seconds until an answer.
        answer: Makes the answer to a body; by default `fill` by its schema.
        refuse: Called with a body: status and error to answer with, or None.
        reply: Called with a body: returns all that is answered.
        dimension: Of vectors.
        piece_delay: Seconds between the pieces of a streamed answer.
        streams: Whether a streamed answer comes in pieces; otherwise it comes whole.
        usage_of: Returns the tokens that are told for a body.
        count: Counts tokens, of the schema too; by default words are counted, and no schema.
    """

    faults: float = 0.0
    kinds: Sequence[str] = FAULTS
    seed: int = 0
    delay: float = 0.0
    answer: Callable[[Body], str] | None = None
    refuse: Callable[[Body], tuple[int, dict[str, Any]] | None] | None = None
    reply: Callable[[Body], Reply] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    dimension: int = 8
    usage: bool = True
    usage_of: Callable[[Body], dict[str, int]] | None = None
    count: Callable[[str], int] | None = None
    piece_delay: float = 0.0
    streams: bool = True
    batch: BatchScript = field(default_factory=BatchScript)


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that were killed."""


class ScriptedEndpoint:
    """The endpoint's server and its counts."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.bodies: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.first_pieces: list[float] = []
        self.delivered: Counter[str] = Counter()
        self.asked_after_delivery = 0
        self.prompt_tokens = self.completion_tokens = 0
        self.faulty: Counter[str] = Counter()
        self.batch = BatchState()
        self._random = random.Random(script.seed)
        self._lock = Lock()
        handler = type("Handler", (_Handler,), {"endpoint": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def requests(self) -> int:
        return len(self.bodies)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def received(self, body: Body, headers: Mapping[str, str]) -> str | None:
        """Count a request; return the fault that it meets."""
        with self._lock:
            self.times.append(time.monotonic())
            self.bodies.append(body)
            self.headers.append({name.lower(): value for name, value in headers.items()})
            if self.delivered[_key(body)]:
                self.asked_after_delivery += 1
            fault = None
            if self._random.random() < self.script.faults:
                fault = self._random.choice(list(self.script.kinds))
                self.faulty[fault] += 1
            return fault

    def was_delivered(self, body: Body) -> bool:
        """Return whether a valid answer to a request was written to the wire."""
        return self.delivered[_key(body)] > 0

    def sent(self, body: Body, usage: Mapping[str, int], valid: bool) -> None:
        """Count an answer that was written to the wire as a whole."""
        with self._lock:
            self.delivered[_key(body)] += valid
            self.prompt_tokens += usage["prompt_tokens"]
            self.completion_tokens += usage.get("completion_tokens", 0)


def _key(body: Body) -> str:
    first = [one["content"].split("\n\nYour last answer")[0] for one in body.get("messages", [])]
    return hashlib.sha256(json.dumps([first, body.get("input")]).encode()).hexdigest()


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


class _Handler(BaseHTTPRequestHandler):
    endpoint: ScriptedEndpoint
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # an answer leaves in one piece

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        state, script = self.endpoint.batch, self.endpoint.script.batch
        path = self.path.partition("?")[0].removeprefix("/v1/").split("/")
        if path[0] in ("files", "batches"):
            if not script.api or (len(path) > 1 and path[1] not in {*state.files, *state.batches}):
                self.reply(404, {"error": {"message": "no such thing"}})
            elif path[-1] == "content":
                self.reply(200, state.files[path[1]][1])
            elif path == ["files"]:
                self.reply_list([state.file(name) for name in state.files])
            elif path == ["batches"]:
                self.reply_list(list(state.batches.values()))
            else:
                self.reply(200, state.look(path[1], script, self.completion))
            return
        self.reply(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def reply_list(self, values: list[Body]) -> None:
        self.reply(200, {"object": "list", "data": values, "has_more": False})

    def do_DELETE(self) -> None:
        name = self.path.rpartition("/")[2]
        if self.endpoint.batch.files.pop(name, None) is None:
            self.reply(404, {"error": {"message": "no such file"}})
            return
        self.endpoint.batch.deleted.append(name)
        self.reply(200, {"id": name, "object": "file", "deleted": True})

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["content-length"]))
        if self.path.endswith(("/files", "/batches")):
            if not self.endpoint.script.batch.api:
                self.reply(404, {"error": {"message": "no such path"}})
            elif self.path.endswith("/files"):
                self.reply(200, self.endpoint.batch.upload(data))
            else:
                made = self.endpoint.batch.create(json.loads(data), self.endpoint.script.batch)
                self.reply(200, made)
            return
        body = json.loads(data)
        fault = self.endpoint.received(body, dict(self.headers.items()))
        if self.endpoint.script.refuse and (refused := self.endpoint.script.refuse(body)):
            self.reply(refused[0], {"error": refused[1]})
            return
        if self.endpoint.script.reply:
            told = self.endpoint.script.reply(body)
            self.reply(told.status, told.body, **told.headers)
            return
        if fault and getattr(self, f"fault_{fault}")(body):
            return
        time.sleep(self.endpoint.script.delay)
        self.answer(body)

    def answer(self, body: Body, text: str | None = None, **changes: Any) -> None:
        if self.path.endswith("/embeddings"):
            self.embeddings(body)
            return
        completion = self.completion(body, text, **changes)
        if body.get("stream") and self.endpoint.script.streams:
            self.stream(completion)
        else:
            self.reply(200, completion)
        usage = self.usage(body, completion["choices"][0]["message"]["content"] or "")
        self.endpoint.sent(body, usage, text is None and not changes)

    def completion(self, body: Body, text: str | None = None, **changes: Any) -> Body:
        """Return the completion of a body: the script's answer, or a text."""
        if text is None:
            text = (
                self.endpoint.script.answer(body)
                if self.endpoint.script.answer
                else self.filled(body, body["messages"][-1]["content"])
            )
        message = {"role": "assistant", "content": text, "refusal": None}
        choice = {"index": 0, "message": message, "finish_reason": "stop"} | changes
        usage = {"usage": self.usage(body, text)} if self.endpoint.script.usage else {}
        return {"id": "c", "object": "chat.completion", "created": 0, "model": body["model"],
                "choices": [choice], **usage}  # fmt: skip

    def usage(self, body: Body, text: str) -> dict[str, int]:
        if self.endpoint.script.usage_of:
            return self.endpoint.script.usage_of(body)
        count, form = self.endpoint.script.count, body.get("response_format")
        told = " ".join(one["content"] for one in body["messages"])
        read = count(told + json.dumps(form) if form else told) if count else len(_words(told))
        usage = {"prompt_tokens": read, "completion_tokens": count(text) if count else len(_words(text))}
        return {**usage, "total_tokens": sum(usage.values())}

    def filled(self, body: Body, text: str) -> str:
        form = body.get("response_format") or {}
        words = _words(text)
        if form.get("type") == "json_schema":
            return json.dumps(fill(form["json_schema"]["schema"], words))
        return " ".join(words[:20]) or "nothing"

    def embeddings(self, body: Body) -> None:
        rows = []
        for place, text in enumerate(body["input"]):
            draw = random.Random(text)
            vector = [draw.gauss(0, 1) for _ in range(body.get("dimensions") or self.endpoint.script.dimension)]
            rows.append({"object": "embedding", "index": place, "embedding": vector})
        usage = {"prompt_tokens": sum(len(_words(text)) for text in body["input"])}
        usage["total_tokens"] = usage["prompt_tokens"]
        self.reply(200, {"object": "list", "data": rows, "model": body["model"], "usage": usage})
        self.endpoint.sent(body, usage, True)

    def reply(self, status: int, value: object, **headers: str) -> None:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        kind = "text/html" if isinstance(value, bytes) else "application/json"
        self.send_response(status)
        for name, text in {"content-type": kind, **self.endpoint.script.headers, **headers}.items():
            self.send_header(name, text)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        with suppress(BrokenPipeError, ConnectionResetError):
            self.wfile.write(data)
            self.wfile.flush()

    def stream(self, completion: Body, most: int | None = None) -> None:
        """Write a completion as events, a word in each; `most`: break off after so many."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        (choice,) = completion["choices"]
        pieces = re.findall(r"\s*\S+\s*?", choice["message"]["content"] or "")
        with suppress(BrokenPipeError, ConnectionResetError):
            for place, piece in enumerate(pieces[:most]):
                if not place:
                    self.endpoint.first_pieces.append(time.monotonic())
                self.event({"choices": [{"index": 0, "delta": {"content": piece}}]})
                time.sleep(self.endpoint.script.piece_delay)
            if most is not None:
                self.connection.close()
                self.close_connection = True
                return
            refusal = choice["message"].get("refusal")
            end = {"delta": {"refusal": refusal}, "finish_reason": choice["finish_reason"]}
            self.event({"model": completion["model"], "choices": [end]})
            if usage := completion.get("usage"):
                self.event({"choices": [], "usage": usage})
            self.chunk(b"data: [DONE]\n\n")
            self.chunk(b"")

    def event(self, value: Body) -> None:
        self.chunk(b"data: " + json.dumps(value).encode() + b"\n\n")

    def chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def fault_broken(self, body: Body) -> bool:
        self.stream(self.completion(body), most=3)
        return True

    def fault_busy(self, _: Body) -> bool:
        self.reply(429, {"error": {"message": "slow down", "code": "rate_limit_exceeded"}})
        return True

    def fault_busy_after(self, _: Body) -> bool:
        error = {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}
        self.reply(429, error, **{"retry-after": "0.05"})
        return True

    def fault_quota(self, _: Body) -> bool:
        error = {"message": "You exceeded your quota", "code": "insufficient_quota"}
        self.reply(429, {"error": error})
        return True

    def fault_error(self, _: Body) -> bool:
        self.reply(500, {"error": {"message": "our fault"}})
        return True

    def fault_cut(self, _: Body) -> bool:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "5000")
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(b'{"choices": [{"message"')
            self.wfile.flush()
            self.connection.close()
        self.close_connection = True
        return True

    def endless(self, kind: str, piece: bytes, pause: float) -> bool:
        """Write pieces of a body until nobody reads them."""
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        with suppress(OSError):
            for _ in range(20_000):
                self.chunk(piece)
                time.sleep(pause)
        self.close_connection = True
        return True

    def fault_drip(self, _: Body) -> bool:
        return self.endless("application/json", b" ", 0.05)

    def fault_pings(self, _: Body) -> bool:
        return self.endless("text/event-stream", b": ping\n\n", 0.05)

    def fault_endless(self, _: Body) -> bool:
        event = json.dumps({"choices": [{"index": 0, "delta": {"content": "word " * 50}}]})
        return self.endless("text/event-stream", f"data: {event}\n\n".encode(), 0)

    def fault_page(self, _: Body) -> bool:
        self.reply(200, b"<html><body>Welcome to the proxy</body></html>")
        return True

    def fault_prose(self, body: Body) -> bool:
        self.answer(body, "I would rather not say it in JSON.")
        return True

    def fault_refusal(self, body: Body) -> bool:
        self.answer(body, "", message={"role": "assistant", "content": None, "refusal": "no"})
        return True

    def fault_empty(self, body: Body) -> bool:
        self.answer(body, "", finish_reason="length")
        return True

    def fault_long(self, body: Body) -> bool:
        self.answer(body, '{"title": "half', finish_reason="length")
        return True

    def fault_slow(self, _: Body) -> bool:
        time.sleep(1.5)
        return False

    def fault_redirect(self, _: Body) -> bool:
        self.reply(307, b"", location="http://127.0.0.1:9/v1/chat/completions")
        return True


@contextmanager
def scripted(**script: Any) -> Iterator[ScriptedEndpoint]:
    """Start an endpoint for a block, in which this process waits for none for long."""
    endpoint = ScriptedEndpoint(Script(**script))
    try:
        with patch("graphrag_tasks.llm.sender.LONGEST_WAIT", 0.2):
            yield endpoint
    finally:
        endpoint.close()

"""Files and batches of the scripted endpoint: kept as they are sent, answered after some looks."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Body = dict[str, Any]


@dataclass
class BatchScript:
    """How batches behave.

    Attributes:
        api: Whether there are any.
        looks: How often a batch is looked at before it has ended.
        ends: The status that it ends in.
        unanswered: Every so many requests one has no result; 0: all have.
        twice: Whether the first result comes twice.
        foreign: Whether a result comes that nobody asked for.
        failed: Whether the last request has an error for a result.
        limit: Requests that may wait together; 0: any number.
    """

    api: bool = True
    looks: int = 0
    ends: str = "completed"
    unanswered: int = 0
    twice: bool = False
    foreign: bool = False
    failed: bool = False
    limit: int = 0


@dataclass
class BatchState:
    """What the endpoint has."""

    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    batches: dict[str, Body] = field(default_factory=dict)
    looks: Counter[str] = field(default_factory=Counter)
    paid: Counter[str] = field(default_factory=Counter)
    deleted: list[str] = field(default_factory=list)

    def upload(self, data: bytes) -> Body:
        """Keep the file of a form."""
        boundary = data.split(b"\r\n", 1)[0]
        for part in data.split(boundary):
            head, _, content = part.partition(b"\r\n\r\n")
            if found := re.search(rb'filename="([^"]*)"', head):
                name = f"file-{len(self.files) + len(self.deleted)}"
                self.files[name] = (found[1].decode(), content.removesuffix(b"\r\n"))
                return self.file(name)
        raise AssertionError("no file in the form")

    def file(self, name: str) -> Body:
        filename, data = self.files[name]
        return {
            "id": name, "object": "file", "bytes": len(data), "created_at": 0,
            "filename": filename, "purpose": "batch", "status": "processed",
        }  # fmt: skip

    def create(self, body: Body, script: BatchScript) -> Body:
        """Make a batch; each of its requests is paid."""
        name = f"batch-{len(self.batches)}"
        batch = {
            "id": name, "object": "batch", "endpoint": body["endpoint"], "created_at": 0,
            "input_file_id": body["input_file_id"], "completion_window": "24h",
            "metadata": body.get("metadata"), "status": "in_progress",
        }  # fmt: skip
        lines = self.lines(batch)
        if script.limit and len(lines) > script.limit:
            error = {"code": "token_limit_exceeded", "message": "enqueued token limit reached"}
            batch |= {"status": "failed", "errors": {"object": "list", "data": [error]}}
        else:
            self.paid.update(one["custom_id"] for one in lines)
        self.batches[name] = batch
        return batch

    def lines(self, batch: Body) -> list[Body]:
        _, data = self.files[batch["input_file_id"]]
        return [json.loads(one) for one in data.splitlines()]

    def look(self, name: str, script: BatchScript, answer: Callable[[Body], Body]) -> Body:
        """Return a batch; its results are there once it was looked at often enough."""
        batch = self.batches[name]
        self.looks[name] += 1
        if batch["status"] == "in_progress" and self.looks[name] > script.looks:
            results = self.results(batch, script, answer)
            output = f"file-out-{name}"
            text = "".join(json.dumps(one) + "\n" for one in results)
            self.files[output] = ("output.jsonl", text.encode())
            batch |= {"status": script.ends, "output_file_id": output}
        return batch

    def results(self, batch: Body, script: BatchScript, answer: Callable[[Body], Body]) -> list[Body]:
        lines = self.lines(batch)
        found: list[Body] = []
        for number, one in enumerate(reversed(lines)):  # in another order than they came
            if script.unanswered and number % script.unanswered == 0:
                self.paid[one["custom_id"]] -= 1
                continue
            response = {"status_code": 200, "request_id": "r", "body": answer(one["body"])}
            if script.failed and number == len(lines) - 1:
                response = {"status_code": 500, "request_id": "r", "body": {}}
            found.append({"id": "x", "custom_id": one["custom_id"], "response": response})
        if script.twice and found:
            found.append(found[0])
        if script.foreign and found:
            found.append({**found[0], "custom_id": "0" * 64})
        return found

"""How often an account with a limit refuses the client, and how long its requests take.

A scripted endpoint on loopback is a token bucket: so many requests a minute, so many at once; what is too fast is
refused with 429 and `Retry-After`. The requests take minutes: they are real.

    python -m benchmarks.llm_pace --requests 78 --minute 60 --burst 8 --retry-after 2
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from threading import Lock

from pydantic import BaseModel

from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.errors import TransientError
from graphrag_tasks.llm import Answer, Client, Request
from tests.llm.endpoint import Body, Reply, scripted


class Form(BaseModel):
    """What is answered."""

    title: str


class Account:
    """A token bucket that counts what it serves and refuses."""

    def __init__(self, minute: float, burst: float, retry_after: float) -> None:
        self.rate, self.burst, self.retry_after = minute / 60, burst, retry_after
        self.served: list[float] = []
        self.refused: list[float] = []
        self._left, self._at = burst, time.monotonic()
        self._lock = Lock()

    def reply(self, _: Body) -> Reply:
        """Answer a request, or refuse it."""
        with self._lock:
            now = time.monotonic()
            self._left = min(self.burst, self._left + (now - self._at) * self.rate)
            self._at = now
            if self._left < 1:
                self.refused.append(now)
                error = {"message": "slow down", "code": "rate_limit_exceeded"}
                wait = {"retry-after": f"{self.retry_after:g}"}
                return Reply(429, {"error": error}, wait)
            self._left -= 1
            self.served.append(now)
        message = {"role": "assistant", "content": '{"title": "t"}'}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}
        return Reply(200, {"id": "x", "object": "chat.completion", "created": 0, "model": "m",
                           "choices": [choice], "usage": usage})  # fmt: skip


def main() -> None:
    """Ask, and print what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--requests", type=int, default=78)
    parser.add_argument("--minute", type=float, default=60)
    parser.add_argument("--burst", type=float, default=8)
    parser.add_argument("--retry-after", type=float, default=2)
    options = parser.parse_args()
    account = Account(options.minute, options.burst, options.retry_after)
    asked = [Request("summarize", "Do it.", f"text {n}", Form, 60) for n in range(options.requests)]
    runs, start, answered = 0, time.monotonic(), 0
    with scripted(reply=account.reply) as endpoint, tempfile.TemporaryDirectory() as store:
        config = LlmConfig(base_url=endpoint.url, model="m", budget={"usd": 0})
        while answered < len(asked):
            runs += 1
            try:
                found = Client(config, store, "run").ask(asked)
                answered = sum(isinstance(one, Answer) for one in found)
            except TransientError as error:
                print(error)
    later = [one for one in account.refused if one - start > 60]
    all_later = later + [one for one in account.served if one - start > 60]
    print(json.dumps({
        "runs": runs, "answered": answered, "seconds": round(time.monotonic() - start),
        "refused": len(account.refused),
        "refused_after_a_minute": round(len(later) / max(len(all_later), 1), 3),
    }, indent=2))  # fmt: skip


if __name__ == "__main__":
    main()

"""What a million requests take of the process that asks: memory, objects of the store, seconds.

The endpoint is a double in this process that answers at once. The pipeline's own figures are left
out: requests are made group by group, as `index` makes them. A second pass asks a new client for
the same, with the endpoint away. Prints JSON.

    python -m benchmarks.llm_million --requests 1000000
    python -m benchmarks.llm_million --requests 20000 --store s3://BUCKET/STORE
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.llm_client import Form, settings
from graphrag_tasks.core.config import LlmConfig
from graphrag_tasks.core.memory import release
from graphrag_tasks.llm import Answer, Client, Request
from graphrag_tasks.llm.abilities import Abilities
from graphrag_tasks.llm.answers import Kind, Usage
from graphrag_tasks.llm.journal import StoreJournal
from graphrag_tasks.llm.outcome import Outcome
from graphrag_tasks.storage.files import Files

_AT_ONCE = 10_000
"""As the pipeline asks."""
_ANSWER = json.dumps({"title": "The report reads the table. " * 12, "tags": ["a", "b"]})
_WRITES = ("write_bytes", "copy_file", "delete")


class Double:
    """Answers every request at once."""

    sent = 0

    def __init__(self, config: LlmConfig) -> None:
        self.url = config.url

    def attempt(self, _: Request, model: str, _how: Abilities, _wrong: str = "") -> Outcome:
        """Return the same answer to all."""
        Double.sent += 1
        return Outcome(Kind.ANSWERED, text=_ANSWER, usage=Usage(400, 120), model=model)

    def close(self) -> None:
        """Do nothing."""


def groups(count: int) -> Iterator[list[Request]]:
    """Yield what is asked, about 1,600 characters each."""
    for start in range(0, count, _AT_ONCE):
        yield [
            Request("extract", "Find facts. " * 20, f"text {at} of the table " * 60, Form, 600,
                    document_id=f"document {at // 20}")
            for at in range(start, min(start + _AT_ONCE, count))
        ]  # fmt: skip


def main() -> None:
    """Ask for all twice, and print what each pass took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--store", help="by default a folder that is removed afterwards")
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--no-forecast", action="store_true")
    options = parser.parse_args()
    with nullcontext(options.store) if options.store else tempfile.TemporaryDirectory() as store:
        measure(options, store)


def measure(options: argparse.Namespace, store: str) -> None:
    """Print what passes over a store took."""
    config = settings("http://127.0.0.1:9/v1", 0).model_copy(
        update={"concurrency": options.threads}
    )
    with mock.patch("graphrag_tasks.llm.sender.Endpoint", Double):
        Client(config).ask(next(groups(1)))  # imports, and the vocabulary
        Double.sent = 0
        found = {"requests": options.requests, "before_mb": _memory()}
        for name in ("asked", "known"):
            found[name] = _pass(config, store, options.requests)
            print(json.dumps({name: found[name]}), flush=True)
        if not options.no_forecast:
            found["foretold"] = _forecast(config, store, options.requests)
    started = time.perf_counter()
    spent = StoreJournal(store).spent("run")
    found["spent"] = {"seconds": round(time.perf_counter() - started, 1), "tokens": spent.tokens}
    files = [one for one in Path(store).rglob("*") if one.is_file()] if "://" not in store else []
    found["store_files"] = len(files)
    found["store_mb"] = round(sum(one.stat().st_size for one in files) / 1e6)
    print(json.dumps(found, indent=2))


def _pass(config: LlmConfig, store: str, count: int) -> dict[str, Any]:
    """Ask for all; return what it took, and what was sent and written."""
    written, sent = mock.Mock(), Double.sent
    with mock.patch.multiple(Files, **{name: _counted(name, written) for name in _WRITES}):
        client = Client(config, store, "run")
        started, cpu = time.perf_counter(), time.process_time()
        for requests in groups(count):
            if not all(isinstance(one, Answer) for one in client.ask(requests)):
                raise RuntimeError("a request has no answer")
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    del client
    gc.collect()
    release()
    return {
        "sent": Double.sent - sent,
        "writes": written.call_count,
        "seconds": round(seconds, 1),
        "cpu_ms_a_request": round(cpu / count * 1000, 3),
        "peak_mb": round(peak),
        "after_mb": _memory(),
    }


def _forecast(config: LlmConfig, store: str, count: int) -> dict[str, Any]:
    """Forecast twice as many requests as were asked; return what that took."""
    client = Client(config, store, "run")
    started, cpu = time.perf_counter(), time.process_time()
    told = client.forecast(lambda: (one for group in groups(2 * count) for one in group))
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    return {
        "requests": told.requests,
        "known": told.known,
        "seconds": round(seconds, 1),
        "cpu_ms_a_request": round(cpu / 2 / count * 1000, 3),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def _counted(name: str, calls: mock.Mock) -> Any:  # noqa: ANN401 - stands for any method
    real = getattr(Files, name)

    def method(*given: Any, **named: Any) -> Any:  # noqa: ANN401
        calls()
        return real(*given, **named)

    return method


def _memory() -> int:
    """Return the memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * resource.getpagesize() / 1e6)


if __name__ == "__main__":
    main()

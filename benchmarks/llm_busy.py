"""How busy a client keeps an endpoint, beside plain HTTP in the same run, and what it costs.

Both ask a scripted endpoint in another process, which takes its time for each answer, with the same number of threads.
Prints JSON: requests a second of each, the share, and the client's CPU a request.

    python -m benchmarks.llm_busy --requests 400 --threads 8 --latency .2
"""

from __future__ import annotations

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from threading import local
from urllib.parse import urlsplit

from benchmarks.llm_client import requests, settings
from graphrag_tasks.llm import Client
from graphrag_tasks.llm.request import strict_schema

_SERVE = """
import sys, time
from tests.llm.endpoint import scripted
with scripted(delay=float(sys.argv[1])) as endpoint:
    print(endpoint.url, flush=True)
    sys.stdin.read()
"""


def main() -> None:
    """Measure both in turns, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    line = [sys.executable, "-c", _SERVE, str(options.latency)]
    server = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None  # noqa: S101 - it is a pipe
    url = server.stdout.readline().strip()
    try:
        _warm(url)
        rounds = [(_plain(url, options), _client(url, options)) for _ in range(options.repeats)]
    finally:
        server.terminate()
        server.wait()
    best = max(rounds, key=lambda one: one[1][0] / one[0])
    shares = sorted(client[0] / plain for plain, client in rounds)
    print(json.dumps({
        "plain_per_second": round(best[0], 2),
        "client_per_second": round(best[1][0], 2),
        "share_median": round(shares[len(shares) // 2], 3),
        "share_worst": round(shares[0], 3),
        "client_cpu_ms": round(min(client[1] for _, client in rounds), 2),
    }, indent=2))  # fmt: skip


def _warm(url: str) -> None:
    """Import the SDK and load the vocabulary, which happens once in a process."""
    with tempfile.TemporaryDirectory() as store:
        Client(settings(url, 100.0), store, "warm").ask(requests(1))


def _client(url: str, options: argparse.Namespace) -> tuple[float, float]:
    config = settings(url, 100.0).model_copy(update={"concurrency": options.threads})
    with tempfile.TemporaryDirectory() as store:
        started, cpu = time.perf_counter(), time.process_time()
        Client(config, store, "run").ask(requests(options.requests))
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    return options.requests / seconds, cpu / options.requests * 1000


def _plain(url: str, options: argparse.Namespace) -> float:
    count: int = options.requests
    parts, of_thread = urlsplit(url), local()
    bodies = [
        json.dumps(
            {
                "model": "m",
                "messages": [{"role": "system", "content": one.system}, {"role": "user", "content": one.user}],
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "f", "schema": one.answer and strict_schema(one.answer)},
                },
            }
        )
        for one in requests(options.requests)
    ]

    def post(body: str) -> None:
        if not hasattr(of_thread, "connection"):
            of_thread.connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
        headers = {"content-type": "application/json"}
        of_thread.connection.request("POST", f"{parts.path}/chat/completions", body, headers)
        json.loads(of_thread.connection.getresponse().read())

    started = time.perf_counter()
    with ThreadPoolExecutor(options.threads) as pool:
        list(pool.map(post, bodies))
    return count / (time.perf_counter() - started)


if __name__ == "__main__":
    main()

"""The server over streamable HTTP, as a process: who may connect, and who goes away."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
from mcp import Client

LEAVERS = 6  # More than the calls that the server works on together.
GONE_AFTER_SECONDS = 0.2  # Less than a first search takes as a rule: it loads the models.
SEARCH = {
    "jsonrpc": "2.0", "id": 1, "method": "tools/call",
    "params": {"name": "search", "arguments": {"question": "Which table replaces BSEG?"}},
}  # fmt: skip
ACCEPT = {"accept": "application/json, text/event-stream"}


@contextmanager
def served(store: Path, log: Path) -> Iterator[str]:
    """Serve a store on a free port in a process group of its own; yield the address."""
    line = [sys.executable, "-m", "graphrag_tasks", "mcp", "--store", str(store)]
    with log.open("w") as errors, subprocess.Popen(  # noqa: S603
        [*line, "--http", "--port", "0"], stdout=subprocess.PIPE, stderr=errors, text=True,
        start_new_session=True,
    ) as server:  # fmt: skip
        try:
            assert server.stdout is not None
            yield next(word for word in server.stdout.readline().split() if "http" in word)
            assert server.poll() is None, "the server ended by itself"
        finally:
            os.killpg(server.pid, signal.SIGTERM)


def asked(address: str, name: str, **arguments: Any) -> Any:
    """Return what the SDK's client gets of a tool."""

    async def ask() -> Any:
        async with Client(address) as client:
            return await client.call_tool(name, arguments)

    return json.loads(asyncio.run(asyncio.wait_for(ask(), 120)).content[0].text)


def test_it_answers_on_loopback_alone_and_after_clients_that_go_away_in_a_call(ledger: Path, tmp_path: Path) -> None:
    clients = httpx.Client(headers=ACCEPT)  # made before: each one of its own takes a while

    def leave(address: str) -> None:
        with suppress(httpx.ReadTimeout):
            clients.post(address, json=SEARCH, timeout=GONE_AFTER_SECONDS)

    with clients, served(ledger, tmp_path / "log") as address:
        with ThreadPoolExecutor(LEAVERS) as pool:
            list(pool.map(leave, [address] * LEAVERS))
        found = asked(address, "search", question="Which table replaces BSEG?")
        assert "ACDOCA replaces table BSEG" in found["items"][0]["text"]
        patient = clients.post(address, json=SEARCH, timeout=60).json()
        assert json.loads(patient["result"]["content"][0]["text"]) == found
        foreign = httpx.post(address, headers={"host": "evil.example"}, json={})
        assert foreign.status_code == 421
    assert "Traceback" not in (tmp_path / "log").read_text()

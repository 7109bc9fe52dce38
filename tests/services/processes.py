"""Servers that tests start: on loopback, each in a process group of its own, ended by its id."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SERVERS = Path(os.environ.get("GRAPHRAG_SERVERS", ROOT / ".venv-servers")) / "bin"  # Programs of servers.txt.

_LOG_END = 3000


def free_port() -> int:
    """Return a port of loopback that nothing listens on."""
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


def wait_for(found: Callable[[], Any], seconds: float, what: str) -> Any:
    """Return what is found, asked again and again for a bounded time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := found():
            return value
        time.sleep(0.2)
    pytest.fail(f"no {what} within {seconds:g} s")


def answers(port: int) -> bool:
    """Return whether something listens on a port of loopback."""
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


class Process:
    """A process with a log, in a group of its own.

    Args:
        command: What to run.
        log: File for what it prints.
        environment: Beside this process's own.
        user: Who runs it; this process's user by default.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        log: Path,
        *,
        environment: Mapping[str, str] | None = None,
        user: str | None = None,
    ) -> None:
        self.log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a") as file:
            self.popen = subprocess.Popen(  # noqa: S603
                [str(part) for part in command],
                env={**os.environ, **(environment or {})},
                stdin=subprocess.PIPE, stdout=file, stderr=file, start_new_session=True, user=user,
            )  # fmt: skip

    def wait_until(self, found: Callable[[], Any], seconds: float, what: str) -> Any:
        """Return what is found; fail where the process ends first, or the time."""

        def look() -> Any:
            if self.popen.poll() is not None:
                pytest.fail(f"{self.popen.args} ended: {self.log.read_text()[-_LOG_END:]}")
            return found()

        return wait_for(look, seconds, f"{what} ({self.log})")

    def stop(self, seconds: float = 20) -> None:
        """Close its standard input, then end the group: asked to at first."""
        if self.popen.stdin:
            self.popen.stdin.close()
        for signum in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.popen.pid, signum)
            except ProcessLookupError:
                break
            try:
                self.popen.wait(seconds)
            except subprocess.TimeoutExpired:
                continue

    def kill(self) -> None:
        """End the group at once, as a crash would."""
        os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()

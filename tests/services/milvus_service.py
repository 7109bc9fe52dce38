"""A real Milvus server that can be stopped and started again on its data."""

from pathlib import Path

import pytest

from tests.services.processes import SERVERS, Process, free_port

START_SECONDS = 120
STOP_SECONDS = 30


class Milvus:
    """A server on a port of its own.

    Args:
        folder: Its data and log.

    Attributes:
        uri: Where it answers while it runs.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self._process: Process | None = None
        self.uri = f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start it, and return once it answers."""
        python = SERVERS / "python"
        if not python.exists():
            pytest.fail(f"{python} is missing: run make test-services")
        script = Path(__file__).with_name("run_milvus.py")
        log = self._folder / "log"
        log.unlink(missing_ok=True)
        self._process = Process([python, script, self._folder / "data", str(self._port)], log)
        self._process.wait_until(lambda: "ready" in log.read_text(), START_SECONDS, "Milvus")

    def stop(self) -> None:
        """Stop it by its own means; its data stays."""
        if self._process is None:
            return
        assert self._process.popen.stdin
        self._process.popen.stdin.close()
        self._process.popen.wait(STOP_SECONDS)
        self._process = None

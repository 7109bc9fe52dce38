"""Index in a process of its own, which can be watched and ended: for pages that start a run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile
from threading import Lock
from typing import IO, Literal

from graphrag_tasks.core.errors import ArtifactError
from graphrag_tasks.storage.snapshots.store import Store

_PATIENCE_SECONDS = 10  # Time that a run gets to end by itself before it is killed; chosen.
_MOST_SAID = 4_000  # Characters of a failed run's last words.
_RECEIPT = ".receipt.json"
RunState = Literal["running", "done", "failed", "cancelled"]


@dataclass(frozen=True)
class Progress:
    """How far a run is: its last finished stage, finished steps, all steps, and new documents.

    `steps` is 0 before the plan is made.
    """

    stage: str = ""
    done: int = 0
    steps: int = 0
    documents: int = 0


class BackgroundRun:
    """A run of `graphrag-tasks index`; whoever starts it ends it by `cancel` before leaving."""

    def __init__(
        self, store: str, arguments: Sequence[str], of_shards: Sequence[str],
        of_corpus: Sequence[str],
    ) -> None:  # fmt: skip
        """Start it.

        Args:
            store: The store.
            arguments: Of `graphrag-tasks index`, beside the store.
            of_shards: Stages that are done for each shard of documents.
            of_corpus: Stages that are done once, after them.
        """
        command = (sys.executable, "-m", "graphrag_tasks", "index", "--store", store, *arguments)
        self._staging = Store(store).staging
        self._of_shards, self._of_corpus = of_shards, of_corpus
        self._began, self._ended = time.monotonic(), 0.0
        self._lock, self._cancelled = Lock(), False
        self._last_words = ""
        self._output: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed when the run ended
        self._process = subprocess.Popen(  # noqa: S603 - no shell, and options end before sources
            command,
            stdin=subprocess.DEVNULL, stdout=self._output, stderr=self._output,
            start_new_session=True, env={**os.environ, "COLUMNS": "200"},
        )  # fmt: skip

    @property
    def state(self) -> RunState:
        """Whether it is running, or how it ended."""
        with self._lock:
            code = self._process.poll()
            if code is None:
                return "running"
            if not self._ended:
                self._ended = time.monotonic()
                self._last_words = self._printed()
                self._output.close()
        if code == 0:
            return "done"
        return "cancelled" if self._cancelled else "failed"

    @property
    def seconds(self) -> float:
        """Seconds since it began, until it ended."""
        return (self._ended or time.monotonic()) - self._began

    def said(self) -> str:
        """Return what it printed last; "" while it is running."""
        return "" if self.state == "running" else self._last_words

    def _printed(self) -> str:
        end = self._output.seek(0, os.SEEK_END)
        self._output.seek(max(0, end - _MOST_SAID))
        return self._output.read().decode("utf-8", "replace").strip()

    def progress(self) -> Progress:
        """Return how far it is, by what it has left in the store."""
        try:
            return self._progress()
        except (ArtifactError, OSError):  # a file is just being written, or removed at the end
            return Progress()

    def _progress(self) -> Progress:
        runs, shards = self._staging / "runs", self._staging / "shards"
        latest = max(runs.names(), key=lambda name: (runs / name).last_written(), default="")
        if not latest or not (runs / latest).exists(f"plan{_RECEIPT}"):
            return Progress()
        rows = (runs / latest).read_table("sources", ["shard"])["shard"].drop_null()
        number = len(rows.unique())
        done = [*(name for shard in shards.names() for name in (shards / shard).names()), *(runs / latest).names()]
        counts = Counter(name.removesuffix(_RECEIPT) for name in done if name.endswith(_RECEIPT))
        finished = {name: min(counts[name], number) for name in self._of_shards}
        finished |= {name: min(counts[name], 1) for name in self._of_corpus}
        return Progress(
            stage=next((name for name in reversed(finished) if finished[name]), ""),
            done=sum(finished.values()),
            steps=number * len(self._of_shards) + len(self._of_corpus),
            documents=len(rows),
        )

    def cancel(self) -> None:
        """End it with all its processes; the store keeps its snapshot, and the finished work."""
        if self.state != "running":
            return
        self._cancelled = True
        for signed in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, signed)
                self._process.wait(_PATIENCE_SECONDS)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue
        self.said()

"""A run of the reindex DAG where metrics are sent to a UDP port."""

import json
import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import pytest

from tests.dags.conftest import UNMOUNTED, write_corpus
from tests.llm.batches import BatchScript
from tests.llm.endpoint import scripted

ROOT = Path(__file__).parents[2]

if find_spec("statsd") is None:
    collect_ignore_glob = ["test_*.py"]  # another environment: make test-platform


@dataclass(frozen=True)
class Told:
    """What was sent of three runs (a first, one that has a model read, one without its source).

    `lines` are of StatsD. `states` says how the runs ended.
    """

    store: Path
    corpus: Path
    lines: list[str]
    states: list[str]


class Listener(Thread):
    """Collects the lines that are sent to a UDP port of its own."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.lines: list[str] = []

    def run(self) -> None:
        while data := self._socket.recv(65_536):
            self.lines += data.decode("utf-8").splitlines()

    def stop(self) -> None:
        """End when what was sent so far is read."""
        self._socket.sendto(b"", self._socket.getsockname())
        self.join(timeout=10)
        self._socket.close()


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    home, folder = tmp_path_factory.mktemp("airflow"), tmp_path_factory.mktemp("runs")
    corpus, store = write_corpus(folder / "corpus"), folder / "store"
    (corpus / "broken.docx").write_text("no DOCX file")
    listener = Listener()
    listener.start()
    settings = {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__LOGGING__LOGGING_LEVEL": "ERROR",
        "AIRFLOW__METRICS__STATSD_ON": "True",
        "AIRFLOW__METRICS__STATSD_HOST": "127.0.0.1",
        "AIRFLOW__METRICS__STATSD_PORT": str(listener.port),
        "GRAPHRAG__LLM__MODEL": "m",
        "GRAPHRAG__LLM__PRICES": json.dumps({"m": {"input": 1000, "output": 2000}}),
        "GRAPHRAG__LOAD__VECTOR_STORE": "none",
        "GRAPHRAG__PLAN__PARTS": "2",
        "GRAPHRAG__PLAN__SHARD_BYTES": "1",  # each document is a shard
        "PYTHONPATH": str(ROOT),
    }
    good = {"sources": [str(corpus)], "store": str(store), "max_failed_share": 1}
    runs = [good, {**good, "extractor": "llm"}, {**good, "sources": [str(folder / UNMOUNTED)]}]
    with scripted(batch=BatchScript()) as endpoint:
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-m", "tests.platform.run_dag", str(ROOT / "dags"), json.dumps(runs)],
            cwd=ROOT, env=os.environ | settings | {"GRAPHRAG__LLM__BASE_URL": endpoint.url},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    listener.stop()
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert lines and done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return Told(store, corpus, listener.lines, json.loads(lines[0].removeprefix("RESULT ")))

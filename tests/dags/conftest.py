"""What the plugin and the DAGs did in one process of Airflow, whose start is most of the cost."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.llm.batches import BatchScript
from tests.llm.endpoint import scripted

ROOT = Path(__file__).parents[2]

SECRETS = {
    "GRAPHRAG_MILVUS_TOKEN": "root:milvus-Zx81Kq",
    "OPENAI_API_KEY": "sk-openai-Zx82Kq",
    "AWS_SECRET_ACCESS_KEY": "s3-Zx84Kq",
}

UNMOUNTED = "un![mounted]<img src=x>"
"""A source that is not there; would be HTML and a picture where it is shown as it is."""

QUESTION = {
    "id": "q1", "question": "What replaced the table VBBS?", "answer": "VBBE", "type": "single", "gold_ids": ["a.txt"],
}  # fmt: skip


@dataclass(frozen=True)
class InAirflow:
    """Where Airflow and the DAGs wrote, and what `in_airflow` saw of plugin and DAGs.

    `paid` has how often each request that was in a batch was paid.
    """

    home: Path
    store: Path
    paid: list[int]
    plugin: dict[str, Any]
    dags: dict[str, Any]


@pytest.fixture(scope="session")
def in_airflow(tmp_path_factory: pytest.TempPathFactory) -> InAirflow:
    """Three runs of the reindex DAG (a first, one with nothing to do, one without its source)."""
    home, folder = tmp_path_factory.mktemp("airflow"), tmp_path_factory.mktemp("runs")
    store = folder / "store"
    settings = {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__API__BASE_URL": "https://host/team/airflow",
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "AIRFLOW__LOGGING__LOGGING_LEVEL": "ERROR",
        "GRAPHRAG__LOAD__VECTOR_STORE": "none",
        "GRAPHRAG__PAGES__STORES": json.dumps([f"{store}-read"]),
        "GRAPHRAG__PLAN__PARTS": "2",
        "GRAPHRAG__PLAN__SHARD_BYTES": "1",  # each document is a shard
        "GRAPHRAG__STORE": str(store),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "plugins")]),
    }
    good = {"sources": [str(write_corpus(folder / "corpus"))], "store": str(store)}
    missing = good | {"sources": [str(folder / UNMOUNTED)]}
    questions = folder / "questions.jsonl"
    questions.write_text(json.dumps(QUESTION) + "\n")
    # fields that are left empty in the form: as in the settings
    empty = ("budget_usd", "full_refresh", "max_failed_share", "allow_mass_delete", "allow_quality_drop")
    runs = json.dumps([good, good | dict.fromkeys(empty), missing])
    program = [sys.executable, "-m", "tests.dags.in_airflow"]
    with scripted(batch=BatchScript(looks=2)) as endpoint:
        done = subprocess.run(  # noqa: S603
            [*program, str(ROOT / "dags"), runs, str(questions), endpoint.url], cwd=ROOT,
            env=os.environ | SECRETS | settings, capture_output=True, text=True, check=False,
        )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert lines and done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    paid = sorted(endpoint.batch.paid.values())
    return InAirflow(home, store, paid, **json.loads(lines[0].removeprefix("RESULT ")))


def write_corpus(folder: Path) -> Path:
    folder.mkdir()
    (folder / "a.txt").write_text("SAP replaced the table VBBS with the table VBBE.\n")
    (folder / "b.txt").write_text("The report ZSALES reads the table VBBS.\n")
    (folder / "c.xyz").write_text("skipped")
    return folder

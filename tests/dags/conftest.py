"""A process of Airflow, in a home with a database of its own."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

_NEW_DATABASE = "from airflow.utils import db; db.initdb()\n"

RunScript = Callable[..., str]
"""Runs a script in a home of Airflow, with variables and arguments; returns what it printed."""


@pytest.fixture(scope="session")
def run_script() -> RunScript:
    def run(script: str, *arguments: str, home: Path, variables: Mapping[str, str]) -> str:
        environment = {
            "AIRFLOW_HOME": str(home),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__LOGGING__LOGGING_LEVEL": "ERROR",
            "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
        }
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-c", _NEW_DATABASE + script, *arguments],
            env=os.environ | environment | variables, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    return run

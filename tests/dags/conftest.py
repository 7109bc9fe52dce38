"""Homes of Airflow with a database each, migrated once for all test processes."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from filelock import FileLock

_DATABASE = "airflow.db"

Python = Callable[..., str]
"""Runs Python with arguments in a home of Airflow, and returns what it printed."""


@pytest.fixture(scope="session")
def airflow_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database."""
    top = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        top = top.parent
    home = top / "migrated"
    with FileLock(top / "migrated.lock"):
        if not home.exists():
            _python(home, {}, "-m", "airflow", "db", "migrate")
    return home / _DATABASE


@pytest.fixture(scope="session")
def python_in(airflow_database: Path) -> Callable[[Path, Mapping[str, str]], Python]:
    """Make a home of Airflow, and give what runs Python there with these variables beside."""

    def make(home: Path, variables: Mapping[str, str]) -> Python:
        shutil.copy(airflow_database, home / _DATABASE)
        return lambda *arguments: _python(home, variables, *arguments)

    return make


def _python(home: Path, variables: Mapping[str, str], *arguments: str) -> str:
    environment = {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__LOGGING__LOGGING_LEVEL": "ERROR",
        "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
    }
    done = subprocess.run(  # noqa: S603
        [sys.executable, *arguments],
        env=os.environ | environment | variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout

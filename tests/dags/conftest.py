"""Homes of Airflow with a database each, migrated once."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from filelock import FileLock

_DATABASE = "airflow.db"

Python = Callable[..., str]
"""Runs Python with arguments in a home of Airflow, and returns what it printed."""


@pytest.fixture(scope="session")
def airflow_database(pytestconfig: pytest.Config) -> Path:
    """A migrated database, kept for later sessions with the same version of Airflow."""
    kept = pytestconfig.cache.mkdir(f"airflow-{version('apache-airflow')}")
    migrated = kept / _DATABASE
    with FileLock(kept / "lock"):
        if not migrated.exists():
            with TemporaryDirectory() as home:
                _python(Path(home), {}, "-m", "airflow", "db", "migrate")
                shutil.copy(Path(home) / _DATABASE, kept / "unfinished")
            (kept / "unfinished").rename(migrated)
    return migrated


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

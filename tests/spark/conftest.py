"""Spark's tests need another environment, and Java."""

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # of Spark's workers

if find_spec("pyspark") is None:
    collect_ignore_glob = ["test_*.py"]  # another environment: make test-spark

_IGNORED = (
    # JAX, which the tests' environment has, warns of every process that Spark begins.
    "ignore:os.fork:RuntimeWarning",
    # It warns of what it does itself.
    "ignore:PySpark does not yet fully support pandas:FutureWarning",
    "ignore:.use_:DeprecationWarning",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent:
            for ignored in _IGNORED:
                item.add_marker(pytest.mark.filterwarnings(ignored))


@pytest.fixture(scope="session", autouse=True)
def java() -> None:
    if shutil.which("java") is None:
        pytest.exit("Spark needs Java. On Debian: apt-get install openjdk-17-jre-headless", 1)

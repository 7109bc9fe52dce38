"""Stores for the retrievers of frameworks, made in the environment that can index."""

import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from graphrag_tasks import Index, open_index

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv" / "bin" / "python"

if find_spec("langchain_tests") is None or find_spec("llama_index") is None:
    collect_ignore_glob = ["test_*.py"]  # another environment: make test-frameworks


@pytest.fixture(scope="session")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the stores `plain` and `labelled`; tests only read them."""
    folder = tmp_path_factory.mktemp("stores")
    line = [str(PYTHON), "-m", "tests.frameworks.make_stores", str(folder)]
    subprocess.run(line, cwd=ROOT, check=True)  # noqa: S603
    return folder


@pytest.fixture(scope="session")
def index(stores: Path) -> Index:
    return open_index(stores / "plain")

"""Whole processes: the examples as they stand, and one that may not open a connection."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.frameworks.cases import QUESTION

pytestmark = pytest.mark.frameworks

ROOT = Path(__file__).parents[2]
TRACED = ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING")


def run(*line: str) -> str:
    """Return what a process prints, without the variables by which a user asks to be traced."""
    environment = {name: value for name, value in os.environ.items() if name not in TRACED}
    found = subprocess.run(  # noqa: S603
        [sys.executable, *line], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


@pytest.mark.parametrize("name", ["langchain_retriever.py", "llama_index_retriever.py"])
def test_an_example_prints_passages_with_their_sources(stores: Path, name: str) -> None:
    said = run(str(ROOT / "examples" / "agents" / name), str(stores / "plain"), QUESTION)
    lines = said.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("0.") and ": " in line for line in lines)
    assert "VBBE" in lines[0]


def test_no_connection_is_opened(stores: Path) -> None:
    said = run("-m", "tests.frameworks.offline", str(stores / "plain"))
    assert said.splitlines()[0] == "[2, 2, 2, 2]"
    assert QUESTION in said


def test_the_guard_finds_a_connection() -> None:
    code = (
        "import sys, socket; from tests.frameworks.offline import refuse; "
        "sys.addaudithook(refuse); socket.create_connection(('127.0.0.1', 1))"
    )
    line = [sys.executable, "-c", code]
    found = subprocess.run(line, cwd=ROOT, capture_output=True, check=False)  # noqa: S603
    assert found.returncode == 9

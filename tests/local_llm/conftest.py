"""A real, small model behind llama.cpp's server."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-llm" / "bin" / "python"


@contextmanager
def served() -> Iterator[str]:
    """Start the server for a block, and yield its address."""
    process = subprocess.Popen(  # noqa: S603
        [str(PYTHON), str(Path(__file__).with_name("serve.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.communicate()


@pytest.fixture(scope="session")
def model_url() -> Iterator[str]:
    with served() as url:
        yield url

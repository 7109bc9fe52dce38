"""The example of an agent, run as it stands, on an index of a real document."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[3] / "examples" / "agents" / "mcp_client.py"


def test_the_example_searches_reads_and_cites(ledger: Path) -> None:
    line = [sys.executable, str(EXAMPLE), str(ledger), "Which table replaces BSEG?"]
    found = subprocess.run(line, capture_output=True, text=True, check=False)  # noqa: S603
    assert found.returncode == 0, found.stderr
    said = dict(row.split(": ", 1) for row in found.stdout.splitlines() if ": " in row)
    assert list(said)[-4:] == ["read", "find_entity", "neighbours", "cite"]
    assert said["cite"] == "Table ACDOCA replaces table BSEG."

"""The example of an agent, run as it stands, on an index of a real document."""

import subprocess
import sys
from pathlib import Path

import graphrag_tasks

EXAMPLE = Path(__file__).parents[2] / "examples" / "agents" / "mcp_client.py"
TEXT = "# Ledger\n\nTable ACDOCA replaces table BSEG. The report ZFIN reads table ACDOCA.\n"


def test_the_example_searches_reads_and_cites(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "ledger.md").write_text(TEXT)
    store = tmp_path / "store"
    graphrag_tasks.index(tmp_path / "docs", store, load={"vector_store": "none"})
    line = [sys.executable, str(EXAMPLE), str(store), "Which table replaces BSEG?"]
    found = subprocess.run(line, capture_output=True, text=True, check=False)  # noqa: S603
    assert found.returncode == 0, found.stderr
    said = dict(row.split(": ", 1) for row in found.stdout.splitlines() if ": " in row)
    assert list(said)[-4:] == ["read", "find_entity", "neighbours", "cite"]
    assert said["cite"] == "Table ACDOCA replaces table BSEG."

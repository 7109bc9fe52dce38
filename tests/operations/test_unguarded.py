"""A script that starts a run unguarded: workers import it, and it is told so."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SCRIPT = """
from graphrag_tasks.core.config import load_config
from graphrag_tasks.operations.runner import run_index

{guard}
    config = load_config(environ={{}}, overrides={{
        "store": "store", "sources": ["docs"], "load": {{"vector_store": "none"}},
        "plan": {{"shard_bytes": 1}},
    }})
    run_index(config, workers=2, wait=True)
"""


GUARD = pytest.param("if __name__ == '__main__':", marks=pytest.mark.slow)


@pytest.mark.parametrize("guard", ["if True:", GUARD])
def test_a_script_without_a_guard_is_told_the_cause(tmp_path: Path, guard: str) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("a", "b"):
        (tmp_path / "docs" / f"{name}.txt").write_text("The report ZA reads the table MARA.")
    (tmp_path / "script.py").write_text(SCRIPT.format(guard=guard))
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        timeout=600, check=False,
    )  # fmt: skip
    if guard == "if True:":
        assert done.returncode == 1
        assert "memory" not in done.stderr
        last = done.stderr.strip().splitlines()[-1]
        assert last.startswith("graphrag_tasks.core.errors.ConfigError: shards: a worker process")
        assert "below: if __name__ == '__main__'" in last
        assert "imports a script that starts a run" in done.stderr
    else:
        assert done.returncode == 0, done.stderr

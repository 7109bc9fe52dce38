"""Notebooks: each was run from top to bottom, and runs on an index of the example corpus."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.config import load_config
from graphrag_tasks.operations.runner import run_index

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

each_notebook = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)


def code_cells(notebook: Path) -> list[dict[str, Any]]:
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


@each_notebook
def test_was_run_from_top_to_bottom_without_an_error(notebook: Path) -> None:
    cells = code_cells(notebook)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    kinds = {output["output_type"] for cell in cells for output in cell["outputs"]}
    assert kinds <= {"execute_result", "display_data", "stream"}
    streams = {output.get("name") for cell in cells for output in cell["outputs"]}
    assert "stderr" not in streams


@pytest.mark.slow
def test_runs_on_the_example_corpus(tmp_path: Path) -> None:
    store = tmp_path / "store"
    overrides = {"sources": [str(ROOT / "examples/corpus")], "store": str(store)}
    run_index(load_config(overrides=overrides), workers=1)
    for notebook in NOTEBOOKS:
        script = tmp_path / f"{notebook.stem}.py"
        script.write_text("\n".join("".join(cell["source"]) for cell in code_cells(notebook)))
        subprocess.run(  # noqa: S603
            [sys.executable, "-W", "error", str(script)], cwd=ROOT / "notebooks",
            env=os.environ | {"GRAPHRAG__STORE": str(store)}, check=True, capture_output=True,
        )  # fmt: skip

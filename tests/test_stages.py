"""The stage contract: what is required has been produced before, and layers hold."""

import shutil
import subprocess
import sys
from importlib import import_module
from importlib.metadata import distributions
from pathlib import Path

import pytest

from graphrag_tasks import schemas
from graphrag_tasks.pipeline import CORPUS_STAGES, SHARD_STAGES
from graphrag_tasks.snapshots import ARROW_TABLES, SNAPSHOT_TABLES
from graphrag_tasks.stage import code_version

ROOT = Path(__file__).parent.parent
STAGES = ("plan", *SHARD_STAGES, *CORPUS_STAGES)


def module_of(stage: str) -> str:
    return f"graphrag_tasks.{stage}"


def test_every_stage_finds_what_it_requires() -> None:
    there: set[str] = set()
    for stage in STAGES:
        module = import_module(module_of(stage))
        assert set(module.REQUIRES) <= there, stage
        there |= set(module.PRODUCES)
    assert there == {"sources", *SNAPSHOT_TABLES, *ARROW_TABLES}


@pytest.mark.parametrize("stage", STAGES)
def test_the_main_function_has_the_stages_name(stage: str) -> None:
    assert callable(getattr(import_module(module_of(stage)), stage))


def test_every_table_of_a_snapshot_has_a_schema() -> None:
    assert {*SNAPSHOT_TABLES, *ARROW_TABLES} <= {*schemas.SCHEMAS, *schemas.VECTOR_TABLES}


@pytest.mark.parametrize("changed", ["rules.py", "weights.json"])
def test_changed_code_changes_the_version(
    changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "some_stage"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / changed).write_text("1\n")
    monkeypatch.syspath_prepend(tmp_path)
    code_version.cache_clear()
    before = code_version("some_stage")
    (package / changed).write_text("2\n")
    code_version.cache_clear()
    assert code_version("some_stage") != before


def test_layers_hold() -> None:
    command = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    assert command
    done = subprocess.run([command], cwd=ROOT, capture_output=True, text=True)  # noqa: S603
    assert done.returncode == 0, done.stdout


def test_no_torch_and_no_cuda_is_installed() -> None:
    names = {str(one.metadata["Name"]).lower() for one in distributions()}
    assert names
    assert not {name for name in names if name == "torch" or name.startswith(("nvidia", "cuda"))}


@pytest.mark.parametrize(
    "module", ["graphrag_tasks.cli", "graphrag_tasks.pipeline", "graphrag_tasks.retrieval",
               "graphrag_tasks.config"]
)  # fmt: skip
def test_importing_is_light(module: str) -> None:
    heavy = "{'torch', 'spacy', 'docling', 'airflow', 'onnxruntime', 'pymilvus', 'pandas'}"
    code = f"import sys, {module}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"

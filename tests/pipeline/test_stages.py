"""The stage contract: what is required has been produced before, and layers hold."""

import shutil
import subprocess
import sys
from importlib import import_module
from importlib.metadata import distributions
from pathlib import Path

import grimp
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.core.stage import _imports_of, _source_of, code_of, code_version
from graphrag_tasks.pipeline import CORPUS_STAGES, SHARD_STAGES
from graphrag_tasks.pipeline.stages import MODULES
from graphrag_tasks.snapshots.store import ARROW_TABLES, SNAPSHOT_TABLES

ROOT = Path(__file__).parents[2]
STAGES = ("plan", *SHARD_STAGES, *CORPUS_STAGES)


def module_of(stage: str) -> str:
    return MODULES[stage]


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


@pytest.fixture
def imports() -> grimp.ImportGraph:
    return grimp.build_graph("graphrag_tasks", exclude_type_checking_imports=True)


def test_all_code_that_a_stage_imports_is_in_its_version(imports: grimp.ImportGraph) -> None:
    for name in (*SHARD_STAGES, *CORPUS_STAGES):
        module = module_of(name)
        imported = imports.find_upstream_modules(module, as_package=True)
        own = {module, *imports.find_descendants(module)}
        run = imported | own
        around = {
            one.rsplit(".", count)[0] for one in run for count in range(1, 1 + one.count("."))
        }
        assert code_of(module) == run | around, name


PROJECT = {
    "__init__.py": "",
    "stage/__init__.py": "from project.helpers import rules",
    "stage/weights.json": "{}",
    "helpers/__init__.py": "",
    "helpers/rules.py": "def rule():\n    import project.helpers.deep",
    "helpers/deep.py": "",
    "helpers/strange.py": "",
}
"""A stage that imports a module, which imports another in a function."""


def forget_code() -> None:
    for cached in (code_version, _source_of, _imports_of):
        cached.cache_clear()


@pytest.mark.parametrize("changed", PROJECT)
def test_changed_code_changes_the_version(
    changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in PROJECT.items():
        file = tmp_path / "project" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    forget_code()
    before = code_version("project.stage")
    (tmp_path / "project" / changed).write_text(f"{PROJECT[changed]}\n")
    forget_code()
    assert (code_version("project.stage") != before) == (changed != "helpers/strange.py")


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
               "graphrag_tasks.core.config"]
)  # fmt: skip
def test_importing_is_light(module: str) -> None:
    heavy = "{'torch', 'spacy', 'docling', 'airflow', 'onnxruntime', 'pymilvus', 'pandas'}"
    code = f"import sys, {module}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"

"""The stage contract: what is required has been produced before, and layers hold."""

import inspect
import shutil
import subprocess
import sys
from functools import partial
from importlib.metadata import distributions
from pathlib import Path

import grimp
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.core.stage import StageResult, _read, _source_of, code_of, code_version, stage, table
from graphrag_tasks.pipeline import inputs
from graphrag_tasks.pipeline.stages import STAGES, AnyStage, check_order

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("one", STAGES, ids=lambda one: one.name)
def test_a_stage_declares_what_its_function_takes(one: AnyStage) -> None:
    parameters = inspect.signature(one).parameters.values()
    needed = {each.name for each in parameters if each.default is each.empty}
    declared = [*(read.name for read in one.reads), *one.settings, *one.given]
    assert needed <= set(declared) <= {each.name for each in parameters}
    assert len(set(declared)) == len(declared)
    assert one.doc


@pytest.mark.parametrize("one", STAGES, ids=lambda one: one.name)
def test_a_stage_reads_columns_that_there_are(one: AnyStage) -> None:
    for read in one.reads:
        assert set(read.columns) <= set(schemas.SCHEMAS[read.name].names), read.name


def of(name: str, *reads: str, makes: tuple[str, ...]) -> AnyStage:
    def function(*_: object) -> StageResult:
        raise NotImplementedError

    function.__name__ = name
    return stage(per="corpus", reads=tuple(map(table, reads)), makes=makes)(function)


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        ([of("a", "x", makes=("y",))], "a reads 'x': no stage makes it"),
        ([of("a", makes=("x",)), of("b", makes=("x",))], "a and b both make 'x'"),
        ([of("a", "y", makes=("x",)), of("b", "x", makes=("y",))], "a reads 'y': b makes it, but runs later"),
    ],
)
def test_stages_that_contradict_each_other_are_refused(stages: list[AnyStage], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_order(stages)


@pytest.fixture
def imports() -> grimp.ImportGraph:
    return grimp.build_graph("graphrag_tasks", exclude_type_checking_imports=True)


def test_all_code_that_a_stage_imports_is_in_its_version(imports: grimp.ImportGraph) -> None:
    for one in STAGES:
        run, waiting = set[str](), {one.module, *imports.find_descendants(one.module)}
        while waiting:
            name = waiting.pop()
            run.add(name)
            around = {name.rsplit(".", count)[0] for count in range(1, 1 + name.count("."))}
            waiting |= (around | imports.find_modules_directly_imported_by(name)) - run
        assert code_of(one.module) == run, one.name


PROJECT = {
    "__init__.py": "",
    "stage/__init__.py": "from project.helpers import rules",
    "stage/weights.json": "{}",
    "stage/steps.sql": "",
    "helpers/words.yaml": "",
    "helpers/__init__.py": "",
    "helpers/rules.py": "def rule():\n    import project.helpers.deep",
    "helpers/deep.py": "",
    "helpers/strange.py": "",
}
"""A stage that imports a module, which imports another in a function."""


def forget_code() -> None:
    for cached in (code_version, _source_of, _read):
        cached.cache_clear()


@pytest.mark.parametrize("changed", PROJECT)
def test_changed_code_changes_the_version(changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in PROJECT.items():
        file = tmp_path / "project" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    forget_code()
    before = code_version("project.stage")
    more = "\nlimit = 1" if changed.endswith(".py") else "\n"
    (tmp_path / "project" / changed).write_text(PROJECT[changed] + more)
    forget_code()
    assert (code_version("project.stage") != before) == (changed != "helpers/strange.py")
    told = '"""What it does."""\n\n' if changed.endswith(".py") else ""
    (tmp_path / "project" / changed).write_text(f"{told}{PROJECT[changed]}{told and '  # why'}")
    forget_code()
    assert code_version("project.stage") == before


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


def test_code_is_read_again_only_after_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHRAG_CACHE", str(tmp_path))
    told = iter(("first", "second"))
    monkeypatch.setattr(inputs, "code_version", lambda _: next(told))
    for files, version in (("a", "first"), ("a", "first"), ("b", "second")):
        inputs._code_of_stage.cache_clear()
        monkeypatch.setattr(inputs, "_files", partial(str, files))
        assert inputs._code_of_stage("graphrag_tasks.none") == version

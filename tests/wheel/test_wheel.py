"""The wheel in empty environments: the core reads and asks, the extra indexes, both are small."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import pytest

pytestmark = pytest.mark.wheel
ROOT = Path(__file__).parents[2]
UV = str(Path(sys.executable).with_name("uv"))
DOCUMENTS = {
    "ledger.md": "# Ledger\n\nTable ACDOCA replaces table BSEG. The report ZFIN reads ACDOCA.\n",
    "orders.html": "<h1>Orders</h1><p>Table VBBE replaces table VBBS.</p>",
}
INDEX = """
import graphrag_tasks as graphrag
index = graphrag.index({documents!r}, {store!r})
print(graphrag.answer(index, "Which table replaces VBBS?"))
"""


@dataclass(frozen=True)
class Environment:
    """A virtual environment with the wheel and some extras."""

    folder: Path

    def run(self, *line: str) -> subprocess.CompletedProcess[str]:
        program = str(self.folder / "bin" / line[0])
        return subprocess.run(  # noqa: S603
            [program, *line[1:]], capture_output=True, text=True, check=False, cwd=self.folder
        )

    @property
    def megabytes(self) -> float:
        files = (one for one in (self.folder / "lib").rglob("*") if one.is_file())
        return sum(one.stat().st_size for one in files) / 1_000_000

    @property
    def packages(self) -> int:
        return len(list(self.folder.glob("lib/python*/site-packages/*.dist-info")))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    line = [UV, "build", "--quiet", "--wheel", "-o", str(folder), str(ROOT)]
    subprocess.run(line, check=True)  # noqa: S603
    return next(folder.glob("*.whl"))


def installed(wheel: Path, folder: Path, extra: str = "") -> Environment:
    """Return an empty environment with the wheel in it."""
    create = [UV, "venv", "--quiet", "--python", sys.executable, str(folder)]
    wanted = f"graphrag-tasks{f'[{extra}]' if extra else ''} @ {wheel.as_uri()}"
    python = ["--python", str(folder / "bin" / "python")]
    for line in (create, [UV, "pip", "install", "--quiet", *python, wanted]):
        subprocess.run(line, check=True)  # noqa: S603
    return Environment(folder)


@pytest.fixture(scope="module")
def core(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return installed(wheel, tmp_path_factory.mktemp("core") / "venv")


@pytest.fixture(scope="module")
def store(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store of two documents, indexed with the extra `index`."""
    folder = tmp_path_factory.mktemp("index")
    (folder / "docs").mkdir()
    for name, text in DOCUMENTS.items():
        (folder / "docs" / name).write_text(text)
    environment = installed(wheel, folder / "venv", "index")
    print(f"[index]: {environment.megabytes:.0f} MB, {environment.packages} packages")  # noqa: T201
    assert environment.megabytes <= 1100
    script = INDEX.format(documents=str(folder / "docs"), store=str(folder / "store"))
    (folder / "script.py").write_text(script)
    found = environment.run("python", str(folder / "script.py"))
    assert found.returncode == 0, found.stderr
    assert "Table VBBE replaces table VBBS." in found.stdout
    return folder / "store"


def test_the_core_is_small(core: Environment) -> None:
    print(f"core: {core.megabytes:.0f} MB, {core.packages} packages")  # noqa: T201
    assert core.megabytes <= 600
    assert core.packages <= 60


def test_the_core_reads_a_store_and_answers(core: Environment, store: Path) -> None:
    found = core.run("graphrag-tasks", "answer", "Which table replaces VBBS?", "--store", str(store))
    assert found.returncode == 0, found.stderr
    assert "Table VBBE replaces table VBBS." in found.stdout
    for line in (["query", "ACDOCA"], ["snapshots"], ["documents"]):
        done = core.run("graphrag-tasks", *line, "--store", str(store))
        assert (done.returncode, done.stderr) == (0, ""), line
    serve = [str(core.folder / "bin" / "graphrag-tasks"), "serve", "--port", "0", "--store", str(store)]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as served:  # noqa: S603
        try:
            address = (served.stdout or sys.stdin).readline().split()[1]
            with urlopen(f"{address}snapshots/current/ask?question=Which+table+replaces+VBBS%3F") as page:  # noqa: S310
                assert b"Table VBBE replaces table VBBS." in page.read()
        finally:
            served.terminate()


def test_the_core_names_the_extra_that_is_missing(core: Environment, store: Path) -> None:
    for line in (["index", str(store.parent / "docs")], ["query", "VBBS", "--mode", "paper"]):
        done = core.run("graphrag-tasks", *line, "--store", str(store))
        assert done.returncode == 1
        assert "pip install 'graphrag-tasks[index] @ file:" in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
    script = f"import graphrag_tasks as graphrag\nprint(graphrag.open_index({str(store)!r}).table('documents'))"
    frames = core.run("python", "-c", script)
    assert "pip install 'graphrag-tasks[notebook] @ file:" in frames.stderr
    doctor = core.run("graphrag-tasks", "doctor")
    assert doctor.returncode == 1
    assert "graphrag-tasks[index]" in doctor.stdout

"""The committed script of the graph page is what its sources give, built anew."""

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "graphrag_tasks" / "inspect" / "pages" / "static"


def test_the_committed_script_is_what_the_sources_give(tmp_path: Path) -> None:
    npm, node = shutil.which("npm"), shutil.which("node")
    if not (npm and node):
        pytest.skip("node and npm are not installed (nodejs.org)")
    sources = shutil.copytree(BUILT.with_name("web"), tmp_path / "web", ignore=shutil.ignore_patterns("node_modules"))
    build(npm, sources, "ci", "--no-audit", "--no-fund")
    build(npm, sources, "run", "build", "--", "--outDir", str(tmp_path / "static"))
    fresh = {one.name: one.read_bytes() for one in (tmp_path / "static").iterdir()}
    committed = {one.name: one.read_bytes() for one in BUILT.iterdir()}
    assert fresh.keys() == committed.keys() == {"graph.js", "icon.svg", "LICENSES.txt"}
    assert fresh == committed, "make web builds the script again"


def build(npm: str, folder: Path, *arguments: str) -> None:
    done = subprocess.run(  # noqa: S603
        [npm, *arguments], cwd=folder, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr

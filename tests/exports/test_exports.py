"""What is written for other programs, read by those programs: make test-exports.

No Neo4j server is at hand: its parser checks `load.cypher`, and a database in a wheel runs it.
"""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.inspect.export import Selection, provenance, whole_graph, write_property_graph
from graphrag_tasks.storage.snapshots.store import Snapshot
from tests.inspect.parts import HOSTILE, indexed, selection, sources
from tests.inspect.test_export_csv import FORMULAS

pytestmark = pytest.mark.exports

HERE = Path(__file__).parent
PYTHON = HERE.parents[1] / ".venv-exports" / "bin" / "python"
LOAD = HERE.parents[1] / "graphrag_tasks" / "inspect" / "export" / "load.cypher"
HARD = [*HOSTILE, *FORMULAS, "back\\slash", 'C:\\"x"', "ends\\", "a;b", "'quoted'", "]]>", "null"]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return indexed(tmp_path_factory.mktemp("exports"))


def theirs(program: str, folder: Path) -> Any:
    if not PYTHON.exists():
        pytest.skip("their programs are not installed: make test-exports")
    said = subprocess.run(  # noqa: S603 - a file of ours
        [str(PYTHON), "-W", "ignore", str(HERE / program), str(folder)], check=False,
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr[-2000:]
    return json.loads(said.stdout)


def test_the_script_loads_a_snapshot_and_facts_lead_to_documents(snapshot: Snapshot, tmp_path: Path) -> None:
    what = whole_graph(snapshot)
    of = provenance(snapshot, what)
    write_property_graph(what, of, tmp_path)
    found = theirs("load.py", tmp_path)
    assert len(found["entities"]) == what.entities.num_rows
    assert len(found["relations"]) == what.relations.num_rows
    assert len(found["chunks"]) == of.chunks.num_rows
    assert len(found["mentions"]) == of.mentions.num_rows
    assert ["table VBBE", "replaces", "table VBBS", "Table changes"] in found["sources"]


def test_hostile_names_are_loaded_as_they_are_written(tmp_path: Path) -> None:
    what = selection(HARD, [(0, 1, "needs"), (1, 2, "=reads"), (2, 3, 'is <b>, "so"')])
    write_property_graph(what, sources(what), tmp_path)
    found = theirs("load.py", tmp_path)
    assert [row[0] for row in found["entities"]] == sorted(what.entities["entity_id"].to_pylist())
    names = {row[0]: row[1] for row in found["entities"]}
    assert names == {f"e{number}": kept(name) for number, name in enumerate(HARD)}
    assert [row[:8] for row in found["relations"]] == [
        ["r0", "e0", "needs", "needs", "fact", "e1", False, 2.0],
        ["r1", "e1", "'=reads", "not =reads", "fact", "e2", True, 2.0],
        ["r2", "e2", 'is <b>, "so"', 'is <b>, "so"', "fact", "e3", False, 2.0],
    ]
    ((_, text, headings, place, page, _, title, uri),) = found["chunks"]
    assert text.startswith('It\'s "quoted" in C:\\ "')
    assert (headings, place, page) == (["'=One", "a,b"], 0, 3)
    assert (title, uri) == ("T", "docs/a b<c>.md")


def kept(name: str) -> str:
    """Return what is left of a name in one line, without formulas and controls."""
    line = " ".join(name.split())
    line = f"'{line}" if line[0] in "=+-@" else line
    line = line.replace("\x00", "\ufffd").replace("\x1b", "\ufffd")
    return {'C:\\"x"': 'C:\\ "x"', "ends\\": "ends\\ "}.get(line, line)


def test_neo4js_parser_and_checks_take_the_script() -> None:
    node = shutil.which("node")
    if not (node and (HERE / "node_modules").exists()):
        pytest.skip("Neo4j's parser is not installed: make test-exports, with node and npm")
    said = subprocess.run(  # noqa: S603 - a file of ours
        [node, str(HERE / "check.cjs"), str(LOAD)], check=True, capture_output=True, text=True, timeout=120
    )
    assert json.loads(said.stdout) == []


def test_an_empty_graph_is_loaded(tmp_path: Path) -> None:
    what: Selection = selection([], [])
    write_property_graph(what, sources(what), tmp_path)
    assert theirs("load.py", tmp_path)["entities"] == []

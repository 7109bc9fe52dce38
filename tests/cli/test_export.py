"""The command `export`: formats by the file's ending, and one clear error for what cannot be."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app
from graphrag_tasks.core import commands as extras
from graphrag_tasks.core.commands import install_command
from graphrag_tasks.core.errors import GraphragError, MissingDependencyError
from graphrag_tasks.inspect.export import NEO4J_FILES
from graphrag_tasks.inspect.pages import graph_file
from tests.corpora import made
from tests.inspect.parts import indexed

RUNNER = CliRunner()


def run(*arguments: str | Path) -> str:
    result = RUNNER.invoke(app, ["export", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    indexed(folder)
    return folder / "store"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("g.ttl", "@prefix prov: <http://www.w3.org/ns/prov#> ."),
        ("G.TTL", 'rdfs:label "table VBBE"'),
        ("g.nt", '<http://www.w3.org/2000/01/rdf-schema#label> "table VBBE" .'),
        ("g.html", '<script type="application/json" id="held">'),
        ("g.graphml", "<graphml"),
    ],
)
def test_the_ending_names_the_format(store: Path, tmp_path: Path, name: str, words: str) -> None:
    assert "entities" in run(tmp_path / name, "--store", store)
    assert words in (tmp_path / name).read_text("utf-8")


def test_a_folder_is_written_and_written_again(store: Path, tmp_path: Path) -> None:
    made = []
    for part in ((), ("--entity", "table VBBS"), ()):
        run(tmp_path / "out", "--format", "csv", "--store", store, *part)
        made.append({file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()})
    assert set(made[0]) == set(NEO4J_FILES)
    assert made[0] == made[2] != made[1]


def refused(store: Path, *arguments: str | Path) -> GraphragError:
    with pytest.raises(GraphragError) as caught:
        run(*arguments, "--store", store)
    return caught.value


def test_what_cannot_be_written_is_one_clear_error(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder.ttl").mkdir()
    monkeypatch.setattr(graph_file, "MOST_ENTITIES_HELD", 2)
    for arguments, words in (
        (["x.doc"], "names no format. Name one by --format: graphml, json, ttl, nt"),
        (["x"], "names no format"),
        (["x.ttl", "--community", "nothing"], "there is no community 'nothing'"),
        (["x.html", "--entity", "table VBBX"], "no entity is called 'table VBBX'. Did you mean"),
        (["full", "--format", "csv"], "the folder holds other files, such as mine.txt. Name a"),
        (["file", "--format", "csv"], "cannot be written: File exists"),
        (["folder.ttl"], "cannot be written: Is a directory"),
        (["gone/x.nt"], "cannot be written: No such file or directory"),
        (["x.html"], "more than one page holds (2). Choose a part: --entity NAME"),
        (["x.ttl", "--base", "graph"], "--base graph: is no beginning of IRIs. Give an absolute"),
        (["x.json", "--base", "urn:x:"], "a file of the format json has no IRIs"),
    ):
        assert words in str(refused(store, tmp_path / arguments[0], *arguments[1:]))
    assert [file.name for file in (tmp_path / "full").iterdir()] == ["mine.txt"]
    assert (tmp_path / "file").read_text() == "mine"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose documents name nothing."""
    folder = tmp_path_factory.mktemp("empty")
    return Path(made(folder, {"a.md": "It is so.\n"}).store)


@pytest.mark.parametrize("name", ["x.ttl", "x.html", "x.graphml", "x"])
def test_an_empty_graph_is_said_to_be_empty(empty: Path, tmp_path: Path, name: str) -> None:
    kind = ("--format", "csv") if name == "x" else ()
    error = refused(empty, tmp_path / name, *kind)
    assert "the graph is empty" in str(error)
    assert "documents --problems" in str(error)
    assert not (tmp_path / name).exists()


def test_without_rdflib_one_line_says_how_to_install_it(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    error = refused(store, tmp_path / "g.ttl")
    assert isinstance(error, MissingDependencyError)
    assert str(error) == f"rdf: rdflib is not installed. {install_command('rdf')}"
    run(tmp_path / "g.html", "--store", store)

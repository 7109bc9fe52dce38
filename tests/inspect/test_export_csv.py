"""CSV: the headers are those of `neo4j-admin`, a row is a line, no cell is a formula."""

import csv
import io
import re
from pathlib import Path

import pytest

from graphrag_tasks.inspect.export import NEO4J_FILES, Selection, provenance, whole_graph, write_property_graph
from tests.inspect.parts import HOSTILE, SMALL, indexed, selection, sources

FORMULAS = ["=cmd|' /C calc'!A0", "+1", "-2+3", "@cmd", "\t=1+1", "\r=1+1", " =1"]
TYPES = {"long", "double", "boolean", "string[]", "ID"}
"""Of columns that we write; the types of `neo4j-admin database import` and its id."""


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def written(what: Selection, folder: Path) -> Path:
    write_property_graph(what, sources(what), folder)
    return folder


def test_the_headers_follow_the_rules_of_neo4j_admin(tmp_path: Path) -> None:
    written(SMALL, tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == set(NEO4J_FILES)
    nodes, relationships = NEO4J_FILES[:3], NEO4J_FILES[3:6]
    for name in (*nodes, *relationships):
        header = (tmp_path / name).read_text("utf-8").partition("\n")[0].split(",")
        assert len(header) == len(set(header))
        wanted = [":LABEL"] if name in nodes else [":START_ID", ":END_ID", ":TYPE"]
        assert [column for column in header if column.startswith(":")] == wanted
        typed = [column.split(":") for column in header if not column.startswith(":")]
        assert {parts[1] for parts in typed if len(parts) > 1} <= TYPES
        assert [parts[0] for parts in typed if parts[1:] == ["ID"]] == ["id"] * (name in nodes)


def test_ends_of_relationships_are_nodes_and_rows_are_lines(tmp_path: Path) -> None:
    written(SMALL, tmp_path)
    ids = {row["id:ID"] for name in NEO4J_FILES[:3] for row in rows(tmp_path, name)}
    for name in NEO4J_FILES[3:6]:
        found = rows(tmp_path, name)
        assert {row[end] for row in found for end in (":START_ID", ":END_ID")} <= ids
    for name in NEO4J_FILES[:6]:
        text = (tmp_path / name).read_text("utf-8")
        assert text.count("\n") == len(rows(tmp_path, name)) + 1
    names = [row["name"] for row in rows(tmp_path, "nodes.csv")]
    assert names[1:4] == [f"'{HOSTILE[1]}", HOSTILE[2], HOSTILE[3]]
    (first, second, *_) = rows(tmp_path, "relationships.csv")
    assert (first[":START_ID"], first[":END_ID"], first[":TYPE"]) == ("e0", "e1", "RELATES_TO")
    assert (first["negated:boolean"], second["negated:boolean"]) == ("false", "true")
    assert (second["relation"], second["chunk_ids:string[]"]) == ("'=reads", "c")


@pytest.mark.parametrize("name", FORMULAS)
def test_no_cell_is_a_formula(name: str, tmp_path: Path) -> None:
    what = selection([name, "b"], [(0, 1, name)], title=name)
    written(what, tmp_path)
    texts = [(tmp_path / one).read_text("utf-8") for one in NEO4J_FILES[:6]]
    cells = [cell for text in texts for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if re.match(r"\s*[=+\-@]", cell)]
    assert f"'{name.strip()}" in cells


def test_the_sources_of_a_snapshot_are_written_and_always_the_same(tmp_path: Path) -> None:
    snapshot = indexed(tmp_path)
    what = whole_graph(snapshot)
    made = []
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        write_property_graph(what, provenance(snapshot, what), folder)
        made.append({file.name: file.read_bytes() for file in folder.iterdir()})
    assert made[0] == made[1]
    chunks = {row["id:ID"]: row["text"] for row in rows(tmp_path / "one", "chunks.csv")}
    facts = rows(tmp_path / "one", "relationships.csv")
    (fact,) = [row for row in facts if row["phrase"] == "replaces"]
    assert "The table VBBE replaces the table VBBS." in chunks[fact["chunk_ids:string[]"]]

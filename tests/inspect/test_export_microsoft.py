"""Microsoft GraphRAG's tables: the columns, their types, and what they hold."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from graphrag_tasks.inspect.export import (
    GRAPHRAG_FILES,
    Selection,
    neighbourhood,
    provenance,
    whole_graph,
    write_graphrag,
)
from graphrag_tasks.snapshots.store import Snapshot
from tests.inspect.parts import indexed

COLUMNS = {
    "entities": "id human_readable_id title type description text_unit_ids frequency degree",
    "relationships": "id human_readable_id source target description weight combined_degree "
    "text_unit_ids",
    "text_units": "id human_readable_id text n_tokens document_id entity_ids relationship_ids "
    "covariate_ids",
    "documents": "id human_readable_id title text text_unit_ids creation_date raw_data",
    "communities": "id human_readable_id community level parent children title entity_ids "
    "relationship_ids text_unit_ids period size",
    "community_reports": "id human_readable_id community level parent children title summary "
    "full_content rank rating_explanation findings full_content_json period size",
}
"""The `…_FINAL_COLUMNS` of graphrag 3.3.0, which `make test-exports` compares with the package."""

INTEGERS = {"human_readable_id", "frequency", "degree", "combined_degree", "n_tokens", "community",
            "level", "parent", "size"}  # fmt: skip


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return indexed(tmp_path_factory.mktemp("microsoft"))


def tables(snapshot: Snapshot, what: Selection, folder: Path) -> dict[str, Any]:
    folder.mkdir(exist_ok=True)
    write_graphrag(snapshot, what, provenance(snapshot, what), folder)
    assert {file.name for file in folder.iterdir()} == set(GRAPHRAG_FILES)
    return {file.stem: pq.read_table(file) for file in folder.iterdir()}


def test_the_columns_are_those_of_graphrag_with_its_types(
    snapshot: Snapshot, tmp_path: Path
) -> None:
    found = tables(snapshot, whole_graph(snapshot), tmp_path)
    assert found.keys() == COLUMNS.keys()
    for name, columns in COLUMNS.items():
        schema = found[name].schema
        assert set(columns.split()) <= set(schema.names), name
        for column in schema:
            if column.name in INTEGERS:
                assert column.type == pa.int64(), column.name
            elif column.name.endswith("_ids"):
                assert column.type == pa.list_(pa.string()), column.name
        numbers = found[name]["human_readable_id"].to_pylist()
        assert numbers == list(range(len(numbers)))
    assert found["relationships"].schema.field("weight").type == pa.float64()
    assert found["community_reports"].schema.field("rank").type == pa.float64()


def test_the_tables_refer_to_each_other(snapshot: Snapshot, tmp_path: Path) -> None:
    what = whole_graph(snapshot)
    found = {name: table.to_pylist() for name, table in
             tables(snapshot, what, tmp_path).items()}  # fmt: skip
    assert len(found["entities"]) == what.entities.num_rows
    assert len(found["relationships"]) == what.relations.num_rows
    titles = {row["title"] for row in found["entities"]}
    ends = {row[end] for row in found["relationships"] for end in ("source", "target")}
    assert ends <= titles
    ids = {name: {row["id"] for row in rows} for name, rows in found.items()}
    for row in (*found["entities"], *found["relationships"], *found["communities"]):
        assert set(row["text_unit_ids"]) <= ids["text_units"]
    for row in found["text_units"]:
        assert row["document_id"] in ids["documents"]
        assert row["document_ids"] == [row["document_id"]]
        assert set(row["entity_ids"]) <= ids["entities"]
        assert set(row["relationship_ids"]) <= ids["relationships"]
        assert row["n_tokens"] > 0
    numbers = {row["community"] for row in found["communities"]}
    for row in found["communities"]:
        assert row["parent"] in numbers | {-1}
        assert (row["parent"] == -1) == (row["level"] == 0)
        assert set(row["children"]) <= numbers
        assert row["size"] == len(row["entity_ids"])
    assert [row["community"] for row in found["community_reports"]] == sorted(numbers)
    assert all(row["full_content"].startswith(f"# {row['title']}\n")
               for row in found["community_reports"])  # fmt: skip


def test_descriptions_and_texts_are_those_of_documents(snapshot: Snapshot, tmp_path: Path) -> None:
    found = tables(snapshot, whole_graph(snapshot), tmp_path)
    entities = {row["title"]: row for row in found["entities"].to_pylist()}
    assert "table VBBE replaces table VBBS." in entities["table VBBS"]["description"]
    assert entities["table VBBS"]["degree"] >= 3
    documents = {row["title"]: row["text"] for row in found["documents"].to_pylist()}
    assert documents["Table changes"].startswith("Table changes\n\nThe table VBBE replaces")


def test_a_part_has_its_own_communities_and_documents(snapshot: Snapshot, tmp_path: Path) -> None:
    what = neighbourhood(snapshot, "transaction MD04")
    found = tables(snapshot, what, tmp_path)
    assert found["entities"].num_rows == what.entities.num_rows
    members = {one for row in found["communities"]["entity_ids"].to_pylist() for one in row}
    assert members <= set(found["entities"]["id"].to_pylist())
    assert "Denied" not in found["communities"]["title"].to_pylist()


def test_names_that_come_twice_are_told_apart(snapshot: Snapshot, tmp_path: Path) -> None:
    what = whole_graph(snapshot)
    names = ["Zürich", "Zürich (2)", "Zürich", "Zürich"] + ["x"] * (what.entities.num_rows - 4)
    twice = what.entities.set_column(1, "name", pa.array(names))
    found = tables(snapshot, Selection("T", twice, what.relations), tmp_path)
    titles = found["entities"]["title"].to_pylist()
    assert titles[:4] == ["Zürich", "Zürich (2)", "Zürich (3)", "Zürich (4)"]
    assert len(set(titles)) == len(titles)


def test_the_same_graph_gives_the_same_bytes(snapshot: Snapshot, tmp_path: Path) -> None:
    for name in ("one", "other"):
        tables(snapshot, whole_graph(snapshot), tmp_path / name)
    for name in GRAPHRAG_FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()

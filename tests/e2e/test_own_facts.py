"""Files of facts: what people write by hand is in the graph as it stands, and can be found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag_tasks.answering import answer
from graphrag_tasks.cli import app
from graphrag_tasks.language.times import TIME_COLUMNS
from graphrag_tasks.operations.documents import document_reports
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.storage.snapshots.store import Snapshot, Store
from tests.corpora import configured

HEADER = "Head,RELATION,tail,head_type,tail_type,negated,valid_from,valid_to,source\n"
ROWS = """\
Billing,runs on,Kubernetes,service,platform,,2024-01-01,,CMDB
Atlas Team,owns,Billing,team,service,false,,,
Ledger,runs on,Kubernetes,service,,TRUE,,,
Ledger,depends on,"Billing",service,service,,2023,2025-06,interview
"""
TEXT = "# Systems\n\nBilling sends invoices to customers. Ledger keeps the accounts.\n"
Fact = tuple[str, str, str, bool]


def indexed(folder: Path, **files: str) -> Snapshot:
    """Index files, whose names are given with `__` for the dot."""
    (folder / "docs").mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / "docs" / name.replace("__", ".")).write_text(text, "utf-8")
    run_index(configured(folder, sources=[str(folder / "docs")]), workers=1)
    return Store(str(folder / "store")).open()


def entities(snapshot: Snapshot) -> set[tuple[str, str | None]]:
    return {(row["name"], row["type"]) for row in snapshot.table("entities").to_pylist()}


def facts(snapshot: Snapshot) -> set[Fact]:
    named = {row["entity_id"]: row["name"] for row in snapshot.table("entities").to_pylist()}
    return {
        (named[row["head_id"]], row["relation"], named[row["tail_id"]], row["negated"])
        for row in snapshot.table("relations").to_pylist()
        if row["kind"] == "fact"
    }


def times(snapshot: Snapshot) -> set[tuple[str, ...]]:
    """Return head and time of the facts between entities."""
    columns = ["triple_id", "head", *TIME_COLUMNS]
    told = {row.pop("triple_id"): row for row in snapshot.table("triples", columns).to_pylist()}
    stated = (told[one] for one in snapshot.table("evidence")["triple_id"].to_pylist())
    return {tuple(row.values()) for row in stated if row["valid_kind"]}


GIVEN = {
    ("Billing", "runs on", "Kubernetes", False),
    ("Atlas Team", "owns", "Billing", False),
    ("Ledger", "runs on", "Kubernetes", True),
    ("Ledger", "depends on", "Billing", False),
}
TYPED = {("Billing", "SERVICE"), ("Atlas Team", "TEAM"), ("Ledger", "SERVICE"), ("Kubernetes", "PLATFORM")}


def test_each_row_is_a_sentence_and_a_fact_and_nothing_else_is_read(tmp_path: Path) -> None:
    snapshot = indexed(tmp_path, systems__facts__csv=HEADER + ROWS)
    assert [row["text"] for row in snapshot.table("sentences").to_pylist()] == [
        "Billing runs on Kubernetes (from 2024-01-01; source: CMDB).",
        "Atlas Team owns Billing.",
        "Ledger does not run on Kubernetes.",
        "Ledger depends on Billing (from 2023 to 2025-06; source: interview).",
    ]
    assert (facts(snapshot), entities(snapshot)) == (GIVEN, TYPED)
    assert snapshot.table("triples").num_rows == len(GIVEN)


def test_facts_join_the_names_of_texts_and_answer_with_their_own_row(tmp_path: Path) -> None:
    snapshot = indexed(tmp_path, facts__csv=HEADER + ROWS, text__md=TEXT)
    assert facts(snapshot) > GIVEN
    assert ("Billing", "SERVICE") in entities(snapshot)
    index = open_index(str(tmp_path / "store"))
    assert {hit.text for hit in index.neighbors("Billing")} >= {"Atlas Team owns Billing", "Billing runs on Kubernetes"}
    reply = answer(index, "Which team owns Billing?")
    assert [one.text for one in reply.sentences] == ["Atlas Team owns Billing."]
    source = reply.sentences[0].citations[0].source
    assert (source.title, source.uri) == ("Given by facts.csv", "docs/facts.csv")


def test_rows_that_state_no_fact_are_named_and_the_others_live(tmp_path: Path) -> None:
    bad = (
        "Ledger,,Postgres\nLedger,uses,Postgres,,,perhaps\nA1,uses,B1,,,,2024-04-31\n"
        "A1,uses,B1,,,,20240\nA1,uses,B1,,,,2024,2023-05\nA1,uses,B1,,,,,,x,y\nA1,uses,B1,,,,3.10,3.9\n"
    )
    text = "owner;" + HEADER.replace(",", ";") + "me;Billing;runs on;Kubernetes\n"
    snapshot = indexed(tmp_path, facts__csv=HEADER + ROWS + bad, b__facts__csv=text)
    assert facts(snapshot) == GIVEN
    told = {one.uri: one for one in document_reports(snapshot)}
    whole, columns = told["docs/facts.csv"], told["docs/b.facts.csv"].reason
    assert (whole.status, whole.code, whole.left_out) == ("partial", "facts_left_out", {"fact": 7})
    for words in (
        "6: the relation is empty", "7: negated is 'perhaps'", "8: valid_from is '2024-04-31'",
        "9: valid_from is '20240'", "10: it ends (2023-05) before it begins", "11: its quotes",
        "12: it ends (3.9) before it begins (3.10)",
    ):  # fmt: skip
        assert f"row {words}" in whole.reason
    assert "not read: owner" in columns
    shown = CliRunner().invoke(app, ["documents", "--problems", "--store", str(tmp_path / "store")])
    assert "row 6: the relation is empty" in " ".join(shown.stdout.split())


def test_a_file_without_the_columns_is_an_ordinary_table(tmp_path: Path) -> None:
    snapshot = indexed(tmp_path, facts__csv="System,Owner\nBilling,Atlas Team\nLedger,Borealis\n")
    assert snapshot.table("documents").to_pylist()[0]["media_type"] == "csv"
    assert "System: Billing | Owner: Atlas Team" in snapshot.table("chunks")["text"][0].as_py()


def test_a_fact_given_and_denied_is_kept_both_ways(tmp_path: Path) -> None:
    lines = [
        {"head": "Billing", "relation": "uses", "tail": "Ledger"},
        {"head": "Billing", "relation": "uses", "tail": "Ledger", "negated": True, "source": 7},
    ]
    text = "\n".join([*map(json.dumps, lines), "[1]", '{"head": ["x"]}'])
    snapshot = indexed(tmp_path, facts__jsonl=text)
    assert facts(snapshot) == {("Billing", "uses", "Ledger", denied) for denied in (False, True)}
    assert "row 3: it is no JSON object" in document_reports(snapshot)[0].reason


def test_common_nouns_that_are_given_are_things(tmp_path: Path) -> None:
    rows = "".join(f"cache,stores,Item {number}\n" for number in range(9))
    snapshot = indexed(tmp_path, facts__csv=f"sep=,\nhead,relation,tail\n{rows}cache,stores\n")
    assert ("cache", None) in entities(snapshot)
    assert snapshot.table("relations").num_rows == len(rows.splitlines())
    assert "row 12: the tail is empty" in document_reports(snapshot)[0].reason


def test_an_edited_file_is_read_anew_and_equals_a_first_run(tmp_path: Path) -> None:
    indexed(tmp_path / "a", facts__csv=HEADER + ROWS, text__md=TEXT)
    edited = HEADER + ROWS.replace("Atlas", "Borealis")
    again = indexed(tmp_path / "a", facts__csv=edited)
    first = indexed(tmp_path / "b", facts__csv=edited, text__md=TEXT)
    tables = ({name: one.sha256 for name, one in each.manifest.tables.items()} for each in (again, first))
    assert next(tables) == next(tables)


def test_an_exported_graph_can_be_given_back(tmp_path: Path) -> None:
    text = TEXT + "\nAtlas Team maintained Ledger until release 3.x.\n"
    snapshot = indexed(tmp_path / "a", facts__csv=HEADER + ROWS, text__md=text)
    file = tmp_path / "facts.jsonl"
    arguments = ["export", str(file), "--store", str(tmp_path / "a/store")]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    back = indexed(tmp_path / "b", facts__jsonl=file.read_text("utf-8"))
    assert facts(back) == facts(snapshot)
    assert times(back) == times(snapshot) == {
        ("Billing", "from", "2024-01-01", None), ("Ledger", "range", "2023", "2025-06"),
        ("Atlas Team", "until", None, "3.x"),
    }  # fmt: skip
    assert TYPED <= entities(back) <= entities(snapshot)


@pytest.mark.parametrize("most", [100, 60])
def test_facts_that_a_chunk_cannot_hold_are_facts_all_the_same(tmp_path: Path, most: int) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/facts.csv").write_text(HEADER + ROWS)
    chunk = {"max_characters": most, "overlap_characters": 0}
    run_index(configured(tmp_path, sources=[str(tmp_path / "docs")], chunk=chunk), workers=1)
    assert facts(Store(str(tmp_path / "store")).open()) == GIVEN

"""The DAGs: they load, and run to their ends; graphrag_reindex reads like the method's figure."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.dags.conftest import SECRETS, InAirflow


@pytest.fixture(scope="module")
def store(in_airflow: InAirflow) -> Path:
    return in_airflow.store


@pytest.fixture(scope="module")
def seen(in_airflow: InAirflow) -> dict[str, Any]:
    return in_airflow.dags


def test_no_secret_is_in_airflows_database_its_logs_or_the_store(in_airflow: InAirflow) -> None:
    folders = (in_airflow.home, in_airflow.store)
    files = [one for top in folders for one in top.rglob("*") if one.is_file()]
    written = {one.name: one.read_bytes() for one in files}
    assert b"graphrag_reindex" in written["airflow.db"]
    for name, data in written.items():
        assert not [one for one in SECRETS.values() if one.encode() in data], name


def test_the_dag_is_safe_to_deploy(seen: dict[str, Any]) -> None:
    dag = seen["dag"]
    assert (dag["max_active_runs"], dag["paused"], dag["catchup"]) == (1, True, False)
    assert dag["unbounded"] == []
    assert "CURRENT" in dag["doc"]


def test_every_run_ends(seen: dict[str, Any]) -> None:
    assert seen["hours"] == {
        "graphrag_reindex": 12, "graphrag_maintenance": 12, "graphrag_evaluate": 4,
        "graphrag_ontology": 80,
    }  # fmt: skip


def test_shards_have_a_pool_of_their_own(seen: dict[str, Any]) -> None:
    for task_id, pool in seen["pools"].items():
        shard = task_id.startswith("shard.") or task_id in ("adopt", "embed_parts")
        others = {"ask": "graphrag_llm"}.get(task_id, "default_pool")
        assert pool == ("graphrag_shards" if shard else others), task_id


def test_the_graph_is_the_methods_figure(seen: dict[str, Any]) -> None:
    chain = [
        "plan", "shard.parse", "shard.chunk", "shard.filter_sentences", "shard.extract",
        "ask", "adopt", "merge_shards", "entity_dictionary", "normalize", "resolve",
        "link_mentions", "relationships", "communities", "embed_parts", "embed", "load", "publish",
    ]  # fmt: skip
    assert {tuple(edge) for edge in seen["dag"]["edges"]} == set(pairwise(chain))


def test_with_batches_and_approval_they_stand_before_ask(seen: dict[str, Any]) -> None:
    added = {
        ("shard.extract", "price"), ("price", "approve"), ("approve", "approved"),
        ("approved", "batches"), ("price", "batches"), ("batches", "ask"),
    }  # fmt: skip
    edges = {tuple(edge) for edge in seen["reading"]["edges"]}
    assert (
        edges == {tuple(one) for one in seen["dag"]["edges"]} - {("shard.extract", "ask")} | added
    )


def test_a_run_reads_in_batches_while_its_task_sleeps(
    seen: dict[str, Any], in_airflow: InAirflow
) -> None:
    found = seen["reading"]
    assert found["state"] == "success", found["tasks"]
    states = found["tasks"]
    skipped = {name for name, state in states.items() if state != "success"}
    assert skipped == {"approve", "approved"}
    assert found["sleeps"]
    assert "LLM read 2 of 2 windows" in found["note"]
    assert in_airflow.paid == [1]


def test_every_param_is_typed(seen: dict[str, Any]) -> None:
    params = seen["dag"]["params"]
    assert set(params) == {
        "sources", "store", "extractor", "full_refresh", "allow_mass_delete", "allow_quality_drop",
        "max_failed_share", "budget_usd",
    }  # fmt: skip
    assert all(schema["type"] and schema["description"] for schema in params.values())
    assert params["extractor"]["enum"] == ["dependency", "hybrid", "llm"]


def test_terminal_errors_are_not_retried_and_transient_ones_are(seen: dict[str, Any]) -> None:
    assert set(map(tuple, seen["dag"]["retries"].values())) == {(2, "fail", "retry")}


def test_a_run_publishes(seen: dict[str, Any], store: Path) -> None:
    first = seen["runs"][0]
    assert first["state"] == "success"
    states = dict(first["tasks"])
    assert (states.pop("ask"), states.pop("adopt")) == ("success", "skipped")
    assert set(states.values()) == {"success"}
    manifest = store / "snapshots" / first["current"].strip() / "manifest.json"
    counts = json.loads(manifest.read_text())["stats"]["counts"]
    assert (counts["documents"], counts["documents_skipped"]) == (3, 1)
    assert counts["relations"] >= 2
    assert first["link"] == f"/team/airflow/graphrag/snapshots/{first['current'].strip()}"


def test_a_task_does_several_shards_where_there_are_more_than_tasks(
    seen: dict[str, Any], store: Path
) -> None:
    first = seen["runs"][0]
    assert first["mapped"] == 2
    manifest = store / "snapshots" / first["current"].strip() / "manifest.json"
    stages = json.loads(manifest.read_text())["stats"]["stages"]
    assert {one["stage"]: one["tasks"] for one in stages}["extract"] == 3


def test_a_run_with_nothing_to_do_publishes_nothing_and_succeeds(seen: dict[str, Any]) -> None:
    first, second, _ = seen["runs"]
    assert second["state"] == "success"
    assert second["tasks"]["shard.parse"] == "skipped"
    assert second["tasks"]["publish"] == "skipped"
    assert second["current"] == first["current"]
    assert not second["link"]


def test_a_missing_source_fails_the_run_and_changes_nothing(seen: dict[str, Any]) -> None:
    first, _, third = seen["runs"]
    assert third["state"] == "failed"
    assert third["tasks"]["plan"] == "failed"
    assert third["current"] == first["current"]


def test_the_note_of_a_run_says_how_it_ended(seen: dict[str, Any], store: Path) -> None:
    published, nothing, failed = (run["note"] for run in seen["runs"])
    current = seen["runs"][0]["current"].strip()
    assert published.startswith(
        "Published: 3 added, 0 changed, 0 removed, 0 unchanged, 3 documents"
    )
    assert published.endswith(f" Snapshot {current}.")
    assert nothing == f"Nothing changed: snapshot {current} is current already"
    assert failed.startswith("plan failed: ")
    assert f"{store.parent}/un!\\[mounted\\]&lt;img src=x&gt;: the source does" in failed


def test_a_note_that_a_user_wrote_stays(seen: dict[str, Any]) -> None:
    assert seen["written by hand"] == "Mounted again"


def test_a_deadline_can_be_set_and_is_told_of(seen: dict[str, Any]) -> None:
    assert seen["deadlines"] == [5400]
    assert seen["alerted"] == ["running", "success"]
    (alert,) = seen["alert"]
    assert alert.startswith("graphrag_reindex: the run of tonight is late")


def test_the_nightly_run_goes_first_and_shards_one_after_the_other(seen: dict[str, Any]) -> None:
    assert seen["weights"] == {
        "graphrag_reindex": [["absolute", 2]],
        "graphrag_maintenance": [["absolute", 1]],
        "graphrag_evaluate": [["absolute", 1]],
        "graphrag_ontology": [["absolute", 1]],
    }


def test_maintenance_tidies_up_and_verifies(seen: dict[str, Any]) -> None:
    found = seen["maintained"]
    assert (found["state"], set(found["tasks"])) == ("success", {"gc", "verify"})
    assert found["returned"]["gc"]["snapshots"] == []
    assert found["returned"]["verify"] == [seen["runs"][0]["current"].strip()]


def test_evaluation_asks_the_users_questions(seen: dict[str, Any], store: Path) -> None:
    found = seen["evaluated"]["returned"]["evaluate"]
    assert found["metrics"]["dense"]["recall@5"] == 1.0
    tables = store / "evaluations" / found["snapshot_id"] / "results.md"
    assert "recall@5" in tables.read_text().lower()


def test_without_questions_evaluation_is_skipped(seen: dict[str, Any]) -> None:
    assert seen["not evaluated"]["tasks"] == {"evaluate": "skipped"}

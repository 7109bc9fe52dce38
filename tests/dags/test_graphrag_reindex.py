"""The DAGs: they load, and run to their ends; graphrag_reindex reads like the method's figure."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.dags.conftest import SECRETS, InAirflow

FRAME = "/team/airflow/plugin/graphrag/team/airflow/graphrag"
"""What addresses within the frame of Airflow's UI begin with."""


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
        "graphrag_reindex": 12, "graphrag_maintenance": 12, "graphrag_evaluate": 4, "graphrag_ontology": 80,
    }  # fmt: skip


def test_shards_have_a_pool_of_their_own(seen: dict[str, Any]) -> None:
    for task_id, pool in seen["pools"].items():
        shard = task_id.startswith("shard.") or task_id in ("adopt", "embed_parts")
        others = {"ask": "graphrag_llm"}.get(task_id, "default_pool")
        assert pool == ("graphrag_shards" if shard else others), task_id


def test_tasks_of_the_whole_corpus_have_a_pod_of_their_own(seen: dict[str, Any]) -> None:
    larger = {name for name, told in seen["templates"].items() if told}
    assert all(seen["templates"][name] == {"pod_template_file": "/pods/corpus.yaml"} for name in larger)
    of_shards = {"plan", "ask", "adopt"}
    assert larger == {name for name in seen["templates"] if name not in of_shards and "shard." not in name}


def test_the_graph_is_the_methods_figure(seen: dict[str, Any]) -> None:
    chain = [
        "plan", "shard.parse", "shard.chunk", "shard.filter_sentences", "shard.extract",
        "merge_shards", "versions", "entity_dictionary", "normalize", "resolve", "link_mentions",
        "relationships", "communities", "embed_parts", "embed", "load", "publish",
    ]  # fmt: skip
    assert {tuple(edge) for edge in seen["dag"]["edges"]} == set(pairwise(chain))


def test_where_a_model_is_named_it_reads_after_batches_and_approval(seen: dict[str, Any]) -> None:
    added = {
        ("shard.extract", "price"), ("price", "approve"), ("approve", "approved"), ("approved", "batches"),
        ("price", "batches"), ("batches", "ask"), ("ask", "adopt"), ("adopt", "merge_shards"),
    }  # fmt: skip
    edges = {tuple(edge) for edge in seen["reading"]["edges"]}
    without = {tuple(one) for one in seen["dag"]["edges"]}
    assert edges == without - {("shard.extract", "merge_shards")} | added


def test_a_run_that_no_model_reads_has_a_task_that_does_nothing(seen: dict[str, Any]) -> None:
    unread = seen["reading"]["unread"]
    assert (unread["state"], unread["tasks"]["ask"], unread["tasks"]["adopt"]) == ("success",) * 3
    assert "adopt: no model reads in this run" in unread["names"]


def test_a_run_of_few_documents_does_several_stages_in_a_task(seen: dict[str, Any]) -> None:
    started = {name for name, state in seen["reading"]["unread"]["tasks"].items() if state != "skipped"}
    assert started >= {"plan", "shard.parse", "merge_shards", "resolve", "embed", "publish"} and len(started) == 10


def test_only_dags_are_parsed_as_dags_and_each_has_a_description(seen: dict[str, Any]) -> None:
    described = seen["descriptions"]
    assert seen["files"] == sorted(f"{dag_id}.py" for dag_id in described)
    assert len(described) == 4 and all(described.values())


def test_mapped_tasks_have_names_that_a_person_reads(seen: dict[str, Any]) -> None:
    names = seen["runs"][0]["names"]
    (one, two) = [one for one in names if one.startswith("shard.parse")]
    assert (one, two.endswith(" and 1 more")) == ("shard.parse: corpus/a.txt", True)
    assert [one for one in names if "embed" in one] == ["embed_parts: part 1 of 2", "embed_parts: part 2 of 2"]


def test_a_run_reads_in_batches_while_its_task_sleeps(seen: dict[str, Any], in_airflow: InAirflow) -> None:
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
    told = ("type", "title", "description")
    assert all(schema[name] for schema in params.values() for name in told)
    assert params["extractor"]["enum"] == ["dependency", "hybrid", "llm"]


def test_the_form_asks_first_for_what_must_be_given(seen: dict[str, Any]) -> None:
    params = seen["dag"]["params"]
    assert {name: schema.get("section") for name, schema in params.items()} == {
        "sources": None, "store": None,
        "extractor": "Extractor", "budget_usd": "Extractor",
        "full_refresh": "Rebuild",
        "max_failed_share": "Safety limits",
        "allow_mass_delete": "Safety limits",
        "allow_quality_drop": "Safety limits",
    }  # fmt: skip
    must = {name for name, schema in params.items() if "null" not in schema["type"]}
    assert must == {"sources", "store", "extractor"}  # one of a list is always chosen


def test_terminal_errors_are_not_retried_and_transient_ones_are(seen: dict[str, Any]) -> None:
    assert set(map(tuple, seen["dag"]["retries"].values())) == {(2, "fail", "retry")}


def test_a_run_publishes(seen: dict[str, Any], store: Path) -> None:
    first = seen["runs"][0]
    assert first["state"] == "success"
    assert set(first["tasks"].values()) == {"success"}
    manifest = store / "snapshots" / first["current"].strip() / "manifest.json"
    counts = json.loads(manifest.read_text())["stats"]["counts"]
    assert (counts["documents"], counts["documents_skipped"]) == (3, 1)
    assert counts["relations"] >= 2


def test_a_task_does_several_shards_where_there_are_more_than_tasks(seen: dict[str, Any], store: Path) -> None:
    first = seen["runs"][0]
    assert first["mapped"] == 2
    manifest = store / "snapshots" / first["current"].strip() / "manifest.json"
    stages = json.loads(manifest.read_text())["stats"]["stages"]
    assert {one["stage"]: one["tasks"] for one in stages}["extract"] == 3


def test_a_run_with_nothing_to_do_publishes_nothing_and_succeeds(seen: dict[str, Any]) -> None:
    first, second, _ = seen["runs"]
    assert second["state"] == "success"
    assert second["tasks"].pop("plan") == "success"
    assert set(second["tasks"].values()) == {"skipped"}
    assert "shard.parse" in second["tasks"]
    assert second["current"] == first["current"]
    assert second["links"] == {}


def test_a_missing_source_fails_the_run_and_changes_nothing(seen: dict[str, Any]) -> None:
    first, _, third = seen["runs"]
    assert third["state"] == "failed"
    assert third["tasks"]["plan"] == "failed"
    assert third["current"] == first["current"]


def test_tasks_link_to_the_pages_of_what_their_run_published(seen: dict[str, Any]) -> None:
    first, _, third = seen["runs"]
    snapshot = f"{FRAME}/snapshots/{first['current'].strip()}"
    assert first["links"] == {
        "publish -1 Snapshot": snapshot,
        "communities -1 Map": f"{snapshot}/map",
        "shard.parse 0 Documents": f"{snapshot}/documents",
        "shard.parse 1 Documents": f"{snapshot}/documents",
    }
    assert third["links"] == {}
    assert seen["evaluated"]["links"] == {"evaluate -1 Snapshot": snapshot}
    assert seen["not evaluated"]["links"] == {}


def test_the_note_of_a_run_says_how_it_ended(seen: dict[str, Any], store: Path) -> None:
    published, nothing, failed = (run["note"] for run in seen["runs"])
    current = seen["runs"][0]["current"].strip()
    assert published.startswith(
        f"Snapshot {current} published: 3 added, 0 changed, 0 removed, 0 unchanged, 3 documents"
    )
    assert nothing == f"Nothing changed: snapshot {current} is current already."
    assert failed.startswith("plan failed: ")
    assert f"{store.parent}/un!\\[mounted\\]&lt;img src=x&gt;: the source does" in failed


def test_notes_and_links_lead_to_what_failed(seen: dict[str, Any]) -> None:
    found = seen["reading"]
    snapshot_id = found["current"].strip()
    assert found["note"].startswith(
        f"1 document failed: store-broken/d.docx (broken). Snapshot {snapshot_id} published: 4 "
    )
    (link,) = {address for name, address in found["links"].items() if "parse" in name}
    assert link.endswith(f"/snapshots/{snapshot_id}/documents?status=failed")


def test_a_run_into_another_store_links_to_it_where_the_pages_show_it(
    seen: dict[str, Any], in_airflow: InAirflow
) -> None:
    (path,) = [one for one in in_airflow.plugin["anonymous"] if one.startswith("/stores/")]
    below = f"{FRAME}{path}/"
    assert all(one.startswith(below) for one in seen["reading"]["links"].values())
    assert "publish -1 Snapshot" in seen["reading"]["links"]
    assert seen["reading"]["unread"]["links"] == {}


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


def test_a_misspelt_param_fails_the_run_and_is_named(seen: dict[str, Any]) -> None:
    found = seen["misspelt"]
    assert found["state"] == "failed"
    assert "there is no param 'kept'" in found["note"]
    assert "Did you mean 'keep'" in found["note"]


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

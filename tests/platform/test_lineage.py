"""The events that a run sends to OpenLineage, written to a file: its datasets and their facets."""

import json
from typing import Any

import pytest

from graphrag_tasks.core.schemas import SCHEMA_VERSION
from tests.platform.conftest import Told

pytestmark = pytest.mark.platform

Event = dict[str, Any]


def of_task(told: Told, task: str, kind: str = "RUNNING") -> list[Event]:
    return [one for one in told.events if one["job"]["name"] == f"graphrag_reindex.{task}" and one["eventType"] == kind]


def names(datasets: list[Event], told: Told) -> set[str]:
    base = str(told.store.parent)
    assert {one["namespace"] for one in datasets} <= {"file"}
    return {one["name"].removeprefix(base) for one in datasets}


def test_the_runs_end_as_they_do_without_lineage(told: Told) -> None:
    assert told.states == ["success", "success", "failed"]


def test_every_task_that_did_something_tells_its_datasets(told: Told) -> None:
    complete = {one["run"]["runId"]: one for one in told.events if one["eventType"] == "COMPLETE"}
    running = [one for one in told.events if one["eventType"] == "RUNNING"]
    assert all(one["run"]["runId"] in complete for one in running)
    told_of = {one["job"]["name"] for one in running}
    assert told_of == {one["job"]["name"] for one in complete.values()} - {"graphrag_reindex"}


def test_sources_lead_to_the_snapshot(told: Told) -> None:
    made_of: dict[str, set[str]] = {}
    for one in told.events:
        if one["eventType"] == "RUNNING":
            for out in names(one["outputs"], told):
                made_of.setdefault(out, set()).update(names(one["inputs"], told))
    reached: set[str] = set()
    wanted = ["/store"]
    while wanted:
        found = wanted.pop()
        if found not in reached:
            reached.add(found)
            wanted += made_of.get(found, ())
    tables = ("runs/sources", "shards/chunks", "runs/snapshot/chunks", "runs/snapshot/relations")
    assert {"/corpus", *(f"/store/staging/{one}" for one in tables)} <= reached


def test_a_task_of_shards_tells_rows_hashes_version_and_columns(told: Told) -> None:
    parsed = of_task(told, "shard.parse")
    assert names(parsed[0]["inputs"], told) == {"/corpus", "/store/staging/runs/sources"}
    documents = [out for one in parsed for out in one["outputs"] if out["name"].endswith("shards/documents")]
    rows = [one["outputFacets"]["outputStatistics"] for one in documents]
    assert [(one["rowCount"], one["fileCount"]) for one in rows[:2]] == [(2, 2), (2, 2)]
    facets = documents[0]["facets"]
    assert len(facets["version"]["datasetVersion"]) == 64
    artifact = facets["graphrag_artifact"]
    assert (artifact["schema_version"], len(artifact["sha256"])) == (SCHEMA_VERSION, 64)
    reused = [one["facets"]["graphrag_artifact"]["reused"] for one in documents]
    # the second run takes one task's documents over; the other's has one that failed
    assert (reused[:2], sorted(reused[2:])) == ([False, False], [False, True])
    columns = {one["name"]: one for one in facets["schema"]["fields"]}
    assert columns["pages_in"]["type"] == "int32"
    assert columns["pages_in"]["description"] == "pages the file has"


def test_a_table_of_the_corpus_has_the_hash_of_the_snapshot(told: Told) -> None:
    first, second = of_task(told, "publish")
    (snapshot,) = first["outputs"]
    assert names([snapshot], told) == {"/store"}
    snapshot_id = snapshot["facets"]["version"]["datasetVersion"]
    about = snapshot["facets"]["graphrag_artifact"]
    manifest = json.loads((told.store / "snapshots" / snapshot_id / "manifest.json").read_text())
    assert about["tables"] == manifest["tables"]
    assert about["uri"] == f"{told.store}/snapshots/{snapshot_id}"
    related = of_task(told, "relationships")[0]
    (relations,) = [one for one in related["outputs"] if one["name"].endswith("/relations")]
    assert relations["facets"]["graphrag_artifact"]["sha256"] == manifest["tables"]["relations"]["sha256"]
    rows = relations["outputFacets"]["outputStatistics"]["rowCount"]
    assert rows == manifest["tables"]["relations"]["rows"]
    assert second["outputs"][0]["facets"]["graphrag_artifact"]["parent_id"] == snapshot_id


def test_a_failure_is_told_with_what_to_do(told: Told) -> None:
    (failed,) = of_task(told, "plan", "FAIL")
    message = failed["run"]["facets"]["errorMessage"]["message"]
    assert "the source does not exist. Nothing was changed. Check the path" in message

"""The DAG that proposes an ontology: nothing is in force that nobody approved."""

from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.workbench.ontology import Ontologies
from tests.dags.conftest import InAirflow


@pytest.fixture(scope="module")
def seen(in_airflow: InAirflow) -> dict[str, Any]:
    return in_airflow.dags


def test_an_approval_stands_between_a_proposal_and_its_force(seen: dict[str, Any]) -> None:
    dag = seen["ontology"]
    assert dag["edges"] == [["approve", "put_in_force"], ["propose", "approve"]]
    assert (dag["max_active_runs"], dag["paused"], dag["catchup"]) == (1, True, False)
    assert dag["unbounded"] == []
    assert all(one["type"] and one["description"] for one in dag["params"].values())
    assert set(map(tuple, dag["retries"].values())) == {(2, "fail", "retry")}


def test_nobody_who_answers_is_a_refusal(seen: dict[str, Any]) -> None:
    approval = seen["ontology"]["approval"]
    assert approval["defaults"] == ["Reject"]
    assert 0 < approval["hours"] < seen["hours"]["graphrag_ontology"]
    assert all("propose" in one for one in approval["shows"])


def test_what_was_shown_comes_into_force(seen: dict[str, Any], in_airflow: InAirflow) -> None:
    run = seen["approved"]
    assert run["state"] == "success", run["tasks"]
    shown = run["returned"]["propose"]
    assert run["returned"]["put_in_force"]["id"] == shown
    assert Ontologies(str(in_airflow.store)).id_in_force() == shown
    assert Path(in_airflow.store, "ontology", "proposed", f"{shown}.json").exists()


def test_nobody_is_asked_about_what_is_in_force_or_without_questions(seen: dict[str, Any]) -> None:
    for name in ("in force already", "not asked"):
        assert set(seen[name]["tasks"].values()) == {"skipped"}, name

"""The plugin in Airflow's own application: its pages are for who may read the reindex DAG.

The application is made below a path, as behind a proxy; nothing is served.
"""

from typing import Any

import pytest

from tests.dags.conftest import InAirflow


@pytest.fixture(scope="module")
def seen(in_airflow: InAirflow) -> dict[str, Any]:
    """What strangers and users of Airflow get."""
    return in_airflow.plugin


def test_strangers_see_no_page(seen: dict[str, Any]) -> None:
    assert len(seen["anonymous"]) >= 6
    assert {status for status, _ in seen["anonymous"].values()} == {401}
    assert not any("Nothing is published" in text for _, text in seen["anonymous"].values())
    assert seen["forged"][0] == 403


def test_who_may_not_read_the_dag_sees_no_page(seen: dict[str, Any]) -> None:
    assert seen["no role"][0] == 403
    assert "Nothing is published" not in seen["no role"][1]


@pytest.mark.parametrize("who", ["viewer", "cookie"])
def test_who_may_read_the_dag_sees_them(seen: dict[str, Any], who: str) -> None:
    status, text = seen[who]
    assert (status, "Nothing is published yet" in text) == (200, True)
    assert 'href="/team/airflow/graphrag/"' in text


def test_a_store_that_the_settings_allow_has_pages_of_its_own(seen: dict[str, Any], in_airflow: InAirflow) -> None:
    ((status, text),) = seen["other store"]
    assert (status, f"{in_airflow.store}-read" in text) == (200, True)
    assert 'href="/team/airflow/graphrag/stores/' in text


def test_who_may_not_edit_the_dag_changes_nothing(seen: dict[str, Any]) -> None:
    assert set(seen["changes"]["viewer"].values()) == {403}
    # an editor is let in, and told of fields that are missing, or that nothing is published
    assert seen["changes"]["op"] == {"ask": 422, "entities/edit": 422, "rollback": 404}


def test_no_other_route_is_served(seen: dict[str, Any]) -> None:
    assert set(seen["added by FastAPI"].values()) == {404}


def test_loading_the_plugin_brings_nothing_heavy(seen: dict[str, Any]) -> None:
    assert seen["brought"] == []


def test_the_navigation_has_an_entry_below_airflows_address(seen: dict[str, Any]) -> None:
    (view,) = seen["views"]
    assert (view["destination"], view["href"]) == ("nav", "/team/airflow/graphrag/")

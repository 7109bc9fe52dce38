"""The plugin in Airflow's own application: its pages are for who may read the reindex DAG.

A child process makes Airflow's application, below a path as behind a proxy; nothing is served.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.dags.conftest import RunScript

ROOT = Path(__file__).parents[2]

SCRIPT = """
import json, sys, warnings
from fastapi.testclient import TestClient
from airflow import plugins_manager
from airflow.api_fastapi.app import create_app, get_auth_manager
from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser

(plugin,) = [one for one in plugins_manager._get_plugins()[0] if one.name == "graphrag"]
heavy = {"graphrag_tasks.inspect.pages", "graphrag_tasks.retrieval", "spacy", "docling", "igraph"}
brought = sorted(heavy & set(sys.modules))
app = create_app(apps="core")

def get(page, role=None, **headers):
    if role is not None:
        user = SimpleAuthManagerUser(username="somebody", role=role or None)
        headers["Authorization"] = "Bearer " + get_auth_manager().generate_jwt(user)
    answer = TestClient(app, follow_redirects=False).get(page, headers=headers)
    return [answer.status_code, answer.text]

BASE = "/team/airflow/graphrag"
from graphrag_plugin import _pages
paths = [route.path for route in _pages().routes]
pages = [BASE + path.replace("{snapshot_id}", "current") for path in paths]
user = SimpleAuthManagerUser(username="somebody", role="viewer")
token = get_auth_manager().generate_jwt(user)
print("RESULT", json.dumps({
    "brought": brought,
    "views": plugin.external_views,
    "anonymous": {page: get(page) for page in pages},
    "forged": get(BASE + "/", Authorization="Bearer " + token[:-4] + "AAAA"),
    "no role": get(BASE + "/", ""),
    "viewer": get(BASE + "/", "viewer"),
    "cookie": get(BASE + "/", Cookie="_token=" + token),
    "added by FastAPI": {page: get(BASE + page, "admin")[0]
                         for page in ("/docs", "/redoc", "/openapi.json")},
}))
"""


@pytest.fixture(scope="module")
def seen(run_script: RunScript, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What strangers and users of Airflow get."""
    home = tmp_path_factory.mktemp("airflow")
    variables = {
        "AIRFLOW__API__BASE_URL": "https://host/team/airflow",
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "GRAPHRAG__STORE": str(home / "store"),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "plugins")]),
    }
    printed = run_script(SCRIPT, home=home, variables=variables)
    (line,) = [line for line in printed.splitlines() if line.startswith("RESULT ")]
    result: dict[str, Any] = json.loads(line.removeprefix("RESULT "))
    return result


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


def test_no_other_route_is_served(seen: dict[str, Any]) -> None:
    assert set(seen["added by FastAPI"].values()) == {404}


def test_loading_the_plugin_brings_nothing_heavy(seen: dict[str, Any]) -> None:
    assert seen["brought"] == []


def test_the_navigation_has_an_entry_below_airflows_address(seen: dict[str, Any]) -> None:
    (view,) = seen["views"]
    assert (view["destination"], view["href"]) == ("nav", "/team/airflow/graphrag/")

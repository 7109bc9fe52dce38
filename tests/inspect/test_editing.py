"""Rename, merge and split an entity: what is shown, who may, what is written, what a run makes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx import Response

from graphrag_tasks.core.config import Config
from graphrag_tasks.inspect.pages import make_app
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.retrieval import open_index
from tests.corpora import made
from tests.inspect.parts import BOARD_AND_STAFF, HIDDEN
from tests.inspect.test_feedback import OWN

EDIT = "/snapshots/current/entities/edit"
LONG, SHORT = "Application Interface Framework", "AIF"


TEXTS = {
    "aif.md": f"# Monitoring\n\nThe {LONG} ({SHORT}) monitors interfaces. The report ZSALES reads the "
    f"{SHORT}.\n\nThe table VBBE replaces the table VBBS.\n"
}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """An index in which a name and its acronym are one entity."""
    return made(tmp_path_factory.mktemp("editing"), TEXTS)


def with_file(config: Config, file: Path | str | None) -> Config:
    named = {"overrides": str(file) if file else None}
    return config.model_copy(update={"resolve": config.resolve.model_copy(update=named)})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "own.yaml"


@pytest.fixture
def browser(indexed: Config, file: Path) -> TestClient:
    return client(with_file(indexed, file))


def client(config: Config) -> TestClient:
    """Return a browser of somebody who may change things."""
    app = make_app(lambda: None, config, lambda: "ada")
    return TestClient(app, follow_redirects=False)


def shown(browser: TestClient, **asked: str) -> str:
    return browser.get(EDIT, params=asked).text


def send(browser: TestClient, headers: Mapping[str, str] = OWN, **fields: str) -> Response:
    return browser.post(EDIT, data=fields, headers=dict(headers))


def test_the_page_has_the_names_and_writes_nothing(browser: TestClient, file: Path) -> None:
    page = shown(browser, name=SHORT)
    assert f'<option value="{SHORT}">' in page
    assert f'<option value="{LONG}">' in page
    assert "Written" not in page
    assert not file.exists()


def test_what_is_written_is_what_the_next_run_makes(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    config = made(tmp_path, TEXTS)
    browser = client(with_file(config, file))
    names = open_index(config.store).snapshot.table("entities")["name"].to_pylist()
    (alias,) = {LONG, SHORT} - set(names)
    for change, name, other in (
        ("split", SHORT, alias), ("merge", "report ZSALES", "table VBBS"),
        ("rename", "table VBBE", "Requirements: <all>"),
    ):  # fmt: skip
        done = send(browser, name=name, change=change, other=other)
        assert done.status_code == 303, done.text
    page = browser.get(done.headers["location"]).text
    assert "Written. It takes effect with the next run" in page
    run_index(with_file(config, file), workers=1)
    aliases = open_index(config.store).snapshot.table("aliases").to_pylist()
    of = {row["alias"].casefold(): row["entity_id"] for row in aliases}
    entities = open_index(config.store).snapshot.table("entities").to_pylist()
    names = {row["entity_id"]: row["name"] for row in entities}
    assert of[SHORT.casefold()] != of[LONG.casefold()]
    assert of["table vbbs"] == of["report zsales"]
    assert names[of["table vbbe"]] == "Requirements: <all>"
    again = send(browser, name="Requirements: <all>", change="rename", other="Other")
    assert again.status_code == 409
    assert "is renamed by line" in again.text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"change": "merge", "other": "Atlantis"}, "there is no entity called &#39;Atlantis&#39;"),
        ({"change": "merge", "other": "TABLE vbbs"}, "are one entity already"),
        ({"change": "rename", "other": "table VBBE"}, "Merge the two instead"),
        ({"change": "rename", "other": "table VBBS"}, "called &#39;table VBBS&#39; already"),
        ({"change": "split", "other": "<script>"}, "&#39;&lt;script&gt;&#39; is no other name"),
        ({"name": "<script>alert(1)</script>", "change": "rename", "other": "x"}, "&lt;script&gt;"),
    ],
)
def test_what_changes_nothing_or_stands_in_the_way_is_refused(
    browser: TestClient, file: Path, fields: dict[str, str], words: str
) -> None:
    fields = {"name": "table VBBS"} | fields
    answer = send(browser, **fields)
    assert answer.status_code == 400
    assert words in answer.text
    assert "<script" not in answer.text
    assert not file.exists()


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"other": "x" * 10_000}, 422), ({"name": "x" * 10_000}, 422),
        ({"other": "x" * 30_000}, 413),
        ({"other": " "}, 422), ({"other": "a\nb: c"}, 422), ({"other": "a\u2028b"}, 422),
        ({"other": "\u202egnp"}, 422), ({"change": "delete"}, 422),
    ],
)  # fmt: skip
def test_odd_forms_are_refused(browser: TestClient, file: Path, fields: dict[str, str], status: int) -> None:
    fields = {"name": "table VBBS", "change": "rename", "other": "Totals"} | fields
    assert send(browser, **fields).status_code == status
    assert not file.exists()


def test_a_file_that_cannot_be_read_is_told_and_stays(browser: TestClient, file: Path) -> None:
    file.write_text("same: [\n")
    broken = send(browser, name="table VBBS", change="merge", other="table VBBE")
    assert broken.status_code == 409
    assert "not readable as YAML" in broken.text
    assert file.read_text() == "same: [\n"


def test_only_who_may_and_only_from_its_page(indexed: Config, file: Path) -> None:
    config, fields = with_file(indexed, file), {"name": "table VBBS", "change": "rename"}

    reader = TestClient(make_app(lambda: None, config, lambda: None))
    assert reader.get(EDIT, params={"name": "table VBBS"}).status_code == 403
    assert send(reader, other="Totals", **fields).status_code == 403
    none = TestClient(make_app(lambda: None, config))
    assert none.get(EDIT, params={"name": "table VBBS"}).status_code == 404
    for page in ("entities", "graph"):
        asked = f"/snapshots/current/{page}?name=table+VBBS"
        assert "entities/edit" not in none.get(asked).text
        assert "entities/edit?name=table+VBBS" in client(config).get(asked).text
    short = client(config).get("/snapshots/current/graph?name=VBBS").text
    assert "entities/edit?name=table+VBBS" in short  # the name of the entity that was found
    for headers in ({}, {"sec-fetch-site": "same-site"}, {"origin": "http://evil.example"}):
        answer = send(client(config), headers, other="Totals", **fields)
        assert answer.status_code == 403
    assert not file.exists()


@pytest.mark.parametrize("named", [None, "memory://far/own.yaml"])
def test_without_a_file_that_can_be_written_it_says_which_setting_to_set(indexed: Config, named: str | None) -> None:
    browser = client(with_file(indexed, named))
    page = shown(browser, name="table VBBS")
    assert "Set resolve.overrides to a" in page
    assert "<form" not in page.partition("<main")[2]
    answer = send(browser, name="table VBBS", change="rename", other="Totals")
    assert answer.status_code == 409
    assert "Set resolve.overrides to a" in answer.text


def test_nothing_hidden_is_told(tmp_path: Path) -> None:
    texts = {
        "a.md": "The table VBBE replaces the table VBBS.\n", "board/b.txt": f"The {HIDDEN} replaces the table VBBS.\n",
    }  # fmt: skip
    config = made(tmp_path, texts, access={"enabled": True, "rules": BOARD_AND_STAFF})
    file = tmp_path / "own.yaml"
    before = f"same:\n  - [table VBBS, {HIDDEN}]\ndifferent:\n  - [{HIDDEN}, table VBBE]\n"
    file.write_text(before)

    def seen_by(*principals: str) -> TestClient:
        pages = config.pages.model_copy(update={"principals": principals})
        return client(with_file(config, file).model_copy(update={"pages": pages}))

    staff = seen_by("staff")
    page: dict[str, Any] = {"name": "table VBBS", "change": "merge", "other": "table VBBE"}
    hidden = page | {"other": HIDDEN}
    answers = [shown(staff, name="table VBBS"), send(staff, **page).text,
               shown(staff, name=HIDDEN).replace(HIDDEN, "", 2),
               send(staff, **hidden).text.replace(HIDDEN, "", 1)]  # fmt: skip
    assert not any(HIDDEN.lower() in one.lower() for one in answers)
    assert "says otherwise" in answers[1]
    assert "there is no entity" in answers[2]
    assert file.read_text() == before

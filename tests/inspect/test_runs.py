"""The page that indexes: files that come and go, a run that is watched, cancelled and refused."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from graphrag_tasks.core.config import load_config
from graphrag_tasks.inspect.pages import make_app
from graphrag_tasks.inspect.pages.runs import REMOVED, Runs
from graphrag_tasks.pipeline import CORPUS_STAGES, SHARD_STAGES

OWN = {"Sec-Fetch-Site": "same-origin"}
SAID = "# {name}\n\nThe table {name} replaces the table VBBS.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    (made / "first.md").write_text(SAID.format(name="VBBE"))
    return made


@pytest.fixture
def runs(folder: Path) -> Iterator[Runs]:
    store = str(folder.parent / "store")
    settings = {"store": store, "sources": [str(folder)], "load": {"vector_store": "none"}}
    file = folder.parent / "settings.toml"
    file.write_text('[load]\nvector_store = "none"\n[parse]\nmax_bytes = 10000\n')
    config = load_config(file, overrides=settings, environ={})
    made = Runs(config, file, tuple(SHARD_STAGES), tuple(CORPUS_STAGES))
    yield made
    made.cancel()


@pytest.fixture
def browser(runs: Runs) -> TestClient:
    store = runs.config.store
    config = load_config(overrides={"store": store, "sources": runs.config.sources}, environ={})
    return TestClient(make_app(lambda: None, config, lambda: "", runs), headers=OWN)


def send(browser: TestClient, files: dict[str, str], **fields: str) -> str:
    sent = [("files", (name, text.encode())) for name, text in files.items()]
    return browser.post("/run/files", files=sent, data=fields).text


def ended(browser: TestClient) -> str:
    """Return the page when the run has ended; it reloads itself until then."""
    while 'http-equiv="refresh"' in (page := browser.get("/run").text):
        time.sleep(0.2)
    return page


def test_files_come_are_indexed_and_go(browser: TestClient, folder: Path) -> None:
    page = send(browser, {"second.md": SAID.format(name="VBBX"), "third.md": "# Third\n\nText.\n"})
    assert "2 files were added" in page
    assert "Cancel" in page
    assert "Done" in ended(browser)
    listed = browser.get("/snapshots/current/documents")
    assert "docs/second.md" in listed.text
    for name in ("first.md", "second.md"):
        assert "moved" in browser.post("/run/remove", data={"uri": f"docs/{name}"}).text
    assert (folder / REMOVED / "second.md").is_file()
    browser.post("/run", data={})
    failed = ended(browser)
    assert "The run failed" in failed
    assert 'name="mass_delete"' in failed
    browser.post("/run", data={"mass_delete": "true"})
    assert "Done" in ended(browser)
    assert "docs/second.md" not in browser.get("/snapshots/current/documents").text


def test_a_cancelled_run_publishes_nothing(browser: TestClient, folder: Path) -> None:
    browser.post("/run", data={})
    again = browser.post("/run", data={})
    assert again.status_code == 409
    assert "cancelled" in browser.post("/run/cancel").text
    assert not (folder.parent / "store" / "CURRENT").exists()


def test_names_that_climb_or_hide_stay_in_the_folder(
    browser: TestClient, runs: Runs, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "start", lambda: None)
    (folder / "link.md").symlink_to(folder.parent / "elsewhere.md")
    page = send(
        browser,
        {
            "../../climbed.md": "a", "..\\other.md": "b", ".hidden.md": "c", "first.md": "d",
            "link.md": "e", "\x1b[2Jred.md": "f", "long.md": "g" * 10_001, "..": "h",
        },
    )  # fmt: skip
    assert sorted(one.name for one in folder.iterdir()) == [
        "climbed.md", "first.md", "link.md", "other.md",
    ]  # fmt: skip
    assert not (folder.parent / "elsewhere.md").exists()
    assert page.count('role="alert"') == 6
    assert "VBBE" in (folder / "first.md").read_text()
    send(browser, {"first.md": "d"}, replace="true")
    assert (folder / "first.md").read_text() == "d"
    for uri in ("docs/../settings.toml", "other/first.md", "docs/link.md", "docs/"):
        assert browser.post("/run/remove", data={"uri": uri}).status_code == 409


def test_another_site_or_reader_indexes_nothing(browser: TestClient, runs: Runs) -> None:
    foreign = {"Sec-Fetch-Site": "cross-site"}
    reader = TestClient(make_app(lambda: None, runs.config, lambda: None, runs), headers=OWN)
    for path in ("/run", "/run/files", "/run/cancel", "/run/remove"):
        assert browser.post(path, headers=foreign).status_code == 403
        assert reader.post(path).status_code == 403
    assert reader.get("/run").status_code == 403
    assert runs.last is None

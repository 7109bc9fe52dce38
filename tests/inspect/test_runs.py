"""The page that indexes: files that come and go, a run that is watched, cancelled and refused."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from fastapi.testclient import TestClient

from graphrag_tasks.core.config import load_config
from graphrag_tasks.inspect.pages import make_app
from graphrag_tasks.inspect.pages.runs import REMOVED, Runs
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.pipeline import CORPUS_STAGES, SHARD_STAGES
from graphrag_tasks.storage.snapshots.store import Store

OWN = {"Sec-Fetch-Site": "same-origin"}
LOG = "".join(f"2025-03-01 12:00:{at % 60:02} [{at}] 0x{at:x} 200\n" for at in range(150))
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
    page = ended(browser)
    assert "Done" in page and "3 added." in page and "Not read" not in page
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


def test_what_was_not_read_is_said_behind_the_run(browser: TestClient) -> None:
    send(browser, {"photo.jpg": "x", "broken.pdf": "%PDF-1.4 x", "log.txt": LOG})
    page = " ".join(ended(browser).split())
    assert "2 added." in page and "<pre>" not in page
    not_read = page.partition("Not read: ")[2].partition(".</p>")[0]
    assert "broken.pdf (" in not_read and "photo.jpg (this kind of file is not read)" in not_read
    assert "log.txt (" in not_read.partition("Read in part: ")[2]


def test_a_file_goes_with_what_is_kept_beside_it_and_overwrites_nothing(
    browser: TestClient, runs: Runs, folder: Path
) -> None:
    for text in ("one", "two", "three"):
        (folder / "note.md").write_text(text)
        for suffix in (".access.yaml", ".meta.yaml"):
            (folder / f"note.md{suffix}").write_text(f"labels: [{text}]")
        assert browser.post("/run/remove", data={"uri": "docs/note.md"}).status_code == 200
        assert [one.name for one in folder.iterdir() if one.is_file()] == ["first.md"]
    for number, text in (("", "one"), (" (2)", "two"), (" (3)", "three")):
        assert (folder / REMOVED / f"note{number}.md").read_text() == text
        for suffix in (".access.yaml", ".meta.yaml"):
            kept = folder / REMOVED / f"note{number}.md{suffix}"
            assert kept.read_text() == f"labels: [{text}]"
    for name in ("x" * 300, "x\0", "note.md"):
        assert browser.post("/run/remove", data={"uri": f"docs/{name}"}).status_code == 409


@pytest.mark.parametrize("where", ["settings", "pages", "snapshot"])
def test_the_page_is_closed_where_documents_have_labels(runs: Runs, folder: Path, where: str) -> None:
    (folder / "secret.md").write_text(SAID.format(name="HIDDEN"))
    config = runs.config
    labels = {"access": {"enabled": True, "default": ["staff"]}}
    labelled = load_config(overrides=config.model_dump() | labels, environ={})
    if where == "pages":
        pages = config.pages.model_copy(update={"principals": ("public",)})
        config = config.model_copy(update={"pages": pages})
    if where == "snapshot":
        run_index(labelled, workers=1)
    config = labelled if where == "settings" else config
    page = TestClient(make_app(lambda: None, config, lambda: "", Runs(config, None, (), ())))
    page.headers.update(OWN)
    before = sorted(folder.iterdir())
    sent = [("files", ("secret.md", b"x")), ("files", ("first.md.access.yaml", b"labels: [public]"))]
    said = [
        page.get("/run"), page.post("/run", data={}), page.post("/run/cancel"),
        page.post("/run/files", files=sent, data={"replace": "true"}),
        page.post("/run/remove", data={"uri": "docs/secret.md"}),
        page.post("/run/remove", data={"uri": "docs/none.md"}),
    ]  # fmt: skip
    assert {one.status_code for one in said} == {403}
    assert all("access labels" in one.text and "secret" not in one.text for one in said)
    assert len({one.text for one in said}) == 1 and 'href="/run"' not in said[0].text
    assert sorted(folder.iterdir()) == before


def test_no_access_file_is_taken(browser: TestClient, runs: Runs, folder: Path) -> None:
    names = ("first.md.access.yaml", "first.access.yml", "First.md.ACCESS.yaml", "first.md_access.yaml")
    page = send(browser, dict.fromkeys(names, "labels: [public]"), replace="true")
    assert page.count("is an access file") == len(names)
    assert [one.name for one in folder.iterdir()] == ["first.md"]


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
    assert sorted(one.name for one in folder.iterdir()) == ["climbed.md", "first.md", "link.md", "other.md"]
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


def test_pages_answer_where_the_snapshot_is_of_an_older_schema_or_damaged(
    runs: Runs, browser: TestClient, folder: Path
) -> None:
    run_index(runs.config, workers=1)
    snapshot = Path(Store(runs.config.store).open().folder.uri)
    manifest = json.loads((snapshot / "manifest.json").read_text())
    (snapshot / "manifest.json").write_text(json.dumps(manifest | {"schema_version": 1}))
    documents = pq.read_table(snapshot / "documents.parquet").drop_columns(["labels"])
    older = documents.replace_schema_metadata({"schema_version": "1"})
    pq.write_table(older, snapshot / "documents.parquet")
    assert browser.get("/run").status_code == 200
    assert "Rebuild it" in browser.get("/").text
    (folder / "second.md").write_text(SAID.format(name="VBBX"))
    browser.post("/run", data={"mass_delete": "true"})
    assert "Done" in ended(browser)
    newest = Path(Store(runs.config.store).open().folder.uri)
    (newest / "documents.parquet").write_bytes(b"damaged")
    again = Runs(runs.config, None, (), ())
    page = TestClient(make_app(lambda: None, runs.config, lambda: "", again), headers=OWN)
    assert page.get("/run").status_code == 403

"""The pages of the plugin: what they show, to whom, and what they never show."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fastapi import HTTPException
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from graphrag_tasks.core.config import Config, load_config
from graphrag_tasks.inspect.pages import make_app
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.snapshots.store import Store

PAGES = (
    "/", "/diff?before=current&after=current", "/snapshots/current",
    "/snapshots/current/entities?name=VBBS", "/snapshots/current/ask?question=What+replaced+VBBS",
    "/snapshots/current/why?question=VBBS&chunk=x", "/snapshots/current/graph?name=VBBS",
    "/snapshots/current/graph/shown.json?name=VBBS",
    "/snapshots/current/graph/names.json?text=VBBS",
    f"/snapshots/current/graph/entity.json?id={'0' * 24}",
    f"/snapshots/current/graph/relations.json?id={'0' * 24}",
    "/snapshots/current/graph/shown.graphml?name=VBBS",
    "/snapshots/current/graph/shown.csv?name=VBBS",
)  # fmt: skip
SCRIPT = "/static/graph.js"
HIDDEN = "Zephyr"


def configure(folder: Path, **overrides: Any) -> Config:
    base = {
        "store": str(folder / "store"), "sources": [str(folder / "corpus")],
        "load": {"vector_store": "none"},
    }  # fmt: skip
    return load_config(overrides=base | overrides, environ={})


def client(config: Config) -> TestClient:
    """Return a browser that is let in."""
    return TestClient(make_app(lambda: None, config), follow_redirects=False)


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """Two snapshots of three documents, the second with another one and without a note."""
    folder = tmp_path_factory.mktemp("pages")
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "tables.md").write_text(
        "# Table changes\n\nThe table VBBE replaces the table VBBS.\n"
    )
    (corpus / "note.txt").write_text("The report ZSALES reads the table VBBS.\n")
    (corpus / "odd.md").write_text(
        "# <script>alert(1)</script>\n\nThe <b>Gateway</b> needs VBBS.\n"
    )
    found = configure(folder, plan={"allow_mass_delete": True}, quality={"allow_drop": True})
    run_index(found, workers=1)
    (corpus / "note.txt").unlink()
    (corpus / "more.txt").write_text("The transaction MD04 shows the table VBBE.\n")
    run_index(found, workers=1)
    return found


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """Two snapshots with labels: the second has one more document for the board alone."""
    folder = tmp_path_factory.mktemp("labelled")
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "tables.md").write_text(
        "# Table changes\n\nThe table VBBE replaces the table VBBS.\n"
    )
    board = {"path": "board/*", "labels": ["board"], "optional": True}
    rules = [board, {"path": "*", "labels": ["staff"]}]
    found = configure(folder, access={"enabled": True, "rules": rules})
    run_index(found, workers=1)
    (corpus / "board").mkdir()
    (corpus / "board" / f"{HIDDEN}.txt").write_text(f"{HIDDEN} buys the table VBBS.\n")
    run_index(found, workers=1)
    return found


def with_principals(config: Config, *principals: str) -> Config:
    return config.model_copy(update={"pages": config.pages.model_copy(
        update={"principals": principals})})  # fmt: skip


def test_every_route_asks_who_is_asking_and_only_reads(config: Config) -> None:
    def refuse() -> None:
        raise HTTPException(401, "Not authenticated")

    app = make_app(refuse, config)
    routes = [route for route in app.routes if isinstance(route, APIRoute)]
    assert len(routes) == len(app.routes) == len((*PAGES, SCRIPT))
    assert all(route.methods == {"GET"} for route in routes)
    stranger = TestClient(app)
    for page in (*PAGES, SCRIPT):
        answer = stranger.get(page)
        assert answer.status_code == 401, page
        assert "VBBS" not in answer.text.replace(page, "")
        assert config.store not in answer.text
    covered = {one.path for one in routes for page in (*PAGES, SCRIPT)
               if one.path_regex.match(page.split("?")[0])}  # fmt: skip
    assert covered == {one.path for one in routes}


def test_snapshots_are_listed_newest_first(config: Config) -> None:
    newest, oldest = reversed(Store(config.store).snapshot_ids())
    page = client(config).get("/").text
    assert page.index(newest) < page.index("current</span>") < page.index(oldest)
    assert f'href="/diff?before={oldest}&amp;after={newest}"' in page


def test_a_snapshot_that_cannot_be_opened_is_listed_without_a_link(config: Config) -> None:
    store = Store(config.store)
    oldest, _ = store.snapshot_ids()
    folder = store.snapshot_folder(oldest)
    manifest = folder.read_json("manifest.json")
    folder.write_json("manifest.json", manifest | {"schema_version": 1})
    page = client(config).get("/").text
    folder.write_json("manifest.json", manifest)
    assert "cannot be opened" in page
    assert f'href="/snapshots/{oldest}"' not in page


def test_a_diff_names_what_was_gained_and_lost(config: Config) -> None:
    oldest, newest = Store(config.store).snapshot_ids()
    page = client(config).get("/diff", params={"before": oldest, "after": newest}).text
    assert page.index("Documents gained") < page.index("corpus/more.txt")
    assert page.index("Documents lost") < page.index("corpus/note.txt")


def test_a_summary_has_counts_costs_and_the_gates_figures(config: Config) -> None:
    page = client(config).get("/snapshots/current").text
    for words in ("triples per sentence that was read", "communities", "CPU seconds"):
        assert words in page
    assert "entities?name=" in page


def test_an_entity_has_its_relations_with_sentence_and_source(config: Config) -> None:
    page = client(config).get("/snapshots/current/entities", params={"name": "vbbs"}).text
    assert "The table VBBE replaces the table VBBS." in page
    assert "corpus/tables.md" in page
    part = client(config).get("/snapshots/current/entities", params={"name": "BB"}).text
    assert "there is no entity" in part
    assert "VBBE" in part


def test_an_answer_has_chunks_relations_and_why(config: Config) -> None:
    asked = {"question": "What replaces the table VBBS?", "k": 1, "mode": "hybrid"}
    browser = client(config)
    page = browser.get("/snapshots/current/ask", params=asked).text
    assert "The table VBBE replaces the table VBBS." in page
    assert page.count("why?</a>") == 1
    chunk = Store(config.store).open().table("chunks", ["chunk_id", "text"]).to_pylist()
    (best,) = [row["chunk_id"] for row in chunk if "replaces" in row["text"]]
    assert best in page
    why = browser.get("/snapshots/current/why", params=asked | {"chunk": best}).text
    assert "Place 1." in why
    assert "cosine with the question" in why


def test_what_documents_and_requests_say_is_text(config: Config) -> None:
    odd = "<img src=x onerror=alert(1)>"
    for page in ("/snapshots/current", "/diff?before=current&after=current",
                 f"/snapshots/current/entities?name={odd}",
                 f"/snapshots/current/ask?question={odd} script Gateway"):  # fmt: skip
        answer = client(config).get(page)
        assert "<script" not in answer.text
        assert "<img" not in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "&lt;img" in answer.text


@pytest.mark.parametrize(
    ("page", "status", "words"),
    [
        ("/snapshots/..%2F..%2Fetc", 404, ""),
        ("/snapshots/%2E%2E%2Fstaging", 404, ""),
        ("/snapshots/etc", 422, "snapshot_id"),
        (f"/snapshots/{'0' * 24}", 404, "there is no snapshot"),
        ("/diff?before=current&after=%2Fetc%2Fpasswd", 422, "after"),
        ("/snapshots/current/ask?question=x&mode=magic", 400, "there is no mode"),
        ("/snapshots/current/ask?question=x&k=100000", 422, "k"),
        (f"/snapshots/current/ask?question={'x' * 501}", 422, "question"),
        ("/snapshots/current/why?question=x&chunk=nothing", 400, "there is no chunk"),
    ],
)
def test_odd_requests_are_refused(config: Config, page: str, status: int, words: str) -> None:
    answer = client(config).get(page)
    assert answer.status_code == status
    assert words in answer.text


def test_nothing_published_says_so(tmp_path: Path) -> None:
    empty = client(configure(tmp_path))
    assert "Nothing is published yet" in empty.get("/").text
    assert empty.get("/snapshots/current").status_code == 404


def test_a_snapshot_with_labels_is_not_shown_without_principals(labelled: Config) -> None:
    browser = client(labelled)
    for page in PAGES[1:]:
        answer = browser.get(page)
        assert answer.status_code == 403
        assert "no principals are given" in answer.text
        assert "pages.principals" in answer.text
        assert "VBB" not in answer.text.replace("What replaced VBBS", "")
    listed = browser.get("/").text
    assert "has access labels" in listed
    assert " MB" not in listed


def test_principals_see_what_is_theirs_and_no_other(labelled: Config) -> None:
    oldest, newest = Store(labelled.store).snapshot_ids()
    pages = ("/", f"/diff?before={oldest}&after={newest}", "/snapshots/current",
             "/snapshots/current/entities?name=table VBBS", "/snapshots/current/entities?name=Zeph",
             "/snapshots/current/ask?question=Who buys VBBS?&k=9")  # fmt: skip
    staff = client(with_principals(labelled, "staff"))
    board = client(with_principals(labelled, "staff", "board"))
    shown = [staff.get(page) for page in pages]
    assert [answer.status_code for answer in shown] == [200] * len(pages)
    assert not any(HIDDEN in answer.text for answer in shown)
    assert "The table VBBE replaces the table VBBS." in shown[3].text
    assert [HIDDEN in board.get(page).text for page in pages] == [
        False, True, True, True, True, True,
    ]  # fmt: skip


def test_importing_the_pages_brings_no_model_and_no_parser() -> None:
    heavy = {"spacy", "docling", "igraph", "onnxruntime", "duckdb", "pymilvus"}
    script = f"import graphrag_tasks.inspect.pages, sys; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_question_gets_a_verdict_and_sentences_with_their_sources(config: Config) -> None:
    asked = {"question": "What replaces the table VBBS?"}
    page = client(config).get("/snapshots/current/ask", params=asked).text
    assert "The table VBBE replaces the table VBBS." in page.partition("<h2>Chunks")[0]
    assert "[1] " in page
    none = {"question": "Who won the football match on Saturday?"}
    page = client(config).get("/snapshots/current/ask", params=none).text
    assert "Not in these documents." in page

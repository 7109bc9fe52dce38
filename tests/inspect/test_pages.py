"""The pages of the plugin: what they show, to whom, and what they never show."""

import random
import re
from collections.abc import Sequence
from html import unescape
from itertools import cycle
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from fastapi import HTTPException
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from graphrag_tasks.core.config import AccessConfig, Config, load_config
from graphrag_tasks.inspect.pages import make_app
from graphrag_tasks.inspect.pages.documents import CHUNKS_SHOWN
from graphrag_tasks.inspect.pages.reader import path_of_store
from graphrag_tasks.operations.examples import examples, keep_examples, kept_examples
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.retrieval import MODES, open_index
from graphrag_tasks.storage.snapshots.store import Store
from tests.inspect.parts import app_of
from tests.sizes import few_or_many

PAGES = (
    "/snapshots", "/", "/diff?before=current&after=current", "/snapshots/current",
    "/snapshots/current/map", "/snapshots/current/documents", "/snapshots/current/changes",
    f"/snapshots/current/documents/{'0' * 24}",
    f"/snapshots/current/documents/{'0' * 24}/pages/1.png",
    "/snapshots/current/entities?name=VBBS", "/snapshots/current/ask?question=What+replaced+VBBS",
    "/snapshots/current/ask.json?question=What+replaced+VBBS",
    "/snapshots/current/ask.md?question=What+replaced+VBBS",
    "/snapshots/current/why?question=VBBS&chunk=x", "/snapshots/current/graph?name=VBBS",
    "/snapshots/current/graph/shown.json?name=VBBS",
    "/snapshots/current/graph/names.json?text=VBBS",
    f"/snapshots/current/graph/entity.json?id={'0' * 24}",
    f"/snapshots/current/graph/relations.json?id={'0' * 24}",
    "/snapshots/current/graph/shown.graphml?name=VBBS",
)  # fmt: skip
SCRIPT = "/static/graph.js"
ICON = "/icon.svg"
HIDDEN = "Zephyr"


def configure(folder: Path, **overrides: Any) -> Config:
    base = {"store": str(folder / "store"), "sources": [str(folder / "corpus")], "load": {"vector_store": "none"}}
    return load_config(overrides=base | overrides, environ={})


def client(config: Config) -> TestClient:
    """Return a browser that is let in."""
    return TestClient(app_of(config), follow_redirects=False)


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """Two snapshots of three documents, the second with another one and without a note."""
    folder = tmp_path_factory.mktemp("pages")
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "tables.md").write_text("# Table changes\n\nThe table VBBE replaces the table VBBS.\n")
    (corpus / "note.txt").write_text("The report ZSALES reads the table VBBS.\n")
    (corpus / "odd.md").write_text("# <script>alert(1)</script>\n\nThe <b>Gateway</b> needs VBBS.\n")
    found = configure(
        folder, plan={"allow_mass_delete": True}, quality={"allow_drop": True}, communities={"resolutions": [0.1]}
    )
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
    (corpus / "tables.md").write_text("# Table changes\n\nThe table VBBE replaces the table VBBS.\n")
    board = {"path": "board/*", "labels": ["board"], "optional": True}
    rules = [board, {"path": "*", "labels": ["staff"]}]
    found = configure(folder, access={"enabled": True, "rules": rules})
    run_index(found, workers=1)
    (corpus / "board").mkdir()
    (corpus / "board" / f"{HIDDEN}.txt").write_text(f"{HIDDEN} buys the table VBBS.\n")
    run_index(found, workers=1)
    return found


def with_principals(config: Config, *principals: str) -> Config:
    return config.model_copy(update={"pages": config.pages.model_copy(update={"principals": principals})})


def test_every_route_asks_who_is_asking_and_only_reads(config: Config) -> None:
    def refuse() -> None:
        raise HTTPException(401, "Not authenticated")

    app = make_app(refuse, config)
    routes = [route for route in app.routes if isinstance(route, APIRoute)]
    assert len(routes) == len(app.routes) == len((*PAGES, SCRIPT, ICON))
    assert all(route.methods == {"GET"} for route in routes)
    stranger = TestClient(app)
    for page in (*PAGES, SCRIPT, ICON):
        answer = stranger.get(page)
        assert answer.status_code == 401, page
        assert "VBBS" not in answer.text.replace(page, "")
        assert config.store not in answer.text
    covered = {one.path for one in routes for page in (*PAGES, SCRIPT, ICON)
               if one.path_regex.match(page.split("?")[0])}  # fmt: skip
    assert covered == {one.path for one in routes}


def test_stores_that_the_settings_allow_have_pages_of_their_own(config: Config, labelled: Config) -> None:
    def refuse() -> None:
        raise HTTPException(401, "Not authenticated")

    # the same place written in another way; the store itself needs no second address
    written = f"{Path(labelled.store).parent}/../{Path(labelled.store).parent.name}/store/"
    pages = config.pages.model_copy(update={"stores": (written, config.store)})
    shown = config.model_copy(update={"pages": pages})
    path = path_of_store(shown, labelled.store)
    assert path is not None
    assert (path_of_store(shown, f"{config.store}/"), path_of_store(config, written)) == ("", None)
    answer = client(shown).get(f"{path}/snapshots")
    assert (answer.status_code, Store(labelled.store).current_id() in answer.text) == (200, True)
    assert f'href="{path}/' in answer.text and 'href="/snapshots' not in answer.text
    assert client(shown).get(f"{path}/snapshots/current").status_code == 403  # as it has labels
    assert TestClient(make_app(refuse, shown)).get(f"{path}/snapshots").status_code == 401
    assert client(config).get(f"{path}/snapshots").status_code == 404


def test_every_change_asks_who_is_asking_and_whether_they_may(config: Config) -> None:
    app = make_app(lambda: None, config, lambda: None)
    changes = [one for one in app.routes if isinstance(one, APIRoute) and one.methods == {"POST"}]
    assert {one.path.rpartition("/")[2] for one in changes} == {"ask", "edit", "rollback"}
    own = {"sec-fetch-site": "same-origin"}
    for one in changes:
        page = one.path.replace("{snapshot_id}", "current")
        assert TestClient(app).post(page, headers=own).status_code == 403
        editor = TestClient(make_app(lambda: None, config, lambda: ""))
        foreign = editor.post(page, headers={"sec-fetch-site": "cross-site"})
        assert "not sent from a page of this server" in foreign.text


def test_a_snapshot_that_cannot_be_opened_is_listed_without_a_link(config: Config) -> None:
    store = Store(config.store)
    oldest, _ = store.snapshot_ids()
    folder = store.snapshot_folder(oldest)
    manifest = folder.read_json("manifest.json")
    folder.write_json("manifest.json", manifest | {"schema_version": 1})
    page = TestClient(make_app(lambda: None, config)).get("/snapshots").text
    folder.write_json("manifest.json", manifest)
    assert "cannot be opened" in page
    assert f'href="/snapshots/{oldest}"' not in page


def test_a_diff_lists_the_facts_that_came_and_went(config: Config) -> None:
    oldest, newest = Store(config.store).snapshot_ids()
    page = client(config).get("/diff", params={"before": oldest, "after": newest}).text
    assert "MD04" in page[page.index("Relations gained") :]
    assert f"/snapshots/{oldest}/documents?text=corpus%2Fnote.txt" in page


def test_an_entity_has_its_relations_with_sentence_and_source(config: Config) -> None:
    page = client(config).get("/snapshots/current/entities", params={"name": "vbbs"}).text
    assert "The table VBBE replaces the table VBBS." in page
    assert "corpus/tables.md" in page
    part = client(config).get("/snapshots/current/entities", params={"name": "BB"}).text
    assert "names with “BB”" in part
    assert "VBBE" in part
    unknown = client(config).get("/snapshots/current/entities", params={"name": "Atlantis"}).text
    assert "there is no entity" in unknown
    every = client(config).get("/snapshots/current/entities").text
    assert "entities, the most mentioned first" in every
    assert "VBBS" in every
    typed = client(config).get("/snapshots/current/entities", params={"kind": "REPORT"}).text
    assert "VBBS" not in typed.partition("<ul")[2]


@pytest.mark.parametrize("form", ["json", "md"])
def test_an_empty_mode_is_the_default(config: Config, form: str) -> None:
    asked = {"question": "What replaces the table VBBS?", "mode": ""}
    found = client(config).get(f"/snapshots/current/ask.{form}", params=asked)
    assert (found.status_code, "VBBE replaces" in found.text) == (200, True)


def test_an_answer_has_chunks_relations_and_why(config: Config) -> None:
    asked = {"question": "What replaces the table VBBS?", "k": 1, "mode": "hybrid"}
    browser = client(config)
    page = browser.get("/snapshots/current/ask", params=asked).text
    assert "The table VBBE replaces the table VBBS." in page
    assert page.count("all of it</a>") == 1
    chunk = Store(config.store).open().table("chunks", ["chunk_id", "text"]).to_pylist()
    (best,) = [row["chunk_id"] for row in chunk if "replaces" in row["text"]]
    assert best in page
    why = browser.get("/snapshots/current/why", params=asked | {"chunk": best}).text
    assert "Place 1." in why
    assert "cosine with the question" in why


def test_what_documents_and_requests_say_is_text(config: Config) -> None:
    odd = "<img src=x onerror=alert(1)>"
    document = document_named(config, "odd.md")
    for page in ("/snapshots/current", "/diff?before=current&after=current",
                 f"/snapshots/current/documents?text={odd}", "/snapshots/current/documents",
                 f"/snapshots/current/documents/{document}?chunk={odd}",
                 f"/snapshots/current/entities?name={odd}",
                 f"/snapshots/current/ask?question={odd} script Gateway"):  # fmt: skip
        answer = client(config).get(page)
        assert "<script" not in answer.text
        assert "<img" not in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "&lt;img" in answer.text


def document_named(config: Config, path: str) -> str:
    rows = Store(config.store).open().table("documents", ["document_id", "path"]).to_pylist()
    return next(str(row["document_id"]) for row in rows if row["path"] == path)


def test_documents_are_listed_with_what_became_of_them(config: Config) -> None:
    page = client(config).get("/snapshots/current/documents").text
    assert "3 of 3 documents" in page
    assert "corpus/tables.md" in page
    found = client(config).get("/snapshots/current/documents?text=MORE&status=parsed&kind=txt").text
    assert "1 of 3 documents" in found
    assert "corpus/more.txt" in found
    assert "corpus/tables.md" not in found
    assert "No document is like that." in client(config).get("/snapshots/current/documents?status=failed").text


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """A snapshot of a document that cannot be read, and of one that has many passages."""
    folder = tmp_path_factory.mktemp("odd")
    (folder / "corpus").mkdir()
    text = "".join(f"# Part {n}\n\nThe report R{n} reads the table T{n}.\n\n" for n in range(45))
    (folder / "corpus" / "long.md").write_text(text)
    (folder / "corpus" / "z.pdf").write_bytes(b"%PDF-1.4 nothing")
    sections = {"max_characters": 40, "overlap_characters": 0}
    found = configure(folder, chunk=sections, merge_shards={"max_failed_share": 1.0})
    run_index(found, workers=1)
    return found


def test_a_document_that_failed_comes_first_with_what_to_do(odd: Config) -> None:
    page = client(odd).get("/snapshots/current/documents").text
    assert "those that were not read as a whole come first" in page
    assert page.index("corpus/z.pdf") < page.index("corpus/long.md")
    (row,) = (Store(odd.store).open().table("documents").filter(pc.field("path") == "z.pdf")).to_pylist()
    assert row["error_message"].removeprefix("corpus/z.pdf: ")[:20] in page
    page = client(odd).get(f"/snapshots/current/documents/{row['document_id']}").text
    assert "It gave no text." in page


def test_a_document_shows_its_text_and_the_facts_of_each_sentence(config: Config) -> None:
    snapshot = Store(config.store).open()
    document = document_named(config, "tables.md")
    page = client(config).get(f"/snapshots/current/documents/{document}").text
    rows = snapshot.table("sentences").to_pylist()
    sentence = next(one for one in rows if one["text"].startswith("The table VBBE replaces"))
    assert f'<span id="{sentence["sentence_id"]}" class="states">{sentence["text"]}</span>' in page
    fact = page.partition('class="facts"')[2].partition("</ul>")[0]
    assert "> replaces <" in fact
    assert f'href="#{sentence["sentence_id"]}"' in fact
    wanted = client(config).get(f"/snapshots/current/documents/{document}?chunk={sentence['chunk_id']}").text
    assert f'class="passage wanted" id="{sentence["chunk_id"]}"' in wanted
    neighbors = client(config).get("/snapshots/current/entities?name=table VBBS").text
    assert f"{document}?chunk={sentence['chunk_id']}#{sentence['sentence_id']}" in neighbors


def test_a_long_document_has_pages_and_a_chunk_opens_its_own(odd: Config) -> None:
    document = document_named(odd, "long.md")
    chunks = Store(odd.store).open().table("chunks").sort_by("ordinal").to_pylist()
    assert len(chunks) > 2 * CHUNKS_SHOWN
    address = f"/snapshots/current/documents/{document}"
    first = client(odd).get(address).text
    assert f"1 to {CHUNKS_SHOWN} of {len(chunks)}" in first
    assert f"{document}?from={CHUNKS_SHOWN}" in first
    outline = first.partition("<summary>Outline</summary>")[2].partition("</details>")[0]
    (of_last,) = [one for one in chunks if one["heading_path"][-1] == "Part 44"][:1]
    assert f'{document}?chunk={of_last["chunk_id"]}#{of_last["chunk_id"]}">Part 44</a>' in outline
    last = client(odd).get(f"{address}?chunk={chunks[-1]['chunk_id']}").text
    assert f'id="{chunks[-1]["chunk_id"]}"' in last
    assert f'id="{chunks[0]["chunk_id"]}"' not in last
    assert 'rel="prev"' in last
    word = chunks[-1]["text"].split()[-1]
    held = [one["chunk_id"] for one in chunks if word.casefold() in one["text"].casefold()]
    found = client(odd).get(address, params={"text": word}).text
    assert f"{len(held)} of {len(chunks)} passages" in found
    assert f'id="{held[0]}"' in found
    assert "No passage holds" in client(odd).get(address, params={"text": "zzzz"}).text


@pytest.mark.parametrize(
    ("page", "status", "words"),
    [
        ("/snapshots/..%2F..%2Fetc", 404, ""),
        ("/snapshots/%2E%2E%2Fstaging", 404, ""),
        ("/snapshots/etc", 422, "snapshot_id"),
        (f"/snapshots/{'0' * 24}", 404, "there is no snapshot"),
        ("/diff?before=current&after=%2Fetc%2Fpasswd", 422, "after"),
        (f"/snapshots/current/documents/{'0' * 24}", 400, "no such document in this snapshot"),
        ("/snapshots/current/documents/..%2F..%2Fetc", 404, ""),
        ("/snapshots/current/documents?from=-1", 422, "from"),
        (f"/snapshots/current/documents?text={'x' * 501}", 422, "text"),
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
    assert empty.get("/").headers["location"] == "/snapshots"
    assert "Nothing is published yet" in empty.get("/snapshots").text
    assert empty.get("/snapshots/current").status_code == 404


def test_a_snapshot_with_labels_is_not_shown_without_principals(labelled: Config) -> None:
    browser = client(labelled)
    for page in PAGES[2:]:
        answer = browser.get(page)
        assert answer.status_code == 403
        assert "no principals are given" in answer.text
        assert "pages.principals" in answer.text
        assert "VBB" not in answer.text.replace("What replaced VBBS", "")
    listed = browser.get("/snapshots").text
    assert "has access labels" in listed
    assert " MB" not in listed


def test_principals_see_what_is_theirs_and_no_other(labelled: Config) -> None:
    oldest, newest = Store(labelled.store).snapshot_ids()
    pages = ("/snapshots", f"/diff?before={oldest}&after={newest}", "/snapshots/current",
             "/snapshots/current/entities?name=table VBBS", "/snapshots/current/entities?name=Zeph",
             "/snapshots/current/ask?question=Who buys VBBS?&k=9",
             "/snapshots/current/documents")  # fmt: skip
    staff = client(with_principals(labelled, "staff"))
    board = client(with_principals(labelled, "staff", "board"))
    shown = [staff.get(page) for page in pages]
    assert [answer.status_code for answer in shown] == [200] * len(pages)
    assert not any(HIDDEN in answer.text for answer in shown)
    assert "The table VBBE replaces the table VBBS." in shown[3].text
    assert [HIDDEN in board.get(page).text for page in pages] == [False, True, True, True, True, True, True]
    secret = document_named(labelled, f"board/{HIDDEN}.txt")
    assert staff.get(f"/snapshots/current/documents/{secret}").status_code == 400
    assert HIDDEN in board.get(f"/snapshots/current/documents/{secret}").text


def test_a_question_gets_a_verdict_and_sentences_with_their_sources(config: Config) -> None:
    asked = {"question": "What replaces the table VBBS?"}
    page = client(config).get("/snapshots/current/ask", params=asked).text
    assert "The table VBBE replaces the table VBBS." in page.partition("<h2>Passages")[0]
    document = document_named(config, "tables.md")
    cited = page.partition('class="mark" href="')[2].partition('"')[0]
    assert f"/documents/{document}?chunk=" in cited
    assert cited.partition("#")[2] in client(config).get(cited.partition("#")[0]).text
    none = {"question": "Who won the football match on Saturday?"}
    page = client(config).get("/snapshots/current/ask", params=none).text
    assert "Not in these documents." in page


def test_modes_stand_side_by_side_and_an_answer_is_taken_along(config: Config) -> None:
    asked = {"question": "What replaces the table VBBS?"}
    beside = asked | {"beside": ["bm25", "dense"]}
    both = client(config).get("/snapshots/current/ask", params=beside).text
    assert both.count("<h2>Passages") == 3
    graph = unescape(both.partition("/graph?")[2].partition('"')[0])
    shown = client(config).get(f"/snapshots/current/graph/shown.json?{graph}").json()
    assert "table VBBE" in str(shown)
    assert "Mode bm25." in both
    same = client(config).get("/snapshots/current/ask", params=asked | {"beside": "auto"}).text
    assert same.count("<h2>Passages") == 1
    values = client(config).get("/snapshots/current/ask.json", params=asked).json()
    assert values["verdict"]["state"] == "answered"
    assert "VBBE" in values["text"]
    follow_up = {"question": "And what replaces it?", "after": "Who reads the table VBBS?"}
    values = client(config).get("/snapshots/current/ask.json", params=follow_up).json()
    assert values["asked_as"] == "What replaces the table VBBS?"
    markdown = client(config).get("/snapshots/current/ask.md", params=follow_up).text
    assert "Asked as: “What replaces the table VBBS?”" in markdown
    page = client(config).get("/snapshots/current/ask", params=follow_up).text
    assert "Asked as: “What replaces the table VBBS?”" in page
    assert 'name="after" value="What replaces the table VBBS?"' in page
    markdown = client(config).get("/snapshots/current/ask.md", params=asked).text
    assert markdown.startswith("## What replaces the table VBBS?\n\n**Answered")
    assert "corpus/tables.md" in markdown
    plain = client(config).get("/snapshots/current/ask.md", params=asked | {"mode": "bm25"}).text
    assert "> The table VBBE" in plain


def test_a_question_can_be_limited_to_documents(config: Config) -> None:
    asked = {"question": "What replaces the table VBBS?", "within": "odd"}
    found = client(config).get("/snapshots/current/ask.json", params=asked).json()
    assert {hit["uri"] for hit in found["context"]["chunks"]} == {"corpus/odd.md"}
    page = client(config).get("/snapshots/current/ask", params=asked).text
    assert 'name="within" value="odd"' in page
    pattern = asked | {"within": "corpus/[o]*.md"}
    again = client(config).get("/snapshots/current/ask.json", params=pattern).json()
    assert again["context"]["chunks"] == found["context"]["chunks"]
    by_field = asked | {"within": "media_type=md, path=*odd*"}
    again = client(config).get("/snapshots/current/ask.json", params=by_field).json()
    assert again["context"]["chunks"] == found["context"]["chunks"]
    page = client(config).get("/snapshots/current/ask", params=asked | {"within": "pth=odd"})
    assert page.status_code == 400
    assert "Did you mean" in page.text


def test_a_page_without_a_question_has_examples_that_are_answered(config: Config) -> None:
    held = list(examples(open_index(config.store)))
    assert held == ["What replaces table VBBS?", "What shows table VBBE?"]
    browser, asked = client(config), re.compile(r'/ask\?question=[^"]+">([^<]+)</a>')
    for _ in range(60):  # the page waits a second for them
        if found := asked.findall(browser.get("/snapshots/current/ask").text):
            break
    assert found == held[: len(found)]


def test_a_large_snapshot_is_published_with_its_examples(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = Store(config.store).open().manifest
    keep_examples(config, manifest)
    assert kept_examples(open_index(config.store)) == []  # it is small
    monkeypatch.setattr("graphrag_tasks.operations.examples._LARGE", 1)
    hidden = config.model_copy(update={"access": AccessConfig(enabled=True)})
    keep_examples(hidden, manifest)
    assert kept_examples(open_index(config.store)) == []  # each reader has other ones
    keep_examples(config, manifest)
    held = ["What replaces table VBBS?", "What shows table VBBE?"]
    assert kept_examples(open_index(config.store)) == held
    monkeypatch.setattr("graphrag_tasks.inspect.pages.ask.examples", None)  # none are looked for
    assert all(one in client(config).get("/snapshots/current/ask").text for one in held)
    assert Store(config.store).open().snapshot_id == manifest.snapshot_id


def test_a_hub_has_pages_of_facts_and_a_search(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphrag_tasks.inspect.pages.app.FACTS_SHOWN", 1)
    hub = {"name": "table VBBE"}
    browser, path = client(config), "/snapshots/current/entities"
    page = browser.get(path, params=hub).text
    assert "1 to 1 of 2" in page
    after = unescape(page.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0])
    shown = [browser.get(one).text.partition("<tbody>")[2] for one in (after, path + "?name=table+VBBE")]
    assert [("MD04" in one, "VBBS" in one) for one in shown] in (
        [(True, False), (False, True)], [(False, True), (True, False)],
    )  # fmt: skip
    found = browser.get(path, params=hub | {"holds": "md04"}).text
    assert "1 fact with “md04”" in found
    assert "were searched" not in found
    assert "has no relations with “x9”" in browser.get(path, params=hub | {"holds": "x9"}).text
    monkeypatch.setattr("graphrag_tasks.inspect.pages.reader._MOST_SEARCHED", 1)
    cut = browser.get(path, params=hub | {"holds": "md04"}).text
    assert "Only the 1 best supported were searched" in cut


def test_a_snapshot_is_made_current_again_by_who_may_and_from_its_page(config: Config) -> None:
    store = Store(config.store)
    oldest, newest = store.snapshot_ids()
    page, own = f"/snapshots/{oldest}/rollback", {"sec-fetch-site": "same-origin"}
    assert "go back" not in client(config).get("/snapshots").text
    assert client(config).post(page, headers=own).status_code in (404, 405)
    reader = TestClient(make_app(lambda: None, config, lambda: None), follow_redirects=False)
    assert "go back" not in reader.get("/snapshots").text
    assert "come back" in reader.get(page).text
    assert reader.post(page, headers=own).status_code == 403
    editor = TestClient(make_app(lambda: None, config, lambda: ""), follow_redirects=False)
    assert f'href="/snapshots/{oldest}/rollback"' in editor.get("/snapshots").text
    for headers in (
        {}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"},
        {"origin": "http://evil.example"},
    ):  # fmt: skip
        assert editor.post(page, headers=headers).status_code == 403
    assert store.current_id() == newest
    done = editor.post(page, headers=own)
    assert (done.status_code, done.headers["location"]) == (303, "/snapshots")
    assert store.current_id() == oldest
    back = editor.post(f"/snapshots/{newest}/rollback", headers={"origin": "http://testserver"})
    assert back.status_code == 303
    assert store.current_id() == newest
    assert editor.post(f"/snapshots/{'0' * 24}/rollback", headers=own).status_code == 404


def test_the_first_page_asks_the_current_snapshot(config: Config) -> None:
    browser = client(config)
    page = browser.get(browser.get("/").headers["location"]).text
    navigation = page.partition("<nav")[2].partition("</nav>")[0]
    assert re.findall(r">(\w+)</a>", navigation)[0] == "Ask"
    current = Store(config.store).current_id()
    assert f'action="/snapshots/{current}/ask"' in page
    assert page.index("<details") < page.index(f"<code>{current}")
    answer = browser.get(f"/snapshots/{current}/ask?question=Which+table+replaces+VBBS%3F").text
    assert "The table VBBE replaces the table VBBS." in answer


QUESTIONS = (
    "Which tables are shown?", "Which reports read a table?", "List all tables.", "tables",
    "How is the table VBBE related to the transaction MD04?", "How are VBBE and VBBS connected?",
    "How many tables are there?", "What are the main topics?", "Summarise everything.",
    "Who won the football match?", "Was ersetzt die Tabelle VBBS?", "VBBS", "?", "42", "'\"<>&%",
    "What replaces VBBS and which transaction shows VBBE?", "\u202egnp.exe", "{{ 7 * 7 }}",
    "SELECT * FROM VBBS", "Which documents mention VBBS?",
)  # fmt: skip
KINDS_OF_HIT = ("Paths", "Listed", "Communities", "Passages", "Facts")
ALL_MODES = 2
AT_RANDOM = 479  # Questions that are asked in all modes, and questions beside those above, 500 in all.


def drawn(words: Sequence[str], many: int) -> list[str]:
    rng = random.Random(7)
    return [" ".join(rng.choices(words, k=rng.randint(1, 12))) + "?" for _ in range(many)]


@few_or_many("many", few=2, many=AT_RANDOM)
def test_no_question_is_answered_by_an_error(config: Config, many: int) -> None:
    browser = client(config)
    words = [*" ".join(QUESTIONS).split(), "VBBE", "reads", "without", "least", "3", "2019", "and"]
    shown, one_of = set[str](), cycle(MODES)
    for place, question in enumerate((*QUESTIONS, *drawn(words, many))):
        for mode in ("auto", *(MODES if place < ALL_MODES else [next(one_of)])):
            asked = {"question": question, "mode": mode}
            page = browser.get("/snapshots/current/ask", params=asked)
            assert page.status_code == 200, (asked, page.text)
            shown |= {kind for kind in KINDS_OF_HIT if f"<h2>{kind}" in page.text}
    assert shown == set(KINDS_OF_HIT)


def test_what_goes_wrong_is_told_on_a_page_of_ours(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise TypeError("a secret of the code")

    monkeypatch.setattr("graphrag_tasks.inspect.pages.app.ask", fail)
    browser = TestClient(make_app(lambda: None, config), raise_server_exceptions=False)
    for path, status in (("/none", 404), ("/snapshots/current/ask?question=x", 500)):
        answer = browser.get(path)
        assert answer.status_code == status
        assert "<main" in answer.text
        assert "Go back" in answer.text or "The log of the server says why" in answer.text
        assert "secret" not in answer.text
    assert "<main" in browser.post("/snapshots/current/ask").text

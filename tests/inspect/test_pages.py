"""The pages of the plugin: what they show, to whom, and what they never show."""

from html import unescape
from pathlib import Path

import pyarrow.compute as pc
import pytest
from fastapi import HTTPException
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from graphrag_tasks.core.config import Config
from graphrag_tasks.inspect.pages import make_app
from graphrag_tasks.inspect.pages.documents import CHUNKS_SHOWN
from graphrag_tasks.inspect.pages.reader import path_of_store
from graphrag_tasks.storage.snapshots.store import Store
from tests.corpora import configured, made
from tests.inspect.parts import HIDDEN, client, document_named

PAGES = (
    "/snapshots", "/", "/diff?before=current&after=current", "/snapshots/current",
    "/snapshots/current/map", "/snapshots/current/documents", "/snapshots/current/changes",
    f"/snapshots/current/documents/{'0' * 24}",
    f"/snapshots/current/documents/{'0' * 24}/pages/1.png",
    "/snapshots/current/entities?name=VBBS", "/snapshots/current/ask?question=What+replaced+VBBS",
    "/snapshots/current/ask/next?chunk=x", "/snapshots/current/ask.json?question=What+replaced+VBBS",
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


def test_what_documents_and_requests_say_is_text(config: Config) -> None:
    odd = "<img src=x onerror=alert(1)>"
    document = document_named(config, "odd.md")
    for page in ("/snapshots/current", "/diff?before=current&after=current",
                 f"/snapshots/current/documents?text={odd}", "/snapshots/current/documents",
                 f"/snapshots/current/documents/{document}?chunk={odd}",
                 f"/snapshots/current/entities?name={odd}",
                 f"/snapshots/current/ask?question={odd} script Gateway"):  # fmt: skip
        answer = client(config).get(page)
        assert "<script>" not in answer.text
        assert "<img" not in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "&lt;img" in answer.text


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
    text = "".join(f"# Part {n}\n\nThe report R{n} reads the table T{n}.\n\n" for n in range(45))
    return made(
        tmp_path_factory.mktemp("odd"), {"long.md": text, "z.pdf": "%PDF-1.4 nothing"},
        chunk={"max_characters": 40, "overlap_characters": 0}, merge_shards={"max_failed_share": 1.0},
    )  # fmt: skip


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
    empty = client(configured(tmp_path))
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
    staff = client(labelled, "staff")
    board = client(labelled, "staff", "board")
    shown = [staff.get(page) for page in pages]
    assert [answer.status_code for answer in shown] == [200] * len(pages)
    assert not any(HIDDEN in answer.text for answer in shown)
    assert "The table VBBE replaces the table VBBS." in shown[3].text
    assert [HIDDEN in board.get(page).text for page in pages] == [False, True, True, True, True, True, True]
    secret = document_named(labelled, f"board/{HIDDEN}.txt")
    assert staff.get(f"/snapshots/current/documents/{secret}").status_code == 400
    assert HIDDEN in board.get(f"/snapshots/current/documents/{secret}").text


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

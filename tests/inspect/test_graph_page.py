"""The graph page: what its routes tell, how much at most, to whom, and what it may do."""

import re
from typing import Any
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient

from graphrag_tasks.core.config import Config
from graphrag_tasks.inspect.pages.neighbourhood import NEIGHBOURS
from tests.corpora import made
from tests.inspect.parts import BOARD_AND_STAFF, HIDDEN, client

AT = "/snapshots/current/graph"
READERS = 70  # Reports that read one table: more than are shown at first.


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    readers = [f"The report ZR{number:03} reads the table MARA." for number in range(READERS)]
    texts = {
        "tables.md": "# Table changes\n\nThe table VBBE replaces the table VBBS. If the table VBBS replaces the "
        "table MARA, it is told. The transaction MD04 shows the table VBBE.\n",
        "odd.md": "# <script>alert(1)</script>\n\nThe <b>Gateway</b> needs the table VBBS.\n",
        "reports.md": "# Reports\n\n" + "\n\n".join(readers) + "\n",
    }
    return made(tmp_path_factory.mktemp("graph_page"), texts)


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Config:
    secret = f"{HIDDEN} buys the table VBBS. The table VBBE replaces the table VBBS for {HIDDEN}.\n"
    texts = {
        "tables.md": "# Tables\n\nThe table VBBE replaces the table VBBS.\n", f"board/{HIDDEN}.txt": secret,
    }  # fmt: skip
    return made(tmp_path_factory.mktemp("labelled"), texts, access={"enabled": True, "rules": BOARD_AND_STAFF})


def shown(browser: TestClient, query: str) -> Any:
    answer = browser.get(f"{AT}/shown.json?{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def statements(found: Any) -> set[str]:
    names, relations = found["entities"]["name"], found["relations"]
    columns = (relations[one] for one in ("head", "phrase", "tail"))
    return {f"{names[head]} {phrase} {names[tail]}" for head, phrase, tail in zip(*columns, strict=True)}


def test_an_entity_is_shown_with_its_neighbours_in_columns(config: Config) -> None:
    found = shown(client(config), "name=table+vbbs")
    assert found["entities"]["name"][0] == "table VBBS"
    assert found["entities"]["opened"][0] == 1
    assert "table VBBE replaces table VBBS" in statements(found)
    lengths = {len(column) for column in found["entities"].values()}
    assert lengths == {len(found["entities"]["id"])}
    assert "transaction MD04" not in found["entities"]["name"]


def test_filters_leave_out_kinds_types_confidence_and_documents(config: Config) -> None:
    browser = client(config)
    facts = shown(browser, "name=table+VBBS")
    all_kinds = shown(browser, "name=table+VBBS&kind=fact&kind=condition")
    assert "condition" not in facts["relations"]["kind"]
    assert "condition" in all_kinds["relations"]["kind"]
    sure = shown(browser, "name=table+VBBS&least=1")
    assert len(sure["relations"]["id"]) < len(facts["relations"]["id"])
    types = dict(zip(facts["entities"]["name"], facts["entities"]["type"], strict=True))
    without = shown(browser, f"name=table+VBBS&hide={types['table VBBE']}")
    assert "table VBBE" not in without["entities"]["name"]
    assert "table VBBS" in without["entities"]["name"]
    titles = dict(zip(facts["documents"]["title"], facts["documents"]["id"], strict=True))
    tables = shown(browser, f"name=table+VBBS&document={titles['Table changes']}")
    assert statements(tables) == {"table VBBE replaces table VBBS"}
    assert tables["documents"] == facts["documents"]


def test_without_a_name_the_entities_with_most_facts_are_shown(config: Config) -> None:
    found = shown(client(config), "")
    names, relations = found["entities"]["name"], found["relations"]
    assert found["steps"]["shown"] == [len(names)] == [NEIGHBOURS[0]]
    assert found["steps"]["of"][0] > READERS
    assert names[0] == "table MARA"
    assert {"table VBBE replaces table VBBS", "report ZR000 reads table MARA"} & statements(found)
    rank = list(zip([-one for one in found["entities"]["relations"]], found["entities"]["id"], strict=True))
    assert rank == sorted(rank)
    assert set(relations["kind"]) == {"fact"}
    assert {*relations["head"], *relations["tail"]} == set(range(len(names)))  # none stands alone
    assert shown(client(config), "most=120")["steps"]["shown"] == found["steps"]["of"]
    page = client(config).get(AT).text
    assert "The 60 entities with most facts; enter a name to see others." in page
    assert "<h2>Relations</h2>" in page
    assert "reads the table MARA." in page


def test_a_reader_gets_the_entities_with_most_facts_that_he_may_see(labelled: Config) -> None:
    staff, board = client(labelled, "staff"), client(labelled, "staff", "board")
    assert HIDDEN in shown(board, "")["entities"]["name"]
    seen = shown(staff, "")
    assert sorted(seen["entities"]["name"]) == ["table VBBE", "table VBBS"]
    assert seen["entities"]["relations"] == [1, 1]


def test_a_hub_is_cut_and_says_so_and_more_can_be_asked_for(config: Config) -> None:
    browser = client(config)
    few, more = (shown(browser, f"name=table+MARA&most={most}") for most in NEIGHBOURS[:2])
    assert few["steps"] == {"name": ["table MARA"], "shown": [NEIGHBOURS[0]], "of": [READERS]}
    assert more["steps"]["shown"] == [READERS]
    page = browser.get(f"{AT}?name=table+MARA").text
    assert f"{NEIGHBOURS[0]} of {READERS} neighbours shown" in page


def test_a_relation_has_its_sentences_with_both_names_marked(config: Config) -> None:
    browser = client(config)
    found = shown(browser, "name=table+VBBS&least=0.1")
    (place,) = [place for place, one in enumerate(found["relations"]["phrase"]) if one == "replaces"]
    told = browser.get(f"{AT}/relations.json", params={"id": found["relations"]["id"][place]}).json()
    assert told["relations"]["head"] == ["table VBBE"]
    sentences = told["sentences"]
    assert "".join(sentences["texts"][0]) == "The table VBBE replaces the table VBBS."
    marked = {mark: text for text, mark in zip(sentences["texts"][0], sentences["marks"][0], strict=True) if mark}
    assert "VBBE" in marked["head"]
    assert "VBBS" in marked["tail"]
    assert sentences["title"] == ["Table changes"]
    document, chunk, sentence = (sentences[one][0] for one in ("document", "chunk", "id"))
    page = client(config).get(f"/snapshots/current/documents/{document}?chunk={chunk}").text
    assert f'id="{sentence}"' in page


def test_an_entity_tells_its_mentions_and_documents(config: Config) -> None:
    browser = client(config)
    found = shown(browser, "name=table+VBBS")
    told = browser.get(f"{AT}/entity.json", params={"id": found["entities"]["id"][0]}).json()
    assert told["name"] == "table VBBS"
    assert told["mentions"] >= 3
    documents = told["documents"]
    assert told["of_documents"] == len(documents["id"]) == 2
    assert "<script>alert(1)" in documents["title"]
    for document, chunk in zip(documents["id"], documents["chunk"], strict=True):
        page = client(config).get(f"/snapshots/current/documents/{document}?chunk={chunk}").text
        assert f'wanted" id="{chunk}"' in page
        assert "table VBBS" in page


def test_what_is_shown_is_saved_as_graphml_and_as_a_sheet(config: Config) -> None:
    browser = client(config)
    query = "name=table+VBBS&name=table+VBBE"
    found = shown(browser, query)
    answer = browser.get(f"{AT}/shown.graphml?{query}")
    assert answer.headers["content-disposition"] == 'attachment; filename="graph.graphml"'
    tree = ElementTree.fromstring(answer.text)  # noqa: S314 - what we wrote
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    nodes = {one.get("id") for one in tree.iterfind(".//g:node", space)}
    edges = {one.get("id") for one in tree.iterfind(".//g:edge", space)}
    assert nodes == set(found["entities"]["id"])
    assert edges == set(found["relations"]["id"])


def test_the_page_may_run_one_script_of_ours_and_no_other(config: Config) -> None:
    browser = client(config)
    answer = browser.get(f"{AT}?name=table+VBBS")
    policy = dict(one.strip().partition(" ")[::2] for one in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == "'self'"
    assert "unsafe" not in answer.headers["content-security-policy"]
    (script,) = re.findall(r'<script src="([^"]*)" defer></script>', answer.text)
    assert answer.text.count("<script") == 1
    loaded = browser.get(script)
    assert loaded.headers["content-type"].startswith("text/javascript")
    assert "immutable" in loaded.headers["cache-control"]
    assert browser.get("/static/graph.0.js").status_code == 404
    others = browser.get("/snapshots/current/entities?name=table+VBBS")
    assert "script-src" not in others.headers["content-security-policy"]


@pytest.mark.parametrize("odd", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'])
def test_names_from_requests_and_documents_are_text(config: Config, odd: str) -> None:
    page = client(config).get(AT, params={"name": odd}).text
    assert odd not in page
    assert "there is no entity" in page
    answer = client(config).get(f"{AT}/shown.json", params={"name": odd})
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    listed = client(config).get(f"{AT}?name=table+VBBS").text
    assert "<script>alert" not in listed
    assert "&lt;script&gt;alert(1)" in listed


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        (f"{AT}/shown.json?name=nobody", 400, "there is no entity 'nobody'"),
        (f"{AT}/shown.json?name={'x' * 10_000}", 422, "500 characters"),
        (f"{AT}?name={'x' * 10_000}", 422, "500 characters"),
        (f"{AT}/shown.json?" + "&".join(f"name={one}" for one in range(21)), 422, "20 items"),
        (f"{AT}/shown.json?name=table+VBBS&most=100000", 422, "most"),
        (f"{AT}/shown.json?name=table+VBBS&least=2", 422, "least"),
        (f"{AT}/shown.json?name=table+VBBS&kind=rumour", 422, "kind"),
        (f"{AT}/shown.json?name=table+VBBS&document=x", 422, "document"),
        (f"{AT}/shown.json?name=table+VBBS&document={'0' * 24}", 400, "there is no document"),
        (f"{AT}/shown.json?community=x", 422, "community"),
        (f"{AT}/shown.json?community={'0' * 24}", 400, "there is no community"),
        (f"{AT}?community={'0' * 24}", 200, "there is no community"),
        (f"{AT}/entity.json?id={'0' * 24}", 400, "there is no entity with the id"),
        (f"{AT}/relations.json?id={'0' * 24}", 400, "there is no relation with the id"),
        (f"{AT}/relations.json", 422, "id"),
        (f"{AT}/relations.json?id=..%2F..", 422, "id"),
        (f"/snapshots/{'0' * 24}/graph?name=x", 404, "there is no snapshot"),
        (f"/snapshots/{'0' * 24}/graph/shown.json?name=x", 404, "there is no snapshot"),
    ],
)
def test_odd_requests_get_a_clear_error(config: Config, address: str, status: int, words: str) -> None:
    answer = client(config).get(address)
    assert answer.status_code == status
    text = answer.json()["error"] if ".json" in address else answer.text
    assert words.replace("'", "&#39;" if ".json" not in address else "'") in text
    assert len(answer.text) < 40_000


def test_no_route_tells_what_a_reader_may_not_see(labelled: Config) -> None:
    staff, board = client(labelled, "staff"), client(labelled, "staff", "board")
    refused = client(labelled).get(f"{AT}/shown.json?name=table+VBBS")
    assert refused.status_code == 403
    assert "table" not in refused.text
    whole = shown(board, "name=table+VBBS")
    assert HIDDEN in whole["entities"]["name"]
    seen = shown(staff, "name=table+VBBS")
    assert statements(seen) == {"table VBBE replaces table VBBS"}
    assert seen["relations"]["stated"] == [1]
    ids = {one: whole["entities"]["id"][place] for place, one in enumerate(whole["entities"]["name"])}
    documents = dict(zip(whole["documents"]["title"], whole["documents"]["id"], strict=True))
    hidden_document = next(one for title, one in documents.items() if HIDDEN in title)
    relations = "&".join(f"id={one}" for one in whole["relations"]["id"])
    kept = seen["relations"]["id"][0]
    for address in (
        AT, f"{AT}/shown.json", f"{AT}?name=table+VBBS", f"{AT}/shown.json?name=table+VBBS",
        f"{AT}/shown.graphml?name=table+VBBS",
        f"{AT}/names.json?text=ephy", f"{AT}/entity.json?id={ids[HIDDEN]}",
        f"{AT}/entity.json?id={ids['table VBBS']}", f"{AT}/relations.json?id={kept}",
        f"{AT}/relations.json?{relations}",
        f"{AT}/shown.json?name=table+VBBS&document={hidden_document}",
    ):  # fmt: skip
        answer = staff.get(address)
        assert HIDDEN not in answer.text, address
    assert staff.get(f"{AT}/entity.json?id={ids[HIDDEN]}").status_code == 400
    assert staff.get(f"{AT}/entity.json?id={ids['table VBBS']}").json()["of_documents"] == 1


def test_without_a_script_the_page_lists_the_relations(config: Config) -> None:
    page = client(config).get(f"{AT}?name=table+VBBS").text
    assert "The table VBBE replaces the table VBBS." in page
    assert "<h2>Relations of table VBBS</h2>" in page
    assert 'id="drawn" hidden' in page
    assert re.search(r'href="/snapshots/\w+/graph/shown.graphml\?name=table\+VBBS" download', page)
    entities = client(config).get("/snapshots/current/entities?name=table+VBBS").text
    assert re.search(r'href="/snapshots/\w+/graph\?name=table\+VBBS">graph</a>', entities)

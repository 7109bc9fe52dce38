"""The map of communities: what a view shows, and to whom."""

import json
import re
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient

from graphrag_tasks.core.config import Config
from graphrag_tasks.inspect.pages import map as map_module
from graphrag_tasks.inspect.pages.map import view
from graphrag_tasks.inspect.pages.reader import Reader
from graphrag_tasks.retrieval import open_index
from tests.corpora import made
from tests.inspect.parts import BOARD_AND_STAFF, HIDDEN, client

AT = "/snapshots/current/map"
SHOWN = re.compile(r"map\?community=(\w+)")


def about(letter: str) -> str:
    """Return sentences that tie four tables of one letter to each other."""
    tables = [f"table {letter}BB{number}" for number in range(4)]
    pairs = [(one, other) for one in tables for other in tables if one < other]
    said = " ".join(f"The {one} replaces the {other}." for one, other in pairs)
    return f"# Tables of {letter}\n\n{said}\n"


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    folder = tmp_path_factory.mktemp("map_page")
    texts = {f"{letter}.md": about(letter) for letter in "VWX"}
    texts["ties.md"] = "# Ties\n\nThe table VBB0 reads the table WBB0.\n"
    return made(folder, texts)


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Config:
    folder = tmp_path_factory.mktemp("map_page_labelled")
    secrets = "".join(f" {HIDDEN} buys the table VBB{number}." for number in range(4))
    texts = {"tables.md": about("V"), "board/plan.md": f"# Plan\n\n{secrets}\n"}
    return made(folder, texts, access={"enabled": True, "rules": BOARD_AND_STAFF})


def walk(browser: TestClient) -> dict[str, str]:
    """Return every view that the map leads to, by its address."""
    left, found = [AT], dict[str, str]()
    while left:
        address = left.pop()
        answer = browser.get(address)
        assert answer.status_code == 200, answer.text
        found[address] = answer.text
        ids = dict.fromkeys(SHOWN.findall(answer.text))
        left += [one for one in (f"{AT}?community={name}" for name in ids) if one not in found and one not in left]
    return found


def tree(page: str) -> list[dict[str, Any]]:
    """Return what the script draws."""
    items = re.search(r'id="tree">(.*?)</script>', page)
    assert items
    found: list[dict[str, Any]] = json.loads(items[1])
    return found


def test_the_map_leads_to_every_community_and_from_the_deepest_to_entities(config: Config) -> None:
    rows = open_index(config.store).snapshot.table("communities").to_pylist()
    found = walk(client(config))
    assert {one.partition("=")[2] for one in found} == {"", *(row["community_id"] for row in rows)}
    parents = {row["parent_id"] for row in rows}
    for row in rows:
        page = found[f"{AT}?community={row['community_id']}"]
        assert f"<h1>{row['title']}</h1>" in page
        assert "Names, the most central first" in page
        assert ('aria-label="Names as a picture"' in page) == (row["community_id"] not in parents)
    drawn = {(one["id"], one["parent"] or None): one["size"] for one in tree(found[AT])}
    assert drawn == {(row["community_id"], row["parent_id"]): row["size"] for row in rows if row["level"] < 2}


def test_a_map_of_many_communities_lists_some_and_counts_the_others(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, limit in (
        (map_module, "COMMUNITIES_DRAWN"), (map_module, "_MOST_SMALLER"),
        (map_module, "COMMUNITIES_LISTED"),
    ):  # fmt: skip
        monkeypatch.setattr(module, limit, 1)
    page = client(config).get(AT).text
    parents = open_index(config.store).snapshot.table("communities")["parent_id"].to_pylist()
    many = parents.count(None)
    assert many > 2
    assert f"{many} topics</h2>" in page
    assert f"{many - 1} smaller ones, {many - 1} of which are not drawn" in page
    assert f"and {many - 2} more" in page
    assert len(set(SHOWN.findall(page.partition("</h2>")[2]))) == 2


def test_a_community_leads_to_the_graph_of_its_entities_and_back(config: Config) -> None:
    browser = client(config)
    for address, page in walk(browser).items():
        graphs = re.findall(r'href="([^"]*/graph\?community=(\w+))"', page)
        if address == AT:
            assert not graphs
            continue
        ((graph, community),) = graphs
        drawn = browser.get(graph).text
        assert re.search(rf'href="/snapshots/\w+/map\?community={community}">', drawn)
        assert f'name="community" value="{community}"' in drawn
        names = browser.get(graph.replace("?", "/shown.json?")).json()["entities"]["name"]
        assert names
        assert all(f">{name}</a>" in page for name in names)
        other = browser.get(f"{graph.replace('?', '/shown.json?')}&name=table+VBB0").json()
        assert other["entities"]["name"][0] == "table VBB0"
    assert re.search(r'href="/snapshots/\w+/map">Map</a>', browser.get(AT.replace("map", "graph")).text)


def test_what_a_principal_may_not_see_is_in_no_view(labelled: Config) -> None:
    board, staff = walk(client(labelled, "staff", "board")), walk(client(labelled, "staff"))
    assert any(HIDDEN in page for page in board.values())
    assert len(staff) > 1
    assert not [address for address, page in staff.items() if HIDDEN in page]
    hidden = set(board) - set(staff)
    assert hidden
    for address in hidden:
        answer = client(labelled, "staff").get(address)
        assert answer.status_code == 400
        assert HIDDEN not in answer.text
    told = [view(Reader(labelled.model_copy(update={"pages": labelled.pages.model_copy(
        update={"principals": who})})).index("current"), "") for who in
        (("staff",), ("staff", "board"))]  # fmt: skip
    sizes = [sum(row["size"] for row in one.drawn) for one in told]
    assert sizes[0] < sizes[1]


ODD = '"><script>alert(1)</script>'


class _Nested:
    """A snapshot with a community in each of three levels, and odd names."""

    def __init__(self) -> None:
        ids = [f"{level:024}" for level in range(3)]
        entities = ["e0", "e1", "e2"]
        self._tables = {
            "communities": pa.table({
                "community_id": ids, "level": [0, 1, 2], "parent_id": [None, *ids[:2]],
                "title": [ODD, f"{ODD} and more", "deepest"], "summary": [ODD] * 3, "size": [3] * 3,
            }),
            "members": pa.concat_tables([pa.table({
                "community_id": [one] * 3, "entity_id": entities,
                "centrality": [3.0, 2.0, 0.0]}) for one in ids]),
            "documents": pa.table({"uri": ["corpus/odd.md"]}),
            "entities": pa.table({"entity_id": entities, "name": [ODD, "table MARA", "1 & 2"]}),
        }  # fmt: skip

    def table(self, name: str, columns: list[str] | None = None) -> pa.Table:
        table = self._tables[name]
        return table.select(columns) if columns else table


def test_names_are_text(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = client(config)
    manifest = Reader(config).index("current").snapshot.manifest
    odd = _Nested()
    odd.manifest = manifest  # type: ignore[attr-defined]
    monkeypatch.setattr(Reader, "index", lambda *_: SimpleNamespace(snapshot=odd))
    pages = walk(browser)
    assert len(pages) == 4
    for page in pages.values():
        assert (page.count("<script"), page.count("</script")) == (2, 2)
        assert "&lt;script&gt;alert(1)" in page
    deepest = pages[f"{AT}?community={2:024}"]
    drawn = {(one["title"], round(one["size"], 6)) for one in tree(deepest)}
    assert drawn == {(ODD, 3.0), ("table MARA", 2.0), ("1 & 2", 0.3)}
    assert "name=1+%26+2" in deepest
    assert deepest.index(f"community={0:024}") < deepest.index(f"community={1:024}")

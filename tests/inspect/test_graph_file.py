"""The page of a graph as one file: it asks nobody, and what documents say stays text."""

import base64
import hashlib
import html
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks import open_index, picture
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.inspect.export import Selection, neighbourhood, whole_graph
from graphrag_tasks.inspect.pages import graph_file
from graphrag_tasks.inspect.pages.graph_file import graph_page
from graphrag_tasks.storage.snapshots.store import Snapshot
from tests.inspect.parts import indexed

ODD = ["</script><script>alert(1)</script>", "]]>", "<!--<script>", "\u2028 & \u2029", "=1+1",
       '"><img src=x onerror=alert(1)>']  # fmt: skip
_HELD = re.compile(r'<script type="application/json" id="held">(.*?)</script>', re.DOTALL)
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return indexed(tmp_path_factory.mktemp("graph_file"))


def held(page: str) -> Any:
    (text,) = _HELD.findall(page)
    return json.loads(text)


def renamed(what: Selection, names: list[str]) -> Selection:
    column = pa.array([*names, *what.entities["name"].to_pylist()[len(names) :]])
    return Selection(names[0], what.entities.set_column(1, "name", column), what.relations)


def test_the_file_holds_the_graph_with_its_sentences_and_documents(snapshot: Snapshot) -> None:
    what = neighbourhood(snapshot, "table VBBS")
    found = held(graph_page(snapshot, what))
    assert sorted(found["entities"]["id"]) == sorted(what.entities["entity_id"].to_pylist())
    relations = found["relations"]
    assert sorted(relations["id"]) == sorted(what.relations["relation_id"].to_pylist())
    place = relations["phrase"].index("replaces")
    names = [found["entities"]["name"][relations[end][place]] for end in ("head", "tail")]
    assert names == ["table VBBE", "table VBBS"]
    row = found["sentences"]["relation"].index(place)
    assert "".join(found["sentences"]["texts"][row]) == "The table VBBE replaces the table VBBS."
    assert set(found["sentences"]["marks"][row]) == {"", "head", "tail"}
    (document,) = relations["documents"][place]
    assert found["documents"]["uri"][document] == "corpus/tables.md"


def test_only_our_script_may_run_and_nothing_is_loaded(snapshot: Snapshot) -> None:
    page = graph_page(snapshot, whole_graph(snapshot))
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    rules = dict(rule.split(" ", 1) for rule in html.unescape(policy).split("; "))
    assert rules["default-src"] == "'none'"
    for name, element in (("script-src", _SCRIPT), ("style-src", _STYLE)):
        (text,) = element.findall(page)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"
    assert page.index("Content-Security-Policy") < page.index("<style>")
    own = page.replace(_SCRIPT.findall(page)[0], "")
    assert not re.findall(r"\b(?:src|href)=\"(?!#main\")", own)


def test_names_titles_and_sentences_are_text(snapshot: Snapshot) -> None:
    what = renamed(whole_graph(snapshot), ODD)
    page = graph_page(snapshot, what)
    found = held(page)
    assert found["entities"]["name"][: len(ODD)] == ODD
    assert "<script>alert(1)" in found["documents"]["title"]
    assert (page.count("<script"), page.count("</script")) == (2, 2)
    assert "<img" not in page
    (text,) = _HELD.findall(page)
    assert not re.search("[<>&\u2028\u2029]", text)
    assert f"<h1>{html.escape(ODD[0])}</h1>" in page


def test_a_notebook_shows_a_name_and_its_neighbours_in_a_frame(tmp_path: Path) -> None:
    indexed(tmp_path)
    page = picture(open_index(tmp_path / "store"), "table VBBS", most=1)
    assert len(held(page)["entities"]["id"]) == 2
    shown = page._repr_html_()
    assert html.unescape(shown.partition('srcdoc="')[2].partition('"')[0]) == page
    assert repr(page) == f"GraphPage({len(page):,} characters)"


def test_a_graph_too_large_for_a_page_is_refused(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_file, "MOST_ENTITIES_HELD", 2)
    with pytest.raises(ConfigError, match=r"more than one page holds .* Choose a part"):
        graph_page(snapshot, whole_graph(snapshot))

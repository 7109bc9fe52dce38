"""The page of a graph as one file, opened from the disk in a real browser."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.inspect.export import neighbourhood, whole_graph
from graphrag_tasks.inspect.pages.graph_file import graph_page
from graphrag_tasks.storage.snapshots.store import Snapshot
from tests.browser.chromium import errors, find, hosts, look, wait_for
from tests.inspect.parts import indexed

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return indexed(tmp_path_factory.mktemp("graph_file"))


def shown(browser: Any) -> list[str]:
    script = "return [...document.querySelectorAll('#nodes li')].map(i => i.firstChild.data)"
    return list(browser.execute_script(script))


def ask_for(browser: Any, name: str) -> None:
    field = find(browser, "[name=name]")
    field.clear()
    field.send_keys(name)
    find(browser, "#wanted > button").click()


def test_a_file_is_drawn_walked_and_filtered_without_a_server(
    browser: Any, snapshot: Snapshot, tmp_path: Path, picture: Callable[[str], None]
) -> None:
    file = tmp_path / "graph.html"
    what = whole_graph(snapshot)
    file.write_text(graph_page(snapshot, what), "utf-8")
    look(browser)
    browser.get(file.as_uri())
    wait_for(lambda: len(shown(browser)) == what.entities.num_rows, "whole graph")
    assert browser.execute_script("return document.querySelectorAll('#canvas canvas').length")
    find(browser, "#nodes").click()
    items = browser.find_elements("css selector", "#nodes li")
    items[shown(browser).index("table VBBE")].click()
    line = wait_for(
        lambda: [one for one in browser.find_elements("css selector", "#panel .lines button")
                 if one.text == "table VBBE replaces table VBBS"], "line in the panel",
    )[0]  # fmt: skip
    picture("graph-file")
    line.click()
    panel = find(browser, "#panel")
    wait_for(lambda: "The table VBBE replaces the table VBBS." in panel.text, "sentence")
    assert "Table changes (corpus/tables.md)" in panel.text
    assert not browser.find_elements("css selector", "#panel a")
    ask_for(browser, "Transaction md04")
    wait_for(lambda: "transaction MD04" in shown(browser)[:1], "neighbours of MD04")
    assert "Gateway" not in shown(browser)
    assert "#name=Transaction+md04" in browser.current_url
    browser.back()
    wait_for(lambda: len(shown(browser)) == what.entities.num_rows, "whole graph again")
    ask_for(browser, "nobody")
    wait_for(lambda: "no entity 'nobody'" in find(browser, "#problem").text, "clear error")
    assert errors(browser) == []
    assert hosts(browser) <= {None, ""}


def test_a_part_is_drawn_whole(browser: Any, snapshot: Snapshot, tmp_path: Path) -> None:
    file = tmp_path / "part.html"
    what = neighbourhood(snapshot, "table VBBS")
    file.write_text(graph_page(snapshot, what), "utf-8")
    browser.get(file.as_uri())
    wait_for(lambda: len(shown(browser)) == what.entities.num_rows, "part")
    options = browser.find_elements("css selector", "[name=document] option")
    (odd,) = [option for option in options if "script" in option.text]
    odd.click()
    wait_for(lambda: len(shown(browser)) < what.entities.num_rows, "one document")
    assert errors(browser) == []

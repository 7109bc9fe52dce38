"""The graph page in a real browser: drawn, walked, filtered, saved; by pointer and by keyboard.

Needs Chromium and its driver on the path; WebGL is drawn by software. Screenshots go to a temporary folder, or to
`GRAPHRAG_SCREENSHOTS` where it is set.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from graphrag_tasks.inspect.pages import make_app
from tests.browser.chromium import NARROW, errors, find, hosts, look, served, wait_for
from tests.corpora import made

pytestmark = pytest.mark.browser

READERS = 65  # Reports that read one table: more than are shown at first.
_STEP = 14  # Pixels between the places where a pointer looks for a line: no node is smaller on the screen.


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The pages of a small store, served on loopback."""
    readers = [f"The report ZR{number:03} reads the table MARA." for number in range(READERS)]
    texts = {
        "tables.md": "# Table changes\n\nThe table VBBE replaces the table VBBS. If the table VBBS fills the "
        "schema SAPSR3, all is well. The transaction MD04 shows the table VBBE. The report ZSALES reads "
        "the table VBBS.\n",
        "odd.md": "# <script>alert(1)</script>\n\nThe <b>Gateway</b> needs the table VBBS.\n",
        "reports.md": "# Reports\n\n" + "\n\n".join(readers) + "\n",
    }
    config = made(tmp_path_factory.mktemp("graph_page"), texts)
    with served(make_app(lambda: None, config)) as root:
        yield f"{root}/snapshots/current/graph"


@pytest.fixture(autouse=True)
def usual(browser: Any) -> Iterator[None]:
    """A laptop's window and light colours; and at the end, no error and no other host asked."""
    look(browser)
    yield
    look(browser)
    # What the server refuses is logged as well.
    assert not [one for one in errors(browser) if "shown.json" not in one]
    asked = hosts(browser)
    assert asked
    assert asked <= {"127.0.0.1", None}


def shown(browser: Any) -> list[str]:
    """Return the names in the list beside the picture."""
    script = "return [...document.querySelectorAll('#nodes li')].map(i => i.firstChild.data)"
    return list(browser.execute_script(script))


def open_graph(browser: Any, address: str, query: str, name: str) -> None:
    browser.get(f"{address}?{query}")
    wait_for(lambda: name in shown(browser), f"{name} in the list")


def panel(browser: Any) -> str:
    return str(find(browser, "#panel").text)


def pixels(browser: Any) -> str:
    """Return the picture as the page would save it, as a data URL of its layers."""
    script = """
      const sheet = document.createElement('canvas'), out = sheet.getContext('2d');
      const layers = [...document.querySelectorAll('#canvas canvas')];
      sheet.width = layers[0].width; sheet.height = layers[0].height;
      for (const one of layers) if (one.className.includes('labels')) out.drawImage(one, 0, 0);
      return sheet.toDataURL();
    """
    return str(browser.execute_script(script))


def pointer_finds(browser: Any, wanted: str) -> tuple[int, int]:
    """Move the pointer over the picture until its title tells that it is over something."""
    frame = browser.execute_script("return document.getElementById('canvas').getBoundingClientRect()")
    for down in range(_STEP, int(frame["height"]), _STEP):
        for along in range(_STEP, int(frame["width"]), _STEP):
            x, y = int(frame["x"]) + along, int(frame["y"]) + down
            event = {"type": "mouseMoved", "x": x, "y": y}
            browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)
            if find(browser, "#canvas").get_attribute("title") == wanted:
                return x, y
    pytest.fail(f"the pointer does not find '{wanted}' in the picture")


def press(browser: Any, kind: str, place: tuple[int, int]) -> None:
    event = {"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1}
    browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)


def click_at(browser: Any, place: tuple[int, int]) -> None:
    for kind in ("mousePressed", "mouseReleased"):
        press(browser, kind, place)


def test_a_click_in_the_picture_adds_neighbours_and_one_on_a_line_shows_its_sentence(
    browser: Any, address: str, picture: Callable[[str], None]
) -> None:
    open_graph(browser, address, "name=table+VBBS", "table VBBE")
    assert not browser.find_elements("css selector", "#listed")
    assert "transaction MD04" not in shown(browser)
    click_at(browser, pointer_finds(browser, "table VBBE"))
    wait_for(lambda: "transaction MD04" in shown(browser), "neighbour of table VBBE")
    wait_for(lambda: "Table changes" in panel(browser), "documents of table VBBE")
    (document,) = browser.find_elements("css selector", "#panel ul:not(.lines) a")
    assert document.text == "Table changes"
    assert parse_qs(urlsplit(browser.current_url).query)["name"] == ["table VBBS", "table VBBE"]
    click_at(browser, pointer_finds(browser, "transaction MD04 shows table VBBE"))
    wait_for(lambda: "The transaction MD04 shows the table VBBE." in panel(browser), "sentence")
    marked = [one.text for one in browser.find_elements("css selector", "#panel mark")]
    assert any("MD04" in one for one in marked)
    assert any("VBBE" in one for one in marked)
    picture("graph-light")
    find(browser, "#panel blockquote a").click()
    sentence = wait_for(lambda: find(browser, ".passage span:target"), "passage of the sentence")
    assert sentence.text == "The transaction MD04 shows the table VBBE."


def test_the_keyboard_does_what_the_pointer_does(browser: Any, address: str) -> None:
    from selenium.webdriver import Keys

    open_graph(browser, address, "name=table+VBBS", "table VBBE")
    nodes = find(browser, "#nodes")
    place = shown(browser).index("table VBBE")
    nodes.send_keys(Keys.HOME, *[Keys.ARROW_DOWN] * place, Keys.ENTER)
    wait_for(lambda: "transaction MD04" in shown(browser), "neighbour of table VBBE")
    assert browser.switch_to.active_element == nodes
    active = find(browser, f"#{nodes.get_attribute('aria-activedescendant')}")
    assert active.text.startswith("table VBBE")
    assert active.get_attribute("aria-selected") == "true"
    line = wait_for(
        lambda: [one for one in browser.find_elements("css selector", "#panel .lines button")
                 if one.text == "table VBBE replaces table VBBS"], "line in the panel",
    )[0]  # fmt: skip
    line.send_keys(Keys.ENTER)
    wait_for(lambda: "The table VBBE replaces the table VBBS." in panel(browser), "sentence")
    assert browser.switch_to.active_element == find(browser, "#panel")
    assert find(browser, "#notices").get_attribute("aria-live") == "polite"


def test_an_address_shows_the_same_again_and_the_browser_goes_back(browser: Any, address: str) -> None:
    query = "name=table+VBBS&name=table+VBBE&kind=fact&kind=condition&least=0.1"
    open_graph(browser, address, query, "transaction MD04")
    assert "schema SAPSR3" in shown(browser)
    before = pixels(browser)
    open_graph(browser, address, "name=table+MARA", "report ZR001")
    open_graph(browser, address, query, "transaction MD04")
    assert pixels(browser) == before
    ticked = browser.find_elements("css selector", "[name=kind]:checked")
    assert [one.get_attribute("value") for one in ticked] == ["fact", "condition"]
    find(browser, "[value=condition]").click()
    wait_for(lambda: "schema SAPSR3" not in shown(browser), "facts alone")
    browser.back()
    wait_for(lambda: "schema SAPSR3" in shown(browser), "conditions again")


def test_filters_hide_types_and_documents(browser: Any, address: str) -> None:
    open_graph(browser, address, "name=table+VBBS", "report ZSALES")
    items = [one.text for one in browser.find_elements("css selector", "#nodes li")]
    (type_,) = {one.split()[-1] for one in items if one.startswith("table VBBE")}
    find(browser, f"[name='type {type_}']").click()
    wait_for(lambda: "table VBBE" not in shown(browser), "picture without tables")
    assert f"hide={type_}" in browser.current_url
    assert browser.switch_to.active_element == find(browser, f"[name='type {type_}']")
    find(browser, f"[name='type {type_}']").click()
    wait_for(lambda: "table VBBE" in shown(browser), "tables again")
    options = browser.find_elements("css selector", "[name=document] option")
    (odd,) = [one for one in options if "script" in one.text]
    odd.click()
    wait_for(lambda: "report ZSALES" not in shown(browser), "one document")


def test_a_hub_shows_some_of_its_neighbours_and_more_on_demand(browser: Any, address: str) -> None:
    open_graph(browser, address, "name=table+MARA", "table MARA")
    assert f"60 of {READERS} neighbours shown" in find(browser, "#notices").text
    assert len(shown(browser)) == 61
    find(browser, "#notices button").click()
    wait_for(lambda: len(shown(browser)) == READERS + 1, "all neighbours")
    assert "most=120" in browser.current_url


def test_a_search_suggests_names_and_draws_another_entity(browser: Any, address: str) -> None:
    browser.get(address)
    name = find(browser, "[name=name]")
    name.send_keys("VBB")
    wait_for(lambda: browser.find_elements("css selector", "#names option[value='table VBBE']"), "suggestion")
    name.clear()
    name.send_keys("nobody\n")
    wait_for(lambda: "there is no entity 'nobody'" in find(browser, "#problem").text, "problem")
    name.clear()
    name.send_keys("table VBBE\n")
    wait_for(lambda: find(browser, "#problem").text == "", "end of the problem")
    wait_for(lambda: "transaction MD04" in shown(browser), "neighbours of table VBBE")


def test_without_a_name_nodes_can_be_moved_and_fill_the_screen(browser: Any, address: str) -> None:
    open_graph(browser, address, "", "table MARA")
    assert "The 60 entities with most facts" in find(browser, "#notices").text
    place = pointer_finds(browser, "table MARA")
    target = (place[0] + 60, place[1] + 45)
    press(browser, "mousePressed", place)
    for step in range(1, 7):
        press(browser, "mouseMoved", (place[0] + 10 * step, place[1] + int(7.5 * step)))
    press(browser, "mouseReleased", target)
    assert "table MARA" not in panel(browser)
    moved = pointer_finds(browser, "table MARA")
    assert max(abs(moved[0] - target[0]), abs(moved[1] - target[1])) < 2 * _STEP
    click_at(browser, moved)
    wait_for(lambda: "table MARA" in panel(browser), "entity in the panel")
    assert urlsplit(browser.current_url).query == ""
    height = find(browser, "#canvas").rect["height"]
    find(browser, "#full").click()
    wait_for(lambda: find(browser, "#canvas").rect["height"] > height, "full screen")
    assert "table MARA" in panel(browser)
    find(browser, "#full").click()
    wait_for(lambda: find(browser, "#canvas").rect["height"] == height, "the page again")


def test_what_is_shown_is_saved(browser: Any, address: str) -> None:
    open_graph(browser, address, "name=table+VBBS", "table VBBE")
    for what in ("picture", "graphml"):
        find(browser, f"#{what}").click()
    folder = Path(browser.downloads)
    names = ("graph.png", "graph.graphml")
    wait_for(lambda: all((folder / name).exists() for name in names), "files", 90)
    assert (folder / "graph.png").read_bytes().startswith(b"\x89PNG")
    assert "table VBBE" in (folder / "graph.graphml").read_text("utf-8")


def test_dark_and_narrow(browser: Any, address: str, picture: Callable[[str], None]) -> None:
    open_graph(browser, address, "name=table+VBBS", "table VBBE")
    light = pixels(browser)
    look(browser, scheme="dark")
    wait_for(lambda: pixels(browser) != light, "other colours")
    picture("graph-dark")
    look(browser, width=NARROW, height=844)
    wait_for(lambda: browser.execute_script("return innerWidth") == NARROW, "narrow window")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= NARROW
    canvas, below = find(browser, "#canvas").rect, find(browser, "#panel").rect
    assert below["y"] >= canvas["y"] + canvas["height"]
    picture("graph-390")


def test_without_scripts_the_relations_are_listed(browser: Any, address: str) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(f"{address}?name=table+VBBS")
        text = find(browser, "main").text
        assert "The table VBBE replaces the table VBBS." in text
        assert not find(browser, "#drawn").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

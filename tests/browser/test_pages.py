"""Every page in a real browser: who can use it, on which screen, and what it asks for.

Needs Chromium and its driver on the path, and axe-core (`npm ci` in `web`), which is not shipped. Screenshots go where
those of the graph page go.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from graphrag_tasks.core.config import load_config
from graphrag_tasks.inspect.pages import make_app
from graphrag_tasks.inspect.pages.runs import Runs
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.storage.snapshots.store import Store
from graphrag_tasks.workbench.evaluation.gate import judge
from tests.browser.chromium import NARROW, errors, find, hosts, look, served, wait_for

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "graphrag_tasks/inspect/pages/web/node_modules/axe-core/axe.min.js"
JUDGED = "What replaces VBB2?"
SERIOUS = ("serious", "critical")
PAGES = (
    "snapshots", "summary", "documents", "document", "map", "community", "deepest", "entities",
    "entity", "graph", "graph of one", "ask", "answered", "two modes", "not answered", "why",
    "diff", "rollback", "edit", "judged", "error",
    "changes", "index",
)  # fmt: skip
BY_KEYBOARD = ("snapshots", "documents", "map", "deepest", "entity", "answered", "why", "rollback", "edit", "index")


def about(letter: str) -> str:
    """Return sentences that tie four tables of one letter to each other, and long words."""
    tables = [f"table {letter}BB{number}" for number in range(4)]
    pairs = [(one, other) for one in tables for other in tables if one < other]
    said = " ".join(f"The {one} replaces the {other}." for one, other in pairs)
    word = f"/SAPAPO/{letter}_{'LONG_' * 14}NAME"
    return f"# Tables of {letter}\n\n{said}\n\nThe report {word} reads the table {letter}BB0.\n"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The address of each page of a store with two snapshots."""
    folder = tmp_path_factory.mktemp("pages")
    corpus = folder / "corpus"
    corpus.mkdir()
    for letter in "VWX":
        (corpus / f"{letter}.md").write_text(about(letter))
    for release, port in (("1.0", 5150), ("2.0", 5151)):
        text = f"# Guide\n\nThe gateway listens on port {port}. A clerk opens it at noon.\n"
        (corpus / f"guide-{release}.md").write_text(text)
    overrides = {
        "store": str(folder / "store"), "sources": [str(corpus)], "load": {"vector_store": "none"},
        "resolve": {"overrides": str(folder / "overrides.yaml")},
    }  # fmt: skip
    (folder / "overrides.yaml").write_text("rename:\n  table VBB0: table VBB0\n")
    config = load_config(overrides=overrides, environ={})
    run_index(config, workers=1)
    (corpus / "Y.md").write_text(about("Y"))
    run_index(config, workers=1)
    judge(folder / "store" / "questions.jsonl", JUDGED, "wrong", [])
    older, newer = Store(config.store).snapshot_ids()
    snapshot = open_index(config.store).snapshot
    document = snapshot.table("documents")["document_id"][0].as_py()
    chunk = snapshot.table("chunks")["chunk_id"][0].as_py()
    communities = sorted(snapshot.table("communities").to_pylist(), key=lambda row: row["level"])
    coarsest, deepest = communities[0]["community_id"], communities[-1]["community_id"]
    one, asked = f"/snapshots/{newer}", "question=What+replaces+VBB1%3F"
    paths = (
        "/snapshots", one, f"{one}/documents", f"{one}/documents/{document}?chunk={chunk}",
        f"{one}/map", f"{one}/map?community={coarsest}", f"{one}/map?community={deepest}",
        f"{one}/entities", f"{one}/entities?name=table+VBB0", f"{one}/graph",
        f"{one}/graph?name=table+VBB0",
        f"{one}/ask", f"{one}/ask?{asked}", f"{one}/ask?{asked}&mode=bm25",
        f"{one}/ask?question=Who+is+the+king+of+Norway%3F",
        f"{one}/why?{asked}&chunk={chunk}", f"/diff?before={older}&after={newer}",
        f"/snapshots/{older}/rollback", f"{one}/entities/edit?name=table+VBB0",
        f"{one}/ask?question={quote(JUDGED)}", f"{one}/map?community={'0' * 24}",
        f"{one}/changes", "/run",
    )  # fmt: skip
    runs = Runs(config, None, (), ())
    with served(make_app(lambda: None, config, lambda: "", runs)) as root:
        yield {name: root + path for name, path in zip(PAGES, paths, strict=True)}


def open_page(browser: Any, pages: dict[str, str], name: str) -> None:
    browser.get(pages[name])
    assert find(browser, "h1").is_displayed()
    if name == "graph of one":
        wait_for(lambda: browser.find_elements("css selector", "#nodes li"), "list of entities")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_anybody_can_use_a_page_and_it_asks_no_other_host(
    browser: Any, pages: dict[str, str], picture: Callable[[str], None], name: str, scheme: str
) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed (npm ci in inspect/pages/web)")
    look(browser, scheme=scheme)
    open_page(browser, pages, name)
    picture(f"{name}-{scheme}")
    browser.execute_script(AXE.read_text("utf-8"))
    found = browser.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
    assert found["passes"]
    assert not [
        (one["id"], place["target"], place["failureSummary"])
        for one in found["violations"]
        if one["impact"] in SERIOUS
        for place in one["nodes"][:3]
    ]
    refused = "status of 400" if name == "error" else None
    assert not [one for one in errors(browser) if refused is None or refused not in one]
    assert hosts(browser) <= {"127.0.0.1", None}


@pytest.mark.parametrize("name", PAGES)
def test_a_telephone_shows_all_of_a_page(
    browser: Any, pages: dict[str, str], picture: Callable[[str], None], name: str
) -> None:
    look(browser, width=NARROW, height=844)
    open_page(browser, pages, name)
    picture(f"{name}-{NARROW}")
    assert browser.execute_script("return innerWidth") == NARROW
    assert browser.execute_script("return document.documentElement.scrollWidth") <= NARROW
    cut = """
      const cut = one => !one.closest('.wide, svg, .unseen, .skip, .canvas') &&
        one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1;
      return [...document.querySelectorAll('body *')].filter(cut).map(one => one.outerHTML);
    """
    assert browser.execute_script(cut) == []


@pytest.mark.parametrize("name", BY_KEYBOARD)
def test_the_keyboard_reaches_everything_and_shows_where_it_is(browser: Any, pages: dict[str, str], name: str) -> None:
    from selenium.webdriver import ActionChains, Keys

    look(browser)
    open_page(browser, pages, name)
    count = browser.execute_script("""
      const wanted = 'a[href], button, input, select, summary, [tabindex="0"]';
      const all = [...document.querySelectorAll(wanted)].filter(one => one.checkVisibility());
      window.reached = [];
      document.addEventListener('focusin', event => {
        const style = getComputedStyle(event.target), circle = event.target.firstElementChild;
        const isSeen = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1;
        const isDrawn = event.target.closest('svg')
          && parseFloat(getComputedStyle(circle).strokeWidth) >= 3;
        window.reached.push([all.indexOf(event.target), isSeen || isDrawn]);
      });
      return all.length;
    """)
    ActionChains(browser).send_keys(Keys.TAB * count).perform()
    reached = browser.execute_script("return window.reached")
    assert [place for place, _ in reached] == list(range(count))
    assert all(is_seen for _, is_seen in reached)
    if name == "map":
        circle = find(browser, "svg.map a")
        title = circle.get_attribute("aria-label").rpartition(":")[0]
        circle.send_keys(Keys.ENTER)
        wait_for(lambda: find(browser, "h1").text == title, "view of the community")


def test_a_number_opens_its_source_and_questions_are_remembered(browser: Any, pages: dict[str, str]) -> None:
    look(browser, width=1280, height=900)
    browser.get(pages["ask"].partition("?")[0] + "?question=Which+port+does+the+gateway+listen+on%3F")
    shown = [find(browser, f"#source-{number}").is_displayed() for number in (1, 2)]
    assert shown == [True, False]
    browser.find_elements("css selector", ".was .mark")[0].click()
    assert [find(browser, f"#source-{number}").is_displayed() for number in (1, 2)] == [False, True]
    assert find(browser, '.sources nav [aria-current="true"]').text.startswith("2 ")
    assert "port 5150" in find(browser, "#source-2 mark").text
    browser.get(pages["ask"])
    kept = browser.execute_script("return [...document.querySelectorAll('#asked option')].map(one => one.value)")
    assert kept[0] == "Which port does the gateway listen on?"
    assert browser.switch_to.active_element.get_attribute("name") == "question"


@pytest.mark.parametrize("width", [1280, NARROW])
@pytest.mark.parametrize("name", ["map", "community", "deepest"])
def test_names_on_the_map_stay_in_their_circles_and_cover_no_other(
    browser: Any, pages: dict[str, str], name: str, width: int
) -> None:
    look(browser, width=width, height=900)
    open_page(browser, pages, name)
    boxes, outside, least = browser.execute_script("""
      const map = document.querySelector('svg.map'), view = map.viewBox.baseVal;
      const texts = [...map.querySelectorAll('.words text')];
      const circles = [...map.querySelectorAll('a circle')].map(one =>
        ['cx', 'cy', 'r'].map(name => one[name].baseVal.value));
      const outside = [], boxes = [];
      for (const text of texts) {
        const box = text.getBBox(), middle = box.x + box.width / 2;
        boxes.push([box.x, box.y, box.x + box.width, box.y + box.height]);
        const inView = box.x >= 0 && box.x + box.width <= view.width
          && box.y >= 0 && box.y + box.height <= view.height;
        const size = parseFloat(text.getAttribute('font-size'));
        const inCircle = circles.some(([x, y, r]) =>
          [...text.children].every(line => {
            const half = line.getComputedTextLength() / 2, foot = line.y.baseVal[0].value;
            return [foot, foot - .75 * size].every(edge =>
              Math.hypot(Math.abs(middle - x) + half, edge - y) <= r);
          }));
        if (!inView || !inCircle) outside.push(text.textContent);
      }
      const scale = map.getScreenCTM().a;
      const sizes = texts.map(one => scale * parseFloat(one.getAttribute('font-size')));
      return [boxes, outside, Math.min(99, ...sizes)];
    """)
    assert boxes
    assert not outside
    assert least >= 10
    for place, (left, upper, right, lower) in enumerate(boxes):
        for other in boxes[:place]:
            assert left >= other[2] or other[0] >= right or upper >= other[3] or other[1] >= lower

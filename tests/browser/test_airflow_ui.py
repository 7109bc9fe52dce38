"""The DAG and the plugin in Airflow's own UI, driven by a real browser: form, run, graph, pages.

Needs Chromium and its driver on the path. Screenshots go to a temporary folder, or to `GRAPHRAG_SCREENSHOTS` where it
is set.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
START_SECONDS = 180
RUN_SECONDS = 900


def wait_for(found: Callable[[], Any], seconds: float, what: str) -> Any:
    """Poll until something is true, for a bounded time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = found()
        if value:
            return value
        time.sleep(1)
    pytest.fail(f"no {what} within {seconds} s")


def free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("published") / "store"


@pytest.fixture(scope="module")
def airflow_url(tmp_path_factory: pytest.TempPathFactory, store: Path) -> Iterator[str]:
    """Airflow standalone on SQLite and loopback, in a process group of its own."""
    home = tmp_path_factory.mktemp("airflow")
    url = f"http://127.0.0.1:{free_port()}"
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__API__BASE_URL": url,
        "AIRFLOW__API__HOST": "127.0.0.1",
        "AIRFLOW__API__PORT": url.rpartition(":")[2],
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"{url}/execution/",
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__PARALLELISM": "4",
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "True",
        "AIRFLOW__SCHEDULER__USE_JOB_SCHEDULE": "False",  # or the nightly run starts too, in the hours after it
        "GRAPHRAG__SOURCES": f'["{ROOT / "examples" / "corpus"}"]',
        "GRAPHRAG__STORE": str(store),
    }
    with (home / "standalone.log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "airflow", "standalone"],
            env=environment, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip

    def answers() -> bool:
        try:
            with urllib.request.urlopen(f"{url}/api/v2/monitor/health", timeout=5) as answer:  # noqa: S310
                return bool(answer.status == 200)
        except OSError:
            return False

    try:
        wait_for(answers, START_SECONDS, f"answer of Airflow ({home / 'standalone.log'})")
        yield url
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Headless Chromium."""
    webdriver = pytest.importorskip("selenium.webdriver")
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip("chromium and chromedriver are not installed (apt install chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--window-size=1500,1500"):
        options.add_argument(argument)
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield opened
    opened.quit()


@pytest.fixture
def picture(browser: Any, tmp_path: Path) -> Callable[[str], None]:
    folder = Path(os.environ.get("GRAPHRAG_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    return lambda name: browser.save_screenshot(str(folder / f"{name}.png"))


def text_of(browser: Any) -> str:
    return str(browser.find_element("tag name", "body").text)


def unfold(browser: Any) -> None:
    browser.execute_script("document.querySelectorAll('.rest, .how').forEach(one => one.open = true)")


def click_on(browser: Any, selector: str) -> None:
    wait_for(lambda: browser.find_elements("css selector", selector), 60, selector)[0].click()


def test_a_run_and_the_pages_of_what_it_published(
    airflow_url: str, browser: Any, store: Path, picture: Callable[[str], None]
) -> None:
    run_url = trigger_a_run(airflow_url, browser, picture)
    snapshot_id = (store / "CURRENT").read_text().strip()
    read_the_note(run_url, browser, picture)
    follow_the_links_of_tasks(run_url, snapshot_id, browser, picture)
    browse_the_pages(airflow_url, browser, picture)
    reload_a_page_and_make_it_dark(airflow_url, snapshot_id, browser, picture)


def trigger_a_run(airflow_url: str, browser: Any, picture: Callable[[str], None]) -> str:
    """Trigger the DAG from its form, wait for its end, and return the run's address."""

    def text() -> str:
        return text_of(browser)

    def click(selector: str) -> None:
        click_on(browser, selector)

    def open_dag() -> bool:
        browser.get(f"{airflow_url}/dags/graphrag_reindex")
        time.sleep(3)
        return "graphrag_reindex" in text() and "not found" not in text()

    wait_for(open_dag, START_SECONDS, "DAG in the UI")
    click("[data-testid=trigger-dag-button]")
    # The form unpauses the DAG only where it has already read that the DAG is paused.
    wait_for(lambda: "Unpause graphrag_reindex" in text(), 60, "paused DAG in the form")
    form = wait_for(lambda: "Run Parameters" in text() and text(), 60, "trigger form")
    for title in ("Sources", "Store", "Extractor", "Rebuild", "Safety limits"):
        assert title in form
    assert "Allow mass delete" not in form  # its section is closed
    browser.set_window_size(1500, 1500)
    picture("trigger-form")
    click("[data-testid=trigger-dag-submit]")

    def finished() -> str | None:
        browser.get(f"{airflow_url}/dags/graphrag_reindex/runs")
        time.sleep(3)
        return next((state for state in ("Success", "Failed") if state in text()), None)

    state = wait_for(finished, RUN_SECONDS, "finished run")
    browser.set_window_size(1500, 800)
    browser.get(f"{airflow_url}/dags/graphrag_reindex")
    time.sleep(3)
    picture("finished-run")
    assert state == "Success"

    click('[aria-label^="Show Graph"]')
    click("[data-testid=expand-all-button]")
    click('[aria-label="Collapse Details Panel"]')
    time.sleep(4)
    for stage in ("plan", "parse", "filter_sentences", "publish"):
        assert stage in text()
    picture("graph")
    browser.get(f"{airflow_url}/dags/graphrag_reindex/runs")
    runs = "a[href*='/dags/graphrag_reindex/runs/']"
    (run, *_) = wait_for(lambda: browser.find_elements("css selector", runs), 60, "run")
    return str(run.get_attribute("href"))


def read_the_note(run_url: str, browser: Any, picture: Callable[[str], None]) -> None:
    browser.get(run_url)
    wait_for(lambda: " published: 18 added, " in text_of(browser), 60, "note of the run")
    picture("note")


def follow_the_links_of_tasks(run_url: str, snapshot_id: str, browser: Any, picture: Callable[[str], None]) -> None:
    for task, name, page, shows in (
        ("publish", "Snapshot", "", f"Snapshot {snapshot_id}"),
        ("communities", "Map", "/map", "Topics"),
        ("shard.parse/mapped/0", "Documents", "/documents", "18 documents"),
    ):
        browser.get(f"{run_url.rstrip('/')}/tasks/{task}/details")
        (link,) = wait_for(lambda: browser.find_elements("link text", name), 60, name)  # noqa: B023
        address = link.get_attribute("href")
        assert address.endswith(f"/plugin/graphrag/graphrag/snapshots/{snapshot_id}{page}")
        picture(f"link-{name.lower()}")
        browser.get(address)
        frames = wait_for(lambda: browser.find_elements("tag name", "iframe"), 60, "frame")
        browser.switch_to.frame(frames[0])
        wait_for(lambda: shows in text_of(browser), 60, shows)  # noqa: B023
        browser.switch_to.default_content()


def browse_the_pages(airflow_url: str, browser: Any, picture: Callable[[str], None]) -> None:
    """Go from the navigation to a snapshot, an answer, the reason for it, and an entity."""

    def follow(link: str, shows: str) -> None:
        wait_for(lambda: (unfold(browser), browser.find_elements("link text", link))[1], 60, link)[0].click()
        wait_for(lambda: shows in text_of(browser), 60, shows)

    browser.get(f"{airflow_url}/plugin/graphrag")
    frames = wait_for(lambda: browser.find_elements("tag name", "iframe"), 60, "page in the UI")
    browser.switch_to.frame(frames[0])
    follow("Summary", "Quality gate")
    browser.switch_to.default_content()
    picture("plugin")
    browser.switch_to.frame(frames[0])
    for link, shows in (("table VBBS", "also called"), ("why it was found", "cosine with the question")):
        browser.find_element("name", "question").send_keys("Which table replaces VBBS?\n")
        wait_for(lambda: "Use table VBBE instead of table VBBS" in text_of(browser), 60, "answer")
        picture("plugin-answer")
        follow(link, shows)
        picture(f"plugin-{link.split()[0]}")
    browser.switch_to.default_content()


def reload_a_page_and_make_it_dark(
    airflow_url: str, snapshot_id: str, browser: Any, picture: Callable[[str], None]
) -> None:
    """See Airflow's address follow the page in its frame, and the page Airflow's colours."""
    browser.get(f"{airflow_url}/plugin/graphrag")

    def in_frame(look: Callable[[], Any]) -> Any:
        frames = browser.find_elements("tag name", "iframe")
        if not frames:
            return None
        browser.switch_to.frame(frames[0])
        try:
            return look()
        finally:
            browser.switch_to.default_content()

    def links() -> list[Any]:
        unfold(browser)
        return list(browser.find_elements("link text", "Summary"))

    wait_for(lambda: in_frame(links), 60, "snapshot in the frame")
    in_frame(lambda: links()[0].click())
    address = f"{airflow_url}/plugin/graphrag/graphrag/snapshots/{snapshot_id}"
    wait_for(lambda: browser.current_url == address, 60, address)
    browser.refresh()
    heading = f"Snapshot {snapshot_id}"
    wait_for(lambda: in_frame(lambda: heading in text_of(browser)), 60, "page after a reload")

    def choose(name: str) -> None:
        of = f"//*[self::button or starts-with(@role, 'menuitem')][normalize-space()='{name}']"
        found = wait_for(lambda: browser.find_elements("xpath", of), 60, name)
        found[-1].click()

    def background() -> str:
        script = "return getComputedStyle(document.body).backgroundColor"
        return str(in_frame(lambda: browser.execute_script(script)))

    for scheme, colour in (("Dark Mode", "rgb(20, 24, 31)"), ("Light Mode", "rgb(255, 255, 255)")):
        for name in ("User", "Appearance", scheme):
            choose(name)
        wait_for(lambda: background() == colour, 60, scheme)  # noqa: B023
        picture(f"plugin-{scheme.split()[0].lower()}")

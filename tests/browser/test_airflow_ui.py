"""The DAG in Airflow's own UI, driven by a real browser: trigger form, run, graph.

Needs Chromium and its driver on the path. Screenshots go to a temporary folder, or to
`GRAPHRAG_SCREENSHOTS` where it is set.
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
RUN_SECONDS = 300


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
def airflow_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
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
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "True",
        "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
        "GRAPHRAG__SOURCES": f'["{ROOT / "examples" / "corpus"}"]',
        "GRAPHRAG__STORE": str(home / "store"),
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


def test_trigger_form_and_a_finished_run(
    airflow_url: str, browser: Any, picture: Callable[[str], None]
) -> None:
    def text() -> str:
        return str(browser.find_element("tag name", "body").text)

    def click(selector: str) -> None:
        wait_for(lambda: browser.find_elements("css selector", selector), 60, selector)[0].click()

    def open_dag() -> bool:
        browser.get(f"{airflow_url}/dags/graphrag_reindex")
        time.sleep(3)
        return "graphrag_reindex" in text() and "not found" not in text()

    wait_for(open_dag, START_SECONDS, "DAG in the UI")
    click("[data-testid=trigger-dag-button]")
    form = wait_for(lambda: "Run Parameters" in text() and text(), 60, "trigger form")
    for title in ("Sources", "Store", "Extractor", "Full refresh", "Allow mass delete"):
        assert title in form
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

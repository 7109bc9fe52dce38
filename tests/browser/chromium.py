"""Headless Chromium and served pages, for tests of what a person sees."""

import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from fastapi import FastAPI

WEBGL_BY_SOFTWARE = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
NARROW = 390  # Width of a telephone.


def wait_for(found: Callable[[], Any], what: str, seconds: float = 20) -> Any:
    """Poll until something is true, for a bounded time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = found()
        if value:
            return value
        time.sleep(0.1)
    pytest.fail(f"no {what} within {seconds} s")


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """Serve an application on loopback; yields its address."""
    import uvicorn

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            wait_for(lambda: server.started, "server")
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(20)


def start_chromium(downloads: Path) -> Any:
    """Start a browser that logs its console and its requests."""
    webdriver = pytest.importorskip("selenium.webdriver")
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip("chromium and chromedriver are not installed (apt install chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", *WEBGL_BY_SOFTWARE):
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


def look(browser: Any, width: int = 1280, height: int = 1000, scheme: str = "light") -> None:
    """Set the size of the window and the colours that are preferred."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def find(browser: Any, selector: str) -> Any:
    """Return the first element of a selector."""
    return browser.find_element("css selector", selector)


def errors(browser: Any) -> list[str]:
    """Return what went wrong since the last call, violations of the content policy included."""
    lines = [line["message"] for line in browser.get_log("browser") if line["level"] != "INFO"]
    return [one for one in lines if "GPU stall" not in one]  # what reading pixels back costs


def hosts(browser: Any) -> set[str | None]:
    """Return the hosts that were asked since the last call."""
    lines = [line["message"] for line in browser.get_log("performance")]
    asked = [one for one in lines if '"Network.requestWillBeSent"' in one]
    return {urlsplit(one.partition('"url":"')[2].partition('"')[0]).hostname for one in asked}

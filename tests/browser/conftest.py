"""What tests of pages in a browser share."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import start_chromium


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Headless Chromium."""
    downloads = tmp_path_factory.mktemp("downloads")
    opened = start_chromium(downloads)
    opened.downloads = downloads
    yield opened
    opened.quit()


@pytest.fixture
def picture(browser: Any, tmp_path: Path) -> Callable[[str], None]:
    """Saves a screenshot by a name."""
    folder = Path(os.environ.get("GRAPHRAG_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    return lambda name: browser.save_screenshot(str(folder / f"{name}.png"))

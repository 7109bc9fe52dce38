"""How soon a browser paints each page of a store, and what it loads for it.

Headless Chromium with software rendering opens every page twice from a server on this machine. The first visit may open
the snapshot and load models. Prints milliseconds to the first contentful paint and to the end of loading, and kilobytes
as sent, data and style included.

    python -m benchmarks.page_paint --store STORE --name VBBS --question "What replaces VBBS?"
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from graphrag_tasks.core.config import load_config
from graphrag_tasks.inspect.pages import make_app
from graphrag_tasks.retrieval import open_index
from tests.browser.chromium import served, start_chromium, wait_for

_PAINTED = """
const paint = performance.getEntriesByName('first-contentful-paint')[0];
const visit = performance.getEntriesByType('navigation')[0];
if (!paint || !visit.loadEventEnd) return null;
const loaded = [visit, ...performance.getEntriesByType('resource')];
const size = loaded.reduce((all, one) => all + one.transferSize, 0);
return [paint.startTime, visit.loadEventEnd, size];
"""


def addresses(store: str, name: str, question: str) -> dict[str, str]:
    """Return the path of each page."""
    snapshot = open_index(store).snapshot
    document = snapshot.table("documents", ["document_id"])["document_id"][0].as_py()
    communities = sorted(snapshot.table("communities").to_pylist(), key=lambda row: -row["size"])
    community = communities[0]["community_id"] if communities else ""
    one = f"/snapshots/{snapshot.snapshot_id}"
    return {
        "snapshots": "/",
        "summary": one,
        "documents": f"{one}/documents",
        "document": f"{one}/documents/{document}",
        "map": f"{one}/map",
        "community": f"{one}/map?community={community}",
        "entities": f"{one}/entities",
        "entity": f"{one}/entities?name={quote(name)}",
        "graph": f"{one}/graph",
        "graph of one": f"{one}/graph?name={quote(name)}",
        "ask": f"{one}/ask",
        "answered": f"{one}/ask?question={quote(question)}",
    }


def visit(
    browser: Any,  # noqa: ANN401 - selenium's
    address: str,
) -> tuple[float, float, float]:
    """Return milliseconds to the first paint and to the end of loading, and bytes."""
    browser.get("about:blank")
    browser.get(address)
    painted, loaded, size = wait_for(lambda: browser.execute_script(_PAINTED), address, 60)
    return float(painted), float(loaded), float(size)


def main() -> None:
    """Print a Markdown table of the pages."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--store", required=True)
    parser.add_argument("--name", required=True, help="of an entity")
    parser.add_argument("--question", required=True)
    options = parser.parse_args()
    config = load_config(overrides={"store": options.store})
    write = sys.stdout.write
    write("| page | first paint ms | again: paint ms | loaded ms | KB |\n|---|---|---|---|---|\n")
    with tempfile.TemporaryDirectory() as downloads:
        browser = start_chromium(Path(downloads))
        try:
            with served(make_app(lambda: None, config)) as root:
                for name, path in addresses(options.store, options.name, options.question).items():
                    first, *_ = visit(browser, root + path)
                    painted, loaded, size = visit(browser, root + path)
                    row = (name, f"{first:.0f}", f"{painted:.0f}", f"{loaded:.0f}", f"{size / 1e3:.0f}")
                    write(f"| {' | '.join(row)} |\n")
        finally:
            browser.quit()


if __name__ == "__main__":
    main()

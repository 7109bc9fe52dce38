"""What of HTML pages is kept and dropped, by our rules and by extractors of main text.

The extractors live in the peers' environment (see `parse_peers.py`), our reader in the project's; each run measures
what its Python has and prints a row for it:

    .venv/bin/python -m benchmarks.boilerplate
    peers/bin/python -m benchmarks.boilerplate

Two sets of pages: those in `tests/parse/pages`, which the rules were written with, and those in `benchmarks/pages`,
which were written when the rules were done. A page's phrases that must stay or go are in `expected.toml` beside it.
Kept recall is the share of the former that is in the text, dropped recall the share of the latter that is not.
"""

from __future__ import annotations

import importlib.util
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

PAGES = {
    "development": Path(__file__).parents[1] / "tests" / "parse" / "pages",
    "held out": Path(__file__).with_name("pages"),
}
_TAG = re.compile(r"<[^>]+>")
_SPACE = re.compile(r"\s+")


def _ours() -> Callable[[str], str]:
    from graphrag_tasks.parse.markup import read_html

    return lambda html: "\n".join(block.text for block in read_html(html.encode()).blocks)


def _trafilatura() -> Callable[[str], str]:
    trafilatura: Any = importlib.import_module("trafilatura")
    return lambda html: str(trafilatura.extract(html, output_format="markdown", favor_recall=True) or "")


def _readability() -> Callable[[str], str]:
    readability: Any = importlib.import_module("readability")

    def extract(html: str) -> str:
        page = readability.Document(html)
        return f"{page.title()}\n{_TAG.sub(' ', page.summary())}"

    return extract


def _justext() -> Callable[[str], str]:
    justext: Any = importlib.import_module("justext")
    words = justext.get_stoplist("English")
    return lambda html: "\n".join(
        part.text for part in justext.justext(html.encode(), words) if not part.is_boilerplate
    )


EXTRACTORS = {"graphrag_tasks": _ours, "trafilatura": _trafilatura, "readability": _readability, "justext": _justext}
"""What makes the function from HTML to text, by the module that has to be there."""


def main() -> None:
    """Print a row for each extractor that is installed and each set of pages."""
    print("| extractor | pages | kept recall | dropped recall | pages that lost something |")
    print("|---|---|---|---|---|")
    for module, load in EXTRACTORS.items():
        if importlib.util.find_spec(module):
            for name, folder in PAGES.items():
                print(f"| {module} | {name} | {_measured(load(), folder)} |")


def _measured(extract: Callable[[str], str], folder: Path) -> str:
    expected = tomllib.loads((folder / "expected.toml").read_text("utf-8"))
    kept, dropped, losing = [], [], 0
    for page, phrases in expected.items():
        text = _plain(extract((folder / f"{page}.html").read_text("utf-8")))
        stayed = [_plain(phrase) in text for phrase in phrases["keep"]]
        kept += stayed
        dropped += [_plain(phrase) not in text for phrase in phrases["drop"]]
        losing += not all(stayed)
    return f"{sum(kept) / len(kept):.3f} | {sum(dropped) / len(dropped):.3f} | {losing}"


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text.replace("`", "").replace("\\", ""))


if __name__ == "__main__":
    main()

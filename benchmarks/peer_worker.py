"""Reads files with one peer and writes what it made of them; run by `parse_peers.py`.

    PEERS/bin/python -m benchmarks.peer_worker markitdown OUTPUT FILE...

Writes `OUTPUT/0.md`, `1.md` and so on, in the order of the files, and `OUTPUT/costs.json`. Nothing but the standard
library and the peer is imported.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

Convert = Callable[[str], str]


class Peer(NamedTuple):
    """A parser.

    Attributes:
        load: Imports it and returns the function from a path to Markdown.
        media_types: Kinds of document it reads by itself; others need LibreOffice, or a licence.
    """

    load: Callable[[], Convert]
    media_types: frozenset[str]


def _liteparse() -> Convert:
    from liteparse import LiteParse  # type: ignore[import-not-found]

    parser: Any = LiteParse(ocr_enabled=False, output_format="markdown", quiet=True)
    return lambda path: str(parser.parse(path).text)


def _pymupdf4llm() -> Convert:
    import pymupdf4llm  # type: ignore[import-not-found]

    return lambda path: str(pymupdf4llm.to_markdown(path, show_progress=False))


def _markitdown() -> Convert:
    from markitdown import MarkItDown  # type: ignore[import-not-found]

    converter: Any = MarkItDown(enable_plugins=False)
    return lambda path: str(converter.convert(path).text_content)


def _docling_rs() -> Convert:
    from docling_rs import DocumentConverter  # type: ignore[import-not-found]

    converter: Any = DocumentConverter(text_layer_only=True)
    return lambda path: str(converter.convert(path).document.export_to_markdown())


_ALL = frozenset({"csv", "docx", "html", "md", "pdf", "pptx", "xlsx"})
PEERS = {
    "docling-rs": Peer(_docling_rs, _ALL),
    "liteparse": Peer(_liteparse, frozenset({"pdf"})),
    "markitdown": Peer(_markitdown, _ALL),
    "pymupdf4llm": Peer(_pymupdf4llm, frozenset({"pdf"})),
}


def main(name: str, output: Path, files: list[str]) -> None:
    """Convert the files one after the other; an error of one does not stop the others."""
    convert = PEERS[name].load()
    costs: list[dict[str, object]] = []
    for number, file in enumerate(files):
        start, cpu_start, error = time.perf_counter(), time.process_time(), None
        try:
            (output / f"{number}.md").write_text(convert(file), "utf-8")
        except Exception as caught:  # noqa: BLE001 - told in the table
            error = f"{type(caught).__name__}: {caught}"
        costs.append(
            {
                "seconds": time.perf_counter() - start,
                "cpu_seconds": time.process_time() - cpu_start,
                "peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
                "error": error,
            }
        )
    (output / "costs.json").write_text(json.dumps(costs), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])

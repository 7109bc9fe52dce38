"""Ten small repositories of documentation, each in the Markdown of another generator.

A file's text is what its authors wrote; behind it, where it is a page, what a reader should get of it: kinds and texts
of blocks, and how many parts are left out, by reason.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from graphrag_tasks.storage.snapshots.store import Snapshot


class Page(NamedTuple):
    """A page and what is expected of it."""

    text: str
    blocks: list[tuple[str, str]]
    left_out: dict[str, int] = {}  # noqa: RUF012 - never changed
    title: str = ""


Repository = dict[str, "Page | str"]


@dataclass(frozen=True)
class World:
    """What was published of the repositories.

    Attributes:
        snapshot: Its tables.
        documents: Rows of `documents` by uri.
        blocks: Blocks by uri, in order.
    """

    snapshot: Snapshot
    documents: Mapping[str, dict[str, Any]]
    blocks: Mapping[str, list[dict[str, Any]]]


def write(repository: Repository, root: Path) -> Path:
    """Write the files of a repository below a folder, and return that."""
    for path, page in repository.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page.text if isinstance(page, Page) else page)
    return root


def _read(file: dict[str, Any]) -> Page | str:
    text = "\n".join(file["text"])
    if "blocks" not in file:
        return text
    blocks = [(kind, said) for kind, said in file["blocks"]]
    return Page(text, blocks, file.get("left_out", {}), file.get("title", ""))


REPOSITORIES: dict[str, Repository] = {
    name: {path: _read(file) for path, file in files.items()}
    for name, files in json.loads(Path(__file__).with_suffix(".json").read_text("utf-8")).items()
}
DOCFX = REPOSITORIES["docfx"]

"""The stores that the pages show, and their URL paths."""

from __future__ import annotations

import os

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.storage.files import Files


def path_of_store(config: Config, store: str) -> str | None:
    """Return the URL prefix of a store's pages; None if it is not shown."""
    wanted = _place(store)
    if wanted == _place(config.store):
        return ""
    if wanted in map(_place, config.pages.stores):
        return f"/stores/{content_id('store', *wanted)}"
    return None


def _place(store: str) -> tuple[str, str]:
    """Return a canonical form of a store's location."""
    files = Files(store)
    if files.is_local:
        return "file", os.path.realpath(files.path())
    return store.partition("://")[0], files.path()

"""A cache on this machine's disk for remote or expensive data.

It is in `GRAPHRAG_CACHE`, by default `~/.cache/graphrag-tasks`. Copies of snapshots hold every document whatever its
labels, so only the owner may read that folder. It may be deleted whenever no process uses it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from graphrag_tasks.storage.files import to_disk
from graphrag_tasks.storage.scratch import scratch

CACHE_VARIABLE = "GRAPHRAG_CACHE"  # Environment variable with the cache folder.


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """Return a cache folder by name, and create it if absent.

    Several processes may create it at once, with equal content: the first wins. It gets its name when it is complete
    and on disk.

    Args:
        name: Identifies the content exactly; may contain a parent folder.
        make: Writes into an empty folder.
    """
    cache = Path(os.environ.get(CACHE_VARIABLE) or Path.home() / ".cache" / "graphrag-tasks")
    final = cache / name
    if not final.exists():
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        final.parent.mkdir(exist_ok=True)
        with scratch(final.parent) as work:
            made = work / final.name
            made.mkdir()
            make(made)
            for path in (*made.rglob("*"), made):
                to_disk(path)
            _rename(made, final)
            to_disk(final.parent)
    return final


def _rename(made: Path, final: Path) -> None:
    try:
        made.rename(final)
    except OSError:
        if not final.exists():
            raise
        shutil.rmtree(made)  # another process was quicker, with the same bytes

"""Folders on this machine's disk with what is elsewhere, or takes long to make.

They lie below what `GRAPHRAG_CACHE` names, `~/.cache/graphrag-tasks` by default. Copies of
snapshots hold every document whatever its access labels, so only its owner may look into that
folder. It may be removed whenever no process has it open.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from graphrag_tasks.storage.files import to_disk
from graphrag_tasks.storage.scratch import scratch

CACHE_VARIABLE = "GRAPHRAG_CACHE"
"""Environment variable that names the folder."""


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder of the cache by its name; where there is none, have it made.

    Several processes may make it at once, the same each: the first to be done keeps its own. It
    gets its name when it is whole and on the disk.

    Args:
        name: Its name, which says what is in it to the byte; it may lie in another folder.
        make: Writes into an empty folder.

    Raises:
        OSError: The disk refuses, or the user may not write there.
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

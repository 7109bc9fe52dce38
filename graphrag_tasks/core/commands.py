"""Commands that messages tell a person to type, complete with this program's options.

The command line records its `--store` and `--config` here, so that a message from deep inside can name them. Other
programs have neither; their messages name the store concerned.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from contextvars import ContextVar
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit

PROGRAM = "graphrag-tasks"

_STORE: ContextVar[str | None] = ContextVar("store", default=None)
_CONFIG: ContextVar[Path | None] = ContextVar("config", default=None)


def note_store(store: str | None) -> str | None:
    """Record the store named on the command line."""
    _STORE.set(store)
    return store


def note_config(file: Path | None) -> Path | None:
    """Record the configuration file named on the command line."""
    _CONFIG.set(file)
    return file


def command(*words: str, store: str | None = None) -> str:
    """Return a command of this program, ready to type except for words in capitals.

    `store` is named if the command line named none.
    """
    selected: tuple[tuple[str, object], ...] = (("--store", _STORE.get() or store), ("--config", _CONFIG.get()))
    options = [part for name, value in selected if value for part in (name, str(value))]
    return f"{_called()} {shlex.join([*words, *options])}"


def _called() -> str:
    """Return how this program was called; its name if another program is running."""
    called = Path(sys.argv[0])
    if called.name == "__main__.py" and called.parent.name == "graphrag_tasks":
        return f"{shlex.quote(sys.executable)} -m graphrag_tasks"
    found = shutil.which(PROGRAM)
    if called.name != PROGRAM or (found and Path(found).resolve() == called.resolve()):
        return PROGRAM
    return shlex.quote(sys.argv[0])


def install_command(extra: str = "") -> str:
    """Return the command that reinstalls this package with an extra.

    It is not on a package index, so the command names its checkout or wheel.
    """
    wanted = f"{PROGRAM}[{extra}]" if extra else PROGRAM
    try:
        origin = json.loads(distribution(PROGRAM).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        origin = {}
    url = str(origin.get("url", ""))
    if not url:
        return f"pip install {shlex.quote(wanted)}"
    if "dir_info" not in origin:
        return f"pip install {shlex.quote(f'{wanted} @ {url}')}"
    folder = unquote(urlsplit(url).path) + (f"[{extra}]" if extra else "")
    editable = "-e " if origin["dir_info"].get("editable") else ""
    return f"pip install {editable}{shlex.quote(folder)}"

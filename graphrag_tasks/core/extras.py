"""Optional extras of the package, and errors for missing ones.

The bare package reads, asks and serves; the rest comes by `graphrag-tasks[extra]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from graphrag_tasks.core.commands import install_command
from graphrag_tasks.core.errors import MissingDependencyError

MODULES: Mapping[str, tuple[str, ...]] = {
    "index": (
        "bs4", "defusedxml", "docling", "docutils", "duckdb", "lxml", "marko",
        "olefile", "openpyxl", "PIL", "py3langid", "pypdfium2", "spacy",
    ),
    "llm": ("openai", "genai_prices", "httpx2", "tiktoken"),
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

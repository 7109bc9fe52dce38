"""Documents in, a published, versioned knowledge graph out, and answers that can be checked.

    >>> import graphrag_tasks as graphrag
    >>> index = graphrag.index("examples/corpus", "store")
    >>> print(graphrag.answer(index, "Which table replaces VBBS?"))

The names below are loaded when they are first used: an import alone costs nothing.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphrag_tasks.answering import Reply, answer, answer_stream
    from graphrag_tasks.api import Config, Index, index, load_config, open_index, picture
    from graphrag_tasks.core.errors import (
        AccessError,
        ArtifactError,
        BudgetError,
        ConfigError,
        DocumentError,
        EndpointError,
        GraphragError,
        MissingDependencyError,
        PriceError,
        QualityError,
        QueryError,
        SnapshotError,
        SourceError,
        TerminalError,
        TransientError,
    )
    from graphrag_tasks.llm import Client
    from graphrag_tasks.retrieval import Context

# ONNX Runtime tells its maker of each import and session: it reads this when it is imported, by whichever module or
# library, and every one of ours comes after this line.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

__version__: str

__all__ = [
    "AccessError",
    "ArtifactError",
    "BudgetError",
    "Client",
    "Config",
    "ConfigError",
    "Context",
    "DocumentError",
    "EndpointError",
    "GraphragError",
    "Index",
    "MissingDependencyError",
    "PriceError",
    "QualityError",
    "QueryError",
    "Reply",
    "SnapshotError",
    "SourceError",
    "TerminalError",
    "TransientError",
    "__version__",
    "answer",
    "answer_stream",
    "index",
    "load_config",
    "open_index",
    "picture",
]


_ELSEWHERE = {
    "Client": "llm", "Context": "retrieval", "Reply": "answering", "answer": "answering", "answer_stream": "answering",
}  # fmt: skip


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a name of the package
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = _version() if name == "__version__" else getattr(import_module(_module_of(name)), name)
    globals()[name] = value
    return value


def _module_of(name: str) -> str:
    """Return where a name is defined: to open a store takes nothing of what indexes or answers."""
    if name.endswith("Error"):
        return "graphrag_tasks.core.errors"
    return f"graphrag_tasks.{_ELSEWHERE.get(name, 'api')}"


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("graphrag-tasks")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0.0.0"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""Documents in, a published, versioned knowledge graph out, and answers that can be checked.

    >>> import graphrag_tasks as graphrag
    >>> index = graphrag.index("examples/corpus", "store")
    >>> print(graphrag.answer(index, "Which table replaces VBBS?"))

The names below are loaded when they are first used: an import alone costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphrag_tasks.api import (
        Client,
        Config,
        Context,
        Index,
        Reply,
        answer,
        answer_stream,
        index,
        load_config,
        open_index,
    )
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

try:
    __version__ = version("graphrag-tasks")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0.0.0"

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
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a name of the package
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "graphrag_tasks.core.errors" if name.endswith("Error") else "graphrag_tasks.api"
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

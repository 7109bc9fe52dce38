"""Batch indexing pipeline for GraphRAG: documents in, a published, versioned graph snapshot out."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("graphrag-tasks")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0.0.0"

__all__ = ["__version__"]

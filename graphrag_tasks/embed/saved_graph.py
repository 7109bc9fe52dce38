"""Graphs in the cache: to build one takes three times the time and memory of reading it.

A graph is a small ONNX file with its tensors beside it, which both engines map into memory.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag_tasks.core.ids import content_id
from graphrag_tasks.storage.cache import made_once

if TYPE_CHECKING:
    from onnx import ModelProto

log = logging.getLogger(__name__)

GRAPH_VERSION = 1
"""Raised with every change of the graph that can change a vector."""

_FILE, _TENSORS = "graph.onnx", "tensors"

_IN_FILE = 1024
"""Bytes up to which a tensor stays in the ONNX file, where the engines' optimisers read it."""

_KEPT = 8
"""Graphs that are kept, those last used: two models, in a few versions, of 55 MB each."""


def saved_graph(fingerprint: str, build: Callable[[], ModelProto]) -> Path | None:
    """Return the ONNX file of a graph, which is built and saved where the cache has none.

    Args:
        fingerprint: Says what the graph is made of.
        build: Makes the graph.

    Returns:
        None where the cache cannot be written to.
    """

    def save(folder: Path) -> None:
        from onnx import save_model

        save_model(
            build(), str(folder / _FILE), save_as_external_data=True, location=_TENSORS,
            size_threshold=_IN_FILE,
        )  # fmt: skip
        _keep_few(folder.parents[1])

    name = content_id("graph", fingerprint, GRAPH_VERSION)
    try:
        folder = made_once(f"models/{name}", save)
        os.utime(folder)
    except OSError as error:
        log.info("the model is built in each process: no copy can be kept (%s)", error)
        return None
    return folder / _FILE


def forget(saved: Path) -> None:
    """Remove a graph from the cache."""
    shutil.rmtree(saved.parent, ignore_errors=True)


def _keep_few(folder: Path) -> None:
    """Remove what was not used for longest; a process that has a graph open keeps it."""
    graphs = sorted(folder.iterdir(), key=lambda graph: graph.stat().st_mtime, reverse=True)
    for graph in graphs[_KEPT:]:
        shutil.rmtree(graph, ignore_errors=True)

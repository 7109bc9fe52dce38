"""Cache of built graphs: building takes three times the time and memory of loading.

A graph is a small ONNX file with its tensors in a second file, which both engines memory-map. Beside it lies what
OpenVINO compiled it to.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag_tasks.core.ids import content_id
from graphrag_tasks.storage.cache import made_once

if TYPE_CHECKING:
    from onnx import ModelProto

log = logging.getLogger(__name__)

GRAPH_VERSION = 1  # Increased with every change of the graph that can change a vector.

_FILE, _TENSORS = "graph.onnx", "tensors"

_IN_FILE = 1024  # Largest tensor in bytes stored inside the ONNX file, where the engines' optimisers read it.

_KEPT = 8
"""Most graphs in the cache, by last use: three models, in a few versions, of 55 MB each, or 110 with what OpenVINO
compiled them to."""


def saved_graph(fingerprint: str, build: Callable[[], ModelProto]) -> Path | None:
    """Return the ONNX file of a graph, building and caching it if needed.

    Args:
        fingerprint: Identifies the graph's contents.
        build: Builds the graph.

    Returns:
        None where the cache is not writable.
    """

    def save(folder: Path) -> None:
        from onnx import save_model

        save_model(
            build(), str(folder / _FILE), save_as_external_data=True, location=_TENSORS,
            size_threshold=_IN_FILE,
        )  # fmt: skip
        _keep_few(folder.parents[1])

    folder = _made(f"models/{content_id('graph', fingerprint, GRAPH_VERSION)}", save)
    if folder is None:
        return None
    with suppress(OSError):  # another user's, who may use it too
        os.utime(folder)
    return folder / _FILE


def compiled_once(saved: Path, name: str, compile_into: Callable[[Path], None]) -> Path | None:
    """Return the folder beside a graph that holds it compiled, for a name of engine and processor.

    None where the cache is not writable.
    """
    return _made(f"models/{saved.parent.name}/{name}", compile_into)


def _made(name: str, make: Callable[[Path], None]) -> Path | None:
    try:
        return made_once(name, make)
    except OSError as error:
        log.info("the model is made in each process: no copy can be kept (%s)", error)
        return None


def forget(saved: Path) -> None:
    """Remove a graph from the cache."""
    shutil.rmtree(saved.parent, ignore_errors=True)


def _keep_few(folder: Path) -> None:
    """Remove the least recently used graphs; a process that has a graph open is not disturbed."""
    graphs = sorted(folder.iterdir(), key=lambda graph: graph.stat().st_mtime, reverse=True)
    for graph in graphs[_KEPT:]:
        shutil.rmtree(graph, ignore_errors=True)

"""Runs a graph on the CPU: with OpenVINO in bfloat16, or with ONNX Runtime in float32.

Bfloat16 halves the time where the processor supports it (AMX, AVX-512 BF16), and changes a cosine by less than 0.0001,
so OpenVINO is used there if it is installed. A process forked from one in which OpenVINO ran cannot use it (its threads
are gone) and uses ONNX Runtime. Both libraries are imported on first use, with their telemetry off.

The reranker's graph may multiply bytes. OpenVINO does on processors with AVX-512 VNNI and without AMX (.71 of
bfloat16's time, .44 of float32's), and ONNX Runtime wherever it is used.

A graph is built once per machine and then read from the cache, and so is what OpenVINO makes of it.
"""

from __future__ import annotations

import ctypes
import importlib.util
import logging
import os
import platform
import shutil
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import Enum
from functools import cache
from importlib.metadata import version
from pathlib import Path
from threading import Lock, local
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.errors import MissingDependencyError
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.storage.files import made_once

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


Inputs = Mapping[str, NDArray[np.int64]]
Run = Callable[[Inputs], NDArray[np.float32]]

INPUT_IDS = "input_ids"
ATTENTION_MASK = "attention_mask"
TOKEN_TYPES = "token_type_ids"  # noqa: S105 - no password

OPENVINO, ONNXRUNTIME = "openvino", "onnxruntime"
_TELEMETRY = "openvino_telemetry"
_CPU_INFO = Path("/proc/cpuinfo")
_BF16_FLAGS = ("bf16", "avx_ne_convert")
"""CPU flags of instruction sets with bfloat16: AVX-512 BF16, AMX, Arm's, AVX-NE-CONVERT."""
_VNNI, _AMX = "avx512_vnni", "amx_tile"  # CPU flags: products of bytes in vector registers, and matrix registers.
_GROUP = 64
"""Numbers of a state that are rounded by one scale. By groups of 32, 64 and 128, scores of the reranker correlate
.9997, .9996 and .9995 with those in float32; 32 take a fifth longer."""
_CACHE = "CACHE_DIR"
_OF_DEVICE = ("FULL_DEVICE_NAME", "OPTIMIZATION_CAPABILITIES")
"""OpenVINO's setting for the folder of compiled graphs, and its properties of a processor that tell whether a graph
compiled for it may be read."""
_IMPORTING = Lock()  # the first searches may come from several threads at once


class Products(Enum):
    """How a graph multiplies states by matrices that are stored as int8 rows."""

    FLOATS = "floats"
    """By the rows as floats."""
    PACKED = "packed"
    """By the rows as they are, which the engine unpacks or multiplies as bytes."""
    INTEGERS = "integers"
    """By the rows as they are: the graph rounds states, and multiplies integers."""


class Engine:
    """A graph with one output, which several threads may run.

    It is loaded on first use, once per process.

    Args:
        build: Builds the graph.
        fingerprint: Identifies the graph's contents.
        name: `auto`, `openvino` or `onnxruntime`.
        threads: 0 for as many as the process has cores.
        by_bytes: Whether states may be rounded to bytes.
    """

    def __init__(
        self,
        build: Callable[[], ModelProto],
        fingerprint: Callable[[], str],
        name: str,
        threads: int,
        *,
        by_bytes: bool = False,
    ) -> None:
        self._name = engine_name(name, by_bytes=by_bytes)
        self._by_bytes = by_bytes
        self._build = build
        self._fingerprint = fingerprint
        self._threads = threads or _available_cores()
        self._lock = Lock()
        self._run: Run | None = None
        self._process = 0

    @property
    def name(self) -> str:
        """`openvino` or `onnxruntime`."""
        return ONNXRUNTIME if self._name == OPENVINO and _is_forked() else self._name

    @property
    def products(self) -> Products:
        """How the graph that it runs should multiply."""
        if not self._by_bytes:
            return Products.FLOATS
        if self.name == ONNXRUNTIME:
            return Products.INTEGERS
        return Products.PACKED if _multiplies_bytes() else Products.FLOATS

    def __str__(self) -> str:
        return engine_text(self.name)

    def run(self, inputs: Inputs) -> NDArray[np.float32]:
        """Return the graph's output."""
        with self._lock:
            # A forked process has the session but none of its threads: waiting on them would hang.
            if self._run is None or self._process != os.getpid():
                self._run = self._started()
                self._process = os.getpid()
            run = self._run
        return run(inputs)

    def _started(self) -> Run:
        start = _start_openvino if self.name == OPENVINO else _start_onnxruntime
        saved = saved_graph(self._fingerprint(), self._build)
        if saved:
            try:
                return start(saved, self._threads)
            except Exception as error:  # noqa: BLE001 - each engine has many, of no common class
                log.warning("the model's copy %s cannot be read (%s): it is removed", saved, error)
                forget(saved)
        return start(self._build().SerializeToString(), self._threads)


def engine_name(name: str, *, by_bytes: bool = False) -> str:
    """Return the engine that `auto` selects on this machine, or the given name."""
    installed = importlib.util.find_spec(OPENVINO) is not None
    if name == OPENVINO and not installed:
        raise MissingDependencyError("OpenVINO is not installed", "embed.engine", "pip install --no-deps openvino")
    if name != "auto":
        return name
    if not installed or _is_forked():
        return ONNXRUNTIME
    is_faster = (by_bytes and _multiplies_bytes()) or _computes_in_bfloat16()
    return OPENVINO if is_faster else ONNXRUNTIME


def engine_text(name: str) -> str:
    """Return an engine's name, version and precision."""
    name = engine_name(name)
    return f"{name} {version(name)} {_precision(name)}"


_loaded: WeakSet[Run] = WeakSet()
_ran_in: set[int] = set()  # The id of the process in which OpenVINO first ran.


def _is_forked() -> bool:
    return bool(_ran_in) and os.getpid() not in _ran_in


def _keep_loaded() -> None:
    """Keep OpenVINO's objects alive: freeing them in a forked process waits for missing threads."""
    for run in _loaded:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(run))


def _precision(name: str) -> str:
    return "bf16" if name == OPENVINO and _computes_in_bfloat16() else "f32"


@cache
def _openvino() -> Any:  # noqa: ANN401 - an untyped library
    # It has a stand-in for the package that would send usage data.
    with _IMPORTING:
        held = {_TELEMETRY: sys.modules[_TELEMETRY]} if _TELEMETRY in sys.modules else {}
        sys.modules[_TELEMETRY] = None  # type: ignore[assignment] # so an import of it fails
        try:
            import openvino
        finally:
            del sys.modules[_TELEMETRY]
            sys.modules.update(held)
        return openvino


@cache
def _cpu_info() -> str:
    """Return Linux's description of the processor; empty elsewhere."""
    return _CPU_INFO.read_text("utf-8") if _CPU_INFO.is_file() else ""


@cache
def overflows() -> bool:
    """Return whether products of signed bytes may overflow in ONNX Runtime: x86 without VNNI."""
    return platform.machine().lower() in ("x86_64", "amd64") and "vnni" not in _cpu_info()


@cache
def _multiplies_bytes() -> bool:
    """Tell whether OpenVINO is fastest by bytes; with AMX, bfloat16 is, and bytes are untested."""
    return _VNNI in _cpu_info() and _AMX not in _cpu_info()


@cache
def _computes_in_bfloat16() -> bool:
    if _cpu_info() and not any(flag in _cpu_info() for flag in _BF16_FLAGS):
        return False  # without OpenVINO, whose import takes a third of a second
    return "BF16" in _openvino().Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")


def _start_openvino(model: Path | bytes, threads: int) -> Run:
    if not _ran_in:
        _ran_in.add(os.getpid())
        os.register_at_fork(after_in_child=_keep_loaded)
    core = _openvino().Core()
    settings = {
        "INFERENCE_PRECISION_HINT": _precision(OPENVINO),
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": _GROUP if _multiplies_bytes() else 0,
        "NUM_STREAMS": 1,
        "ENABLE_CPU_PINNING": False,  # other tasks share the machine
    }
    if isinstance(model, Path):
        settings |= _cached(core, model, settings)
    read = core.read_model(model) if isinstance(model, bytes) else model
    compiled = core.compile_model(read, "CPU", settings | {"INFERENCE_NUM_THREADS": threads})
    own = local()

    def run(inputs: Inputs) -> NDArray[np.float32]:
        if not hasattr(own, "request"):
            own.request = compiled.create_infer_request()
        own.request.infer(dict(inputs))
        return np.array(own.request.get_output_tensor().data)

    _loaded.add(run)
    return run


def _cached(core: Any, model: Path, settings: Mapping[str, Any]) -> dict[str, str]:  # noqa: ANN401
    """Return the setting by which a graph is read as compiled before; none if it cannot be kept.

    That takes a third of the time, and maps the weights, which processes then share. OpenVINO writes in place, so the
    folder is filled before any process reads it. OpenVINO finds its file by the path of the graph. If the file is
    damaged, it compiles the graph again.
    """
    about = [core.get_property("CPU", name) for name in _OF_DEVICE]
    name = content_id("compiled", engine_text(OPENVINO), repr((about, sorted(settings.items()))))

    def compile_into(folder: Path) -> None:
        core.compile_model(model, "CPU", {**settings, _CACHE: str(folder)})

    folder = compiled_once(model, name, compile_into)
    return {_CACHE: str(folder)} if folder else {}


def _start_onnxruntime(model: Path | bytes, threads: int) -> Run:
    import onnxruntime

    onnxruntime.disable_telemetry_events()  # where an application imported it before us
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # errors only
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # batches come in many shapes
    # Idle threads sleep instead of spinning: other tasks share the machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def run(inputs: Inputs) -> NDArray[np.float32]:
        output: NDArray[np.float32] = session.run(None, dict(inputs))[0]
        return output

    return run


def _available_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

"""Runs in processes of their own that need not import anything first, so that many can be killed.

A run of a small corpus takes a second, and its imports and models twenty. A fork server, which is the standard
library's, pays for these once; each process is forked from it and may be killed.
"""

import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from importlib import import_module
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import TransientError
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.pipeline import CORPUS_STAGES, SHARD_STAGES, Run, vectors
from graphrag_tasks.storage.snapshots.store import Store

_PATIENCE = 120

Values = dict[str, Any]  # Settings as `load_config` takes them: plain values can be sent to a process.


@cache
def server() -> ForkServerContext:
    """Start the server of warm processes, once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.e2e.warmed_up"])
    with pytest.MonkeyPatch.context() as environment:
        # Python 3.11's fork server looks for what it is to import nowhere else.
        environment.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[2]), *sys.path]))
        forkserver.ensure_running()
    return context


def warm_up() -> None:
    """Import what a run needs and load its models, by a run; OpenVINO could not be forked."""
    import_module("pymilvus")
    import_module("milvus_lite.server_manager")
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        (corpus / "a.txt").write_text("The report ZSALES reads the table VBBS.\n")
        index({
            "store": f"{folder}/store", "sources": [str(corpus)],
            "load": {"vector_store": "none"}, "embed": {"threads": 1, "engine": "onnxruntime"},
        })  # fmt: skip


def index(values: Values) -> None:
    """Run the whole pipeline in this process."""
    run_index(load_config(overrides=values, environ={}), workers=1)


def index_with_small_files(values: Values, limit: int) -> None:
    """Run the pipeline where no file may have more bytes than that, and expect it to be refused."""
    sys.dont_write_bytecode = True  # Python would leave files of bytecode that are cut off
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    with pytest.raises(TransientError, match=r"File too large.*Make room"):
        index(values)


def process_until(values: Values, last: str) -> Run:
    """Run all stages up to one of the whole corpus, or find that they are done."""
    run, _ = Run.start(load_config(overrides=values, environ={}))
    for shard in run.shards:
        for stage in SHARD_STAGES:
            run.process_shard(stage, shard)
    for stage in CORPUS_STAGES:
        run.process_corpus(stage)
        if stage == last:
            break
    return run


def publish(values: Values, changes: int) -> None:
    """Publish finished work, and die before the change of this number that is made on disk."""
    run = process_until(values, "load")
    die_before_change(changes)
    run.publish()


def die_before_change(number: int) -> None:
    """Kill this process when it is about to change something on disk for so many times."""
    left = number

    def count(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        writes = event == "open" and set(arguments[1] or "") & set("wax+")
        if writes or event in ("os.mkdir", "os.rename", "os.rmdir", "shutil.rmtree"):
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


def check_served(values: Values) -> None:
    """Check that the vector server has every vector of the current snapshot."""
    config = load_config(overrides=values, environ={})
    store = Store(config.store)
    assert vectors.serve(config, store.folder, store.open().folder) == 0


def finish(work: Callable[..., Any], *arguments: Any) -> float:
    """Do work in a warm process, and return the seconds that it took."""
    start = time.monotonic()
    assert not kill_after(_PATIENCE, work, *arguments), f"{work.__name__} does not end"
    return time.monotonic() - start


def kill_after(seconds: float, work: Callable[..., Any], *arguments: Any) -> bool:
    """Begin work in a warm process, and kill it; return whether it was killed, also by itself."""
    process = server().Process(target=work, args=arguments)
    process.start()
    process.join(seconds)
    process.kill()
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL), f"{work.__name__} failed"
    return process.exitcode != 0

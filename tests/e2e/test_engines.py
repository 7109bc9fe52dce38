"""Machines with other engines work on one store: a snapshot has the vectors of one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.embed import engine as engine_module
from graphrag_tasks.pipeline import Published, Run
from graphrag_tasks.pipeline.stages import CORPUS_STAGES, SHARD_STAGES

pytestmark = pytest.mark.slow

Indexer = Callable[..., Published]
LAST_BITS = {"openvino 1 bf16": np.float32(2**-12), "onnxruntime 1 f32": np.float32(0)}
"""What the engines of two machines add to each number that a model returns."""

A, B = LAST_BITS


@contextmanager
def machine(engine: str) -> Iterator[None]:
    """Be a machine whose engine is this one."""
    with pytest.MonkeyPatch.context() as patch:
        run = engine_module.Engine.run
        patch.setattr(engine_module.Engine, "__str__", lambda _: engine)
        patch.setattr(engine_module.Engine, "run", lambda *given: run(*given) + LAST_BITS[engine])
        yield


def embedding(published: Published) -> Any:
    return published.manifest.embedding["engine"]


def test_a_machine_with_another_engine_embeds_everything_anew(
    index: Indexer, corpus: Path, tmp_path: Path, worked: list[str]
) -> None:
    with machine(A):
        assert embedding(index()) == A
    (corpus / "new.txt").write_text("The report ZNEW reads the table VBBE.\n")
    with machine(B):
        made = index()
        assert embedding(made) == B
        assert made.manifest.tables == index(store=str(tmp_path / "clean")).manifest.tables
        worked.clear()
        assert not index().changed
    with machine(A):
        again = index()
    assert (again.changed, embedding(again)) == (True, A)
    assert worked == ["embed", "load"]


def test_a_run_that_was_planned_with_an_engine_refuses_another_one(configure: Callable[..., Config]) -> None:
    with machine(A):
        run, _ = Run.start(configure())
        for stage in SHARD_STAGES:
            for shard in run.shards:
                run.process_shard(stage, shard)
        for stage in list(CORPUS_STAGES)[:-2]:
            run.process_corpus(stage)
    with machine(B):
        other = Run.open(run.uri)
        with pytest.raises(ConfigError, match=f"{B}, but the run was planned with {A}"):
            other.process_corpus("embed")
        with pytest.raises(ConfigError, match="planned with"):
            other.process_part("embed", 0)
    with machine(A):
        run.process_corpus("embed")
    with machine(B):
        other.process_corpus("load")
        assert embedding(other.publish()) == A

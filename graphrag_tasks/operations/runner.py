"""Run the whole pipeline on this machine without Airflow, with shards in worker processes."""

from __future__ import annotations

import logging
import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ConfigError, TransientError
from graphrag_tasks.core.progress import INDEX_BYTES, require_address_space
from graphrag_tasks.core.visible import log_to, logs_from
from graphrag_tasks.extract.llm import adopt, ask
from graphrag_tasks.llm.request import Forecast
from graphrag_tasks.operations.examples import keep_examples
from graphrag_tasks.operations.quality import QualityGate
from graphrag_tasks.pipeline import CORPUS_STAGES, SHARD_STAGES, Published, Run, check
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.locks import sole_run

Progress = Callable[[str, int, int], None]  # Called with a stage's name, the steps done and the number of steps.

POLL_SECONDS = 300.0  # Between two looks at batches.
_GUARD = "A script that calls run_index does so below: if __name__ == '__main__': (worker processes import the script)"


def run_index(
    config: Config, *, workers: int | None = None, progress: Progress | None = None, wait: bool = False
) -> Published:
    """Plan, process the shards in `workers` processes (by default one per core), and publish.

    `progress` is called before and after every step. With `wait`, the run waits for another run on the store, and for
    batches, instead of refusing. Workers import the calling script, so it must call this below `if __name__ ==
    "__main__":`.
    """
    _refuse_import_by_worker()
    require_address_space(INDEX_BYTES, "a run")
    tell = progress or (lambda _stage, _done, _steps: None)
    check(config)  # a wrong setting leaves no trace, not even a store
    with sole_run(Folder(config.store), wait=wait):
        tell("plan", 0, 1)
        run, _ = Run.start(config)
        tell("plan", 1, 1)
        process_shards(run, tuple(SHARD_STAGES), workers or os.cpu_count() or 1, tell)
        if run.asks:
            tell(ask.name, 0, 1)
            while wait and run.batch():
                time.sleep(POLL_SECONDS)
            run.ask()
            tell(ask.name, 1, 1)
            process_shards(run, (adopt.name,), workers or os.cpu_count() or 1, tell)
        for stage in CORPUS_STAGES:
            tell(stage, 0, 1)
            run.process_corpus(stage)
            tell(stage, 1, 1)
        tell("publish", 0, 1)
        published = publish(run)
        tell("publish", 1, 1)
        return published


def forecast(config: Config, *, workers: int | None = None) -> Forecast:
    """Return what the next run would ask a language model for facts, and its price.

    The documents are parsed and read by the rules in the store, where the run finds that work done.
    """
    with sole_run(Folder(config.store)):
        run, _ = Run.start(config)
        process_shards(run, tuple(SHARD_STAGES), workers or os.cpu_count() or 1)
        return run.price()


def publish(run: Run) -> Published:
    """Publish what a run made, unless it is worse than before, with examples of questions."""
    config = run.state.config
    published = run.publish(QualityGate(config.quality))
    if published.changed:
        keep_examples(config, published.manifest)
    return published


def process_shards(run: Run, stages: tuple[str, ...], workers: int, tell: Progress = lambda *_: None) -> None:
    """Run stages on each shard, in worker processes."""
    total = len(run.shards)
    tell("shards", 0, total)
    workers = min(workers, total)
    if workers <= 1:
        for done, shard in enumerate(run.shards, start=1):
            _process_shard(run.uri, shard, stages)
            tell("shards", done, total)
        return
    # Spawned, not forked: the parent may hold threads of Arrow, BLAS and the progress bar.
    context = multiprocessing.get_context("spawn")
    others = multiprocessing.active_children()
    with (
        logs_from(queue := context.Queue()),
        ProcessPoolExecutor(
            workers, mp_context=context, initializer=log_to, initargs=(queue, logging.getLogger().getEffectiveLevel())
        ) as pool,
    ):
        jobs = [pool.submit(_process_shard, run.uri, shard, stages) for shard in run.shards]
        started = [process for process in multiprocessing.active_children() if process not in others]
        try:
            for done, job in enumerate(as_completed(jobs), start=1):
                job.result()
                tell("shards", done, total)
        except BrokenProcessPool as error:
            pool.shutdown()  # waits until it is known how each process ended
            if any((process.exitcode or 0) > 0 for process in started):
                raise ConfigError(
                    "a worker process ended before it worked; what it raised is printed above", "shards", _GUARD
                ) from error
            raise TransientError(
                "a worker process was killed, as the system does when memory runs out",
                "shards",
                "Run again, with fewer --workers if it recurs: finished stages are kept",
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


def _refuse_import_by_worker() -> None:
    """Refuse a nested run: a worker is importing a script that calls it unguarded."""
    imported = sys.modules.get("__mp_main__")
    if imported is not None and sys.modules["__main__"] is not imported:
        raise ConfigError("a worker process imports a script that starts a run", "shards", _GUARD)


def _process_shard(uri: str, shard: int, stages: tuple[str, ...]) -> None:
    run = Run.open(uri)
    for stage in stages:
        run.process_shard(stage, shard)

"""A whole run by one worker and by several, each a process of one thread.

    python -m benchmarks.run_workers --sources FOLDER --workers 1 2 --repeats 2

Shards and the parts of embed are done by the workers, the rest by the main process. All are held to as many cores as
there are workers, and the numbers of workers take turns. On a machine that does other work too, look at CPU seconds:
the time of a run on free cores is that of the busiest worker in both, and of the rest.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass
from pathlib import Path
from statistics import median

from graphrag_tasks.core.config import load_config
from graphrag_tasks.pipeline import CORPUS_STAGES, SHARD_STAGES, Run

_SPAWN = multiprocessing.get_context("spawn")
_FIGURES = ("shards, CPU s", "embed, CPU s", "rest, CPU s", "wall s")


@dataclass(frozen=True)
class Cost:
    """What one run took: CPU seconds of the busiest worker, or of the main process, and the wall's.

    The models that a worker loads count, its imports before do not.
    """

    shards: float
    embed: float
    rest: float
    wall: float


def _shard(uri: str, shard: int) -> tuple[int, float]:
    run = Run.open(uri)
    return os.getpid(), sum(run.process_shard(stage, shard).cpu_seconds for stage in SHARD_STAGES)


def _part(uri: str, part: int) -> tuple[int, float]:
    receipt = Run.open(uri).process_part("embed", part)
    return os.getpid(), receipt.cpu_seconds if receipt else 0.0


def _busiest(workers: int, work: Callable[[str, int], tuple[int, float]], uri: str, numbers: Iterable[int]) -> float:
    """Return the CPU seconds of the worker that had most to do."""
    used: dict[int, float] = defaultdict(float)
    with ProcessPoolExecutor(workers, mp_context=_SPAWN) as pool:
        for process, seconds in [job.result() for job in [pool.submit(work, uri, one) for one in numbers]]:
            used[process] += seconds
    return max(used.values())


def measure(sources: Path, store: Path, workers: int, shard_bytes: int) -> Cost:
    """Return what a full run took.

    Args:
        sources: Documents.
        store: A new folder.
        workers: How many, and how many cores.
        shard_bytes: Of sources in a shard, at most; small, so that there are some for each worker.
    """
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < workers:
        raise SystemExit(f"{workers} workers need as many cores; there are {len(cores)}")
    os.sched_setaffinity(0, cores[:workers])
    overrides = {
        "sources": [str(sources)],
        "store": str(store),
        "plan": {"shard_bytes": shard_bytes, "parts": 2 * workers},
        "embed": {"threads": 1},
        "load": {"vector_store": "none"},
    }
    started, used = time.perf_counter(), time.process_time()
    run, _ = Run.start(load_config(overrides=overrides))
    shards = _busiest(workers, _shard, run.uri, run.shards)
    embed = 0.0
    for stage in CORPUS_STAGES:
        if stage == "embed":
            embed = _busiest(workers, _part, run.uri, run.state.parts)
        run.process_corpus(stage)
    run.publish()
    rest, wall = time.process_time() - used, time.perf_counter() - started
    os.sched_setaffinity(0, cores)
    return Cost(shards, embed, rest, wall)


def table(found: Mapping[int, Sequence[Cost]]) -> str:
    """Return medians as a Markdown table, with the ratio of the first row's sum to each row's."""
    columns = ["workers", *_FIGURES, "all, CPU s", "first over this"]
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    first = 0.0
    for workers, costs in found.items():
        figures = [median(column) for column in zip(*map(astuple, costs), strict=True)]
        total = sum(figures[:3])
        first = first or total
        cells = [f"{one:.1f}" for one in (*figures, total)]
        lines.append(f"| {workers} | {' | '.join(cells)} | {first / total:.2f} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--shard-bytes", type=int, default=100_000)
    options = parser.parse_args()
    # Of BLAS and of the engines, in this process and those it starts.
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))
    found: dict[int, list[Cost]] = {workers: [] for workers in options.workers}
    for _ in range(options.repeats):
        for workers, costs in found.items():
            with tempfile.TemporaryDirectory(prefix="graphrag-bench-") as folder:
                given = (options.sources, Path(folder, "store"), workers, options.shard_bytes)
                # In a new process: what the first run loads would be there for the next.
                with ProcessPoolExecutor(1, mp_context=_SPAWN) as pool:
                    costs.append(pool.submit(measure, *given).result())
                print(workers, costs[-1], flush=True)
    print(table(found))


if __name__ == "__main__":
    main()

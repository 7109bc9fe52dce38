"""What one worker holds in memory while it works through all shards of a corpus."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.nightly_corpus import write_corpus
from graphrag_tasks.core.config import load_config
from graphrag_tasks.pipeline import SHARD_STAGES, Run

_MEGABYTE = 1_000_000


@dataclass(frozen=True)
class WorkerMemory:
    """Peaks of a process that does all shards of a corpus, one after the other.

    Attributes:
        documents: Size of the corpus.
        shard_bytes: Of sources in a shard, at most.
        megabytes: By stage, its peak for each shard, in order. That of parse is of the process and the worker that
            reads documents, as are the others: it is kept.
    """

    documents: int
    shard_bytes: int
    megabytes: dict[str, list[int]]


def measure_workers(folder: Path, data: Path, sizes: Sequence[int], shard_bytes: int) -> list[WorkerMemory]:
    """Parse, chunk, filter and extract corpora of these sizes, each in a process of its own.

    Args:
        folder: Where corpora and stores go.
        data: Real texts (see `nightly_corpus`).
        sizes: Numbers of documents.
        shard_bytes: Of sources in a shard, at most.
    """
    context = multiprocessing.get_context("spawn")
    found = []
    for size in sizes:
        corpus, store = folder / f"corpus-{size}", folder / f"worker-{size}"
        write_corpus(data, corpus, size)
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            peaks = pool.submit(_work, corpus, store, shard_bytes).result()
        found.append(WorkerMemory(size, shard_bytes, peaks))
        print(found[-1], file=sys.stderr, flush=True)  # a large corpus takes long
    return found


def _work(corpus: Path, store: Path, shard_bytes: int) -> dict[str, list[int]]:
    overrides = {
        "sources": [str(corpus)],
        "store": str(store),
        "plan": {"shard_bytes": shard_bytes},
        "load": {"vector_store": "none"},
    }
    run, _ = Run.start(load_config(overrides=overrides))
    peaks: dict[str, list[int]] = {stage: [] for stage in SHARD_STAGES}
    for shard in run.shards:
        for stage in SHARD_STAGES:
            receipt = run.process_shard(stage, shard)
            peaks[stage].append(receipt.peak_memory_bytes // _MEGABYTE)
    return peaks


def workers_table(found: Sequence[WorkerMemory]) -> str:
    """Return the highest peak of each stage, and the process's for its first and last shards."""
    columns = ["documents", "shards", *(f"{stage}, MB" for stage in SHARD_STAGES)]
    columns += ["first quarter", "last quarter"]
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for one in found:
        highest = [max(shard) for shard in zip(*one.megabytes.values(), strict=True)]
        quarter = max(1, len(highest) // 4)
        cells = [f"{one.documents:,}", f"{len(highest)}"]
        cells += [f"{max(one.megabytes[stage]):,}" for stage in SHARD_STAGES]
        cells += [f"{max(highest[:quarter]):,}", f"{max(highest[-quarter:]):,}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)

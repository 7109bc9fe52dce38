"""What a reader of a store costs, from the first import on: one process, for `benchmarks.bench`.

    python -m benchmarks.bench_reader --store STORE --questions questions.jsonl

Prints one line of JSON. CPU is that of all threads of the process; of a mode, it is what a question takes beside its
encoder; anonymous memory is what a reader holds beside mapped files, which readers share. `again_ms` is mode `ranked`
with pages that are mapped already.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, cast

_MODES = ("bm25", "dense", "hybrid", "graph", "ranked")
_FIRST = 5  # Questions before the medians: they load what is loaded on first use.


class _Timed:
    """An embedder that counts its CPU seconds."""

    def __init__(self, embedder: Any) -> None:  # noqa: ANN401 - of an earlier checkout, too
        self._embedder = embedder
        self.dimension, self.fingerprint = embedder.dimension, embedder.fingerprint
        self.seconds = 0.0

    def encode(self, texts: Sequence[str]) -> Any:  # noqa: ANN401
        started = time.process_time()
        try:
            return self._embedder.encode(texts)
        finally:
            self.seconds += time.process_time() - started


def _cpu(action: Callable[[], object], beside: _Timed | None = None) -> float:
    """Return the CPU seconds of an action, without those of an embedder."""
    encoded = beside.seconds if beside else 0.0
    started = time.process_time()
    action()
    taken = time.process_time() - started
    return taken - (beside.seconds - encoded if beside else 0.0)


def memory() -> dict[str, int]:
    """Return resident and anonymous memory in MB; empty where there is no `/proc`."""
    rollup = Path("/proc/self/smaps_rollup")
    if not rollup.is_file():
        return {}
    pairs = (line.split() for line in rollup.read_text().splitlines()[1:])
    kilobytes = {name.rstrip(":"): int(size) for name, size, *_ in pairs}
    return {"resident_mb": kilobytes["Rss"] // 1024, "anonymous_mb": kilobytes["Anonymous"] // 1024}


def measure(store: str, asked: Sequence[str], reranked: int) -> dict[str, float]:
    """Return CPU seconds, milliseconds and megabytes of one reader.

    Args:
        store: Folder of a store.
        asked: Questions, at least two.
        reranked: How many of them are asked with reranking too.
    """
    started = time.process_time()
    import graphrag_tasks

    index = graphrag_tasks.open_index(store)
    figures: dict[str, float] = {"open_s": time.process_time()}
    figures["opened_s"] = figures["open_s"] - started
    figures |= {f"opened_{name}": size for name, size in memory().items()}
    from graphrag_tasks.retrieval.question.query_encoder import embedder_of

    timed = _Timed(embedder_of(index.snapshot.manifest.embedding))
    index = graphrag_tasks.open_index(store, embedder=cast("Any", timed))
    figures["first_s"] = _cpu(lambda: index.search(asked[0]))
    for name, mode in (*zip(_MODES, _MODES, strict=True), ("again", "ranked")):
        times = [_cpu(lambda: index.search(one, mode, rerank=0), timed) for one in asked]  # noqa: B023
        figures[f"{name}_ms"] = 1000 * median(times[_FIRST:] or times)
    times = [_cpu(lambda: index.encode([one])) for one in asked]  # noqa: B023
    figures["encoder_ms"] = 1000 * median(times[_FIRST:] or times)
    if reranked:
        times = [_cpu(lambda: index.search(one)) for one in asked[:reranked]]  # noqa: B023
        figures["auto_ms"] = 1000 * median(times)
    figures |= {f"after_{name}": size for name, size in memory().items()}
    figures["chunks"] = index.facts.chunks
    return {name: round(value, 3) for name, value in figures.items()}


def main() -> None:
    """Measure one reader, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--most", type=int, default=50)
    parser.add_argument("--reranked", type=int, default=20)
    options = parser.parse_args()
    lines = options.questions.read_text("utf-8").splitlines()[: options.most]
    asked = [json.loads(line)["question"] for line in lines]
    print(json.dumps(measure(options.store, asked, options.reranked)))


if __name__ == "__main__":
    main()

"""Time and memory of the stages from triples to a graph, on synthetic corpora of growing size.

Each stage runs in a process of its own, reads and writes artifacts as a run does, and is measured from the first byte
read to the last written: wall-clock seconds, CPU seconds and the highest resident memory (the interpreter with its
libraries included). Imports are not timed. Prints a table row by row, or JSON with `--json`.

    python -m benchmarks.graph --triples 10000 100000 1000000
    python -m benchmarks.graph --triples 10000000 --folder /some/disk --json
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from benchmarks.graph_corpus import write_corpus
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.progress import measured
from graphrag_tasks.pipeline import CORPUS_STAGES
from graphrag_tasks.pipeline.inputs import call
from graphrag_tasks.pipeline.state import RunState, UserFiles
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.snapshots.store import write_table

STAGES = ("entity_dictionary", "normalize", "resolve", "link_mentions", "relationships", "communities", "load")
_LIBRARIES = ("duckdb", "pandas", "pyarrow.dataset", "igraph", "scipy.sparse.csgraph", "spacy",
              "spacy.lang.en.stop_words", "spacy.pipeline")  # fmt: skip
_MEGABYTE = 1_000_000
_HEAD = """\
| triples | stage | seconds | CPU seconds | peak MB | CPU ns / (n log2 n) |
|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class StageCost:
    """What a stage cost.

    Attributes:
        triples: Size of the corpus.
        stage: Name of the stage.
        seconds: Wall-clock time.
        cpu_seconds: CPU time of all its threads.
        peak_megabytes: Highest resident memory of its process.
        stats: What the stage counted.
    """

    triples: int
    stage: str
    seconds: float
    cpu_seconds: float
    peak_megabytes: int
    stats: dict[str, int | float]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--triples", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=STAGES)
    parser.add_argument("--folder", type=Path, help="where artifacts go; kept, and read again")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="graphrag-bench-"))
    costs = []
    try:
        if not options.json:
            print(_HEAD)
        for triples in options.triples:
            for cost in measure(folder / str(triples), triples, options.stages):
                costs.append(asdict(cost))
                if not options.json:
                    print(_row(cost), flush=True)
    finally:
        if options.folder is None:
            shutil.rmtree(folder)
    if options.json:
        print(json.dumps(costs, indent=2))


def measure(folder: Path, triples: int, stages: Sequence[str]) -> Iterator[StageCost]:
    """Run stages on a corpus of this size.

    Args:
        folder: Where its tables lie; the corpus is made where there is none.
        triples: Size of the corpus.
        stages: Names of the stages, in order; those before them must have run in this folder.
    """
    if not (folder / "cells.parquet").exists():
        write_corpus(folder, triples)
    for stage in stages:
        yield _in_own_process(folder, triples, stage)


def _in_own_process(folder: Path, triples: int, stage: str) -> StageCost:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as pool:
        return pool.submit(_measure_stage, folder, triples, stage).result()


def _measure_stage(folder: Path, triples: int, stage: str) -> StageCost:
    config = load_config(overrides={"load": {"vector_store": "none"}}, environ={})
    staged = Folder(folder)
    state = SimpleNamespace(staged=staged, folder=staged, config=config, parent=None, store=None)
    state.files = UserFiles.read(config)
    state.store = SimpleNamespace(folder=staged)
    for module in _LIBRARIES:
        import_module(module)
    used = time.process_time()
    made: dict[str, object] = {"unsent_documents": frozenset(), "unsent_entities": frozenset()}
    made["chunk_vectors"] = None  # nothing is embedded, so nothing is clustered
    run = cast("RunState", state)
    with measured() as cost, call(CORPUS_STAGES[stage], run, made=made) as result:
        for name, rows in result.tables.items():
            write_table(staged, name, rows, fingerprint="benchmark")
    return StageCost(
        triples,
        stage,
        cost.seconds,
        round(time.process_time() - used, 2),
        cost.peak_memory_bytes // _MEGABYTE,
        dict(result.stats),
    )


def _row(cost: StageCost) -> str:
    unit = cost.cpu_seconds * 1e9 / (cost.triples * math.log2(cost.triples))
    cells = [f"{cost.triples:,}", cost.stage, f"{cost.seconds:.1f}", f"{cost.cpu_seconds:.1f}"]
    return f"| {' | '.join([*cells, f'{cost.peak_megabytes:,}', f'{unit:.0f}'])} |"


if __name__ == "__main__":
    main()

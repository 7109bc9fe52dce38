"""Full, unchanged and changed runs of the command, with what each of their stages cost."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.nightly_corpus import change_corpus, write_corpus
from graphrag_tasks.embed.local import DEFAULT_MODEL
from graphrag_tasks.embed.model_files import find_model
from graphrag_tasks.pipeline import CORPUS_STAGES, SHARD_STAGES

_SHARE = 0.01
_MEGABYTE = 1_000_000
_TWO = {"a.txt": "The report ZSALES reads the table VBBS.\n", "b.md": "# Stock\n\nIt is low.\n"}


@dataclass(frozen=True)
class RunCost:
    """What one run cost.

    Attributes:
        documents: Size of the corpus.
        run: `full`, `unchanged` or `changed`; `start` for the corpus of two documents.
        published: Whether there is a new snapshot.
        changed: Documents that were parsed.
        wall: Seconds from the start of the process to its end.
        cpu: CPU seconds of it and its workers.
        stages: CPU seconds by stage, summed over its shards; empty where nothing was done.
        megabytes: By stage, the peak of its process, with the parsing worker.
    """

    documents: int
    run: str
    published: bool
    changed: int
    wall: float
    cpu: float
    stages: Mapping[str, float]
    megabytes: Mapping[str, int]

    def total(self, stages: Sequence[str]) -> float:
        """Return the CPU seconds of some stages."""
        return sum(self.stages.get(stage, 0.0) for stage in stages)


def measure_runs(folder: Path, data: Path, sizes: Sequence[int]) -> list[RunCost]:
    """Run the command on corpora of these sizes.

    Args:
        folder: Where corpora and stores go.
        data: Real texts (see `nightly_corpus`).
        sizes: Numbers of documents.
    """
    model = write_model(folder / "model")
    two = folder / "two"
    two.mkdir(parents=True)
    for name, text in _TWO.items():
        (two / name).write_text(text)
    costs = [index(two, folder / "two-store", model, "start")]
    for size in sizes:
        corpus, store = folder / f"corpus-{size}", folder / f"store-{size}"
        write_corpus(data, corpus, size)
        costs.append(index(corpus, store, model, "full"))
        costs.append(index(corpus, store, model, "unchanged"))
        change_corpus(corpus, _SHARE)
        costs.append(index(corpus, store, model, "changed"))
    return costs


def write_model(folder: Path) -> Path:
    """Write an embedding model that is cheap: the first layer of the default one."""
    files = find_model(DEFAULT_MODEL)
    folder.mkdir(parents=True)
    for file in files.hashed:
        (folder / file.name).symlink_to(file)
    config = json.loads(files.config.read_text("utf-8")) | {"num_hidden_layers": 1}
    (folder / files.config.name).write_text(json.dumps(config))
    return folder


def index(corpus: Path, store: Path, model: Path, run: str) -> RunCost:
    """Run `graphrag-tasks index` in a process of its own."""
    command = [sys.executable, "-m", "graphrag_tasks", "index", str(corpus), "--json"]
    command += ["--store", str(store), "--workers", "1"]
    settings = {"GRAPHRAG__EMBED__MODEL": str(model), "GRAPHRAG__LOAD__VECTOR_STORE": "none"}
    start, used = time.perf_counter(), _children_cpu()
    done = subprocess.run(command, env={**os.environ, **settings}, stdout=subprocess.PIPE, check=True)
    wall, cpu = time.perf_counter() - start, _children_cpu() - used
    manifest: dict[str, Any] = json.loads(done.stdout)
    worked, counts = manifest["changed"], manifest["stats"]["counts"]
    stages = manifest["stats"]["stages"] if worked else []
    cost = RunCost(
        documents=counts["documents"],
        run=run,
        published=worked,
        changed=counts["added"] + counts["changed"] if worked else 0,
        wall=round(wall, 1),
        cpu=round(cpu, 1),
        stages={one["stage"]: one["cpu_seconds"] for one in stages},
        megabytes={one["stage"]: one["peak_memory_bytes"] // _MEGABYTE for one in stages},
    )
    print(cost, file=sys.stderr, flush=True)  # a large corpus takes long
    return cost


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def costs_table(costs: Sequence[RunCost]) -> str:
    """Return CPU seconds of each run, and of changed runs the share of the full run's extraction.

    Both are what lies beyond the start-up of a process, which `start` shows.
    """
    columns = ["documents", "run", "parsed", "published", "wall s", "CPU s", "plan", "extraction"]
    columns += ["of the full run's", "embed", "other global stages"]
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    start = next(cost for cost in costs if cost.run == "start").total([*SHARD_STAGES])
    full = start
    for cost in costs:
        extraction = cost.total([*SHARD_STAGES])
        full = extraction if cost.run == "full" else full
        share = f"{(extraction - start) / (full - start):.1%}" if cost.run == "changed" else "–"
        embed = cost.total(["embed"])
        cells = [f"{cost.documents:,}", cost.run, f"{cost.changed:,}"]
        cells += ["yes" if cost.published else "no", f"{cost.wall:.1f}", f"{cost.cpu:.1f}"]
        cells += [f"{cost.total(['plan']):.1f}", f"{extraction:.1f}", share, f"{embed:.1f}"]
        lines.append(f"| {' | '.join(cells)} | {cost.total([*CORPUS_STAGES]) - embed:.1f} |")
    return "\n".join(lines)


def memory_table(costs: Sequence[RunCost]) -> str:
    """Return the peak memory of each stage of the full runs, by size of the corpus."""
    runs = [cost for cost in costs if cost.run == "full"]
    sizes = [f"{run.documents:,} documents, MB" for run in runs]
    lines = [f"| stage | {' | '.join(sizes)} |", "|---" * (len(runs) + 1) + "|"]
    for stage in ("plan", *SHARD_STAGES, *CORPUS_STAGES):
        lines.append(f"| {stage} | {' | '.join(f'{run.megabytes[stage]:,}' for run in runs)} |")
    return "\n".join(lines)

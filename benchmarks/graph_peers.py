"""A graph of passages, beside the fast extraction of Microsoft's graphrag and raw spaCy.

The peers live in an environment of their own (`make bench-peers`):

    python -m benchmarks.graph_peers --peers PYTHON --passages passages.jsonl

Ours is a run of the command up to the graph's arrays, without vectors: documents, sentences, triples, resolved
entities, mentions, relations, communities. graphrag builds noun phrases and the edges between those of a passage. All
have the same spaCy model, one process and one thread, and run by turns; CPU seconds and the highest memory are of a
process with its children, its start included. A peer that fails is said to.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.bench import Runs, run
from graphrag_tasks.core.config import load_config
from graphrag_tasks.language.models import model_folder
from graphrag_tasks.operations.runner import process_shards
from graphrag_tasks.pipeline import CORPUS_STAGES, SHARD_STAGES, Run
from graphrag_tasks.workbench.evaluation.questions import pool

_WORKER = Path(__file__).with_name("graph_peer_worker.py")
_PEERS = ("graphrag", "spacy")
_OURS = "graphrag-tasks"
_LAST = "communities"


def build(passages: str) -> None:
    """Build our graph of passages in a folder that is removed, and print its size as JSON."""
    with tempfile.TemporaryDirectory(prefix="graphrag-bench-") as folder:
        sources = pool([passages], Path(folder, "passages"))
        started, _ = Run.start(load_config(overrides={"store": f"{folder}/store", "sources": sources}, environ={}))
        process_shards(started, tuple(SHARD_STAGES), workers=1)
        counts: dict[str, int] = {}
        for stage in CORPUS_STAGES:
            receipt = started.process_corpus(stage)
            counts |= {name: table.rows for name, table in receipt.tables.items()}
            if stage == _LAST:
                break
        print(json.dumps({name: counts[name] for name in ("triples", "entities", "relations")}))


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=Path, required=True)
    parser.add_argument("--peers", type=Path, help="Python of their environment")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--build", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.build:
        build(str(options.passages))
        return
    here, passages = Path(__file__).resolve().parents[1], str(options.passages.resolve())
    package = model_folder(load_config(environ={}).language.model)
    model = str(next(package.glob("*/config.cfg")).parent)
    ours = (sys.executable, "-m", "benchmarks.graph_peers", "--build", "--passages", passages)
    commands: dict[str, tuple[str, ...]] = {_OURS: ours}
    if options.peers:
        commands |= {peer: (str(options.peers.absolute()), str(_WORKER), peer, passages, model) for peer in _PEERS}
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    measured = {name: Runs() for name in commands}
    for number in range(options.repeats):
        for name, command in commands.items():
            try:
                run(command, here, measured[name])
            except subprocess.CalledProcessError as error:
                print(f"{name} failed: {error.stderr[-500:]}")
        print(f"{number + 1} of {options.repeats} repetitions", file=sys.stderr)
    print("| | CPU s | wall s | peak MB | CPU beside ours | made |\n|---|---|---|---|---|---|")
    for name, runs in measured.items():
        if runs.cpu_s:
            ratio = median(runs.cpu_s) / median(measured[_OURS].cpu_s)
            made = ", ".join(f"{count:,} {what}" for what, count in runs.figures[0].items())
            print(
                f"| {name} | {median(runs.cpu_s):.0f} | {median(runs.wall_s):.0f} "
                f"| {median(runs.peak_mb):,.0f} | {ratio:.2f} | {made} |"
            )


if __name__ == "__main__":
    main()

"""What a nightly run costs beside a full one, and what it keeps up while it works.

`runs` indexes corpora of small documents, made of real ones (`nightly_corpus`), with the command, each time in a fresh
process with one worker: in full, again without a change, and with 1 % changed. Stages are measured in CPU seconds; what
a fresh process takes for imports and models is measured on two documents (`start`). The embedding model is the first
layer of the default one. `workers` has one process do all shards of a corpus and keeps its peak memory in each stage.
`vectors` loads vectors into Milvus Lite and verifies them. `readers` has readers open the store and ask while it is
indexed again and again and old snapshots are removed. Prints tables, or JSON.

    python -m benchmarks.nightly runs --data DATA --documents 2000 6000 20000
    python -m benchmarks.nightly workers --data DATA --documents 500 2000 8000
    python -m benchmarks.nightly vectors --rows 100000
    python -m benchmarks.nightly readers --data DATA --documents 2000 --readers 20 --seconds 300
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.nightly_readers import measure_readers
from benchmarks.nightly_runs import costs_table, measure_runs, memory_table
from benchmarks.nightly_vectors import measure_vectors
from benchmarks.nightly_workers import measure_workers, workers_table


def main() -> None:
    """Measure what is asked for, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="where corpora and stores go; kept")
    parser.add_argument("--json", action="store_true")
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("runs")
    runs.add_argument("--data", type=Path, required=True)
    runs.add_argument("--documents", type=int, nargs="+", default=[2000, 6000, 20000])
    workers = commands.add_parser("workers")
    workers.add_argument("--data", type=Path, required=True)
    workers.add_argument("--documents", type=int, nargs="+", default=[500, 2000, 8000])
    workers.add_argument("--shard-bytes", type=int, default=250_000)
    vectors = commands.add_parser("vectors")
    vectors.add_argument("--rows", type=int, default=100_000)
    readers = commands.add_parser("readers")
    readers.add_argument("--data", type=Path, required=True)
    readers.add_argument("--documents", type=int, default=2000)
    readers.add_argument("--readers", type=int, default=20)
    readers.add_argument("--seconds", type=float, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="graphrag-bench-") as temporary:
        print(_measured(options, options.folder or Path(temporary)))


def _measured(options: argparse.Namespace, folder: Path) -> str:
    if options.command == "runs":
        costs = measure_runs(folder, options.data, options.documents)
        if options.json:
            return json.dumps([asdict(cost) for cost in costs], indent=2)
        return f"{costs_table(costs)}\n\n{memory_table(costs)}"
    if options.command == "workers":
        peaks = measure_workers(folder, options.data, options.documents, options.shard_bytes)
        if options.json:
            return json.dumps([asdict(one) for one in peaks], indent=2)
        return workers_table(peaks)
    if options.command == "vectors":
        found = asdict(measure_vectors(folder, options.rows))
    else:
        found = asdict(measure_readers(folder, options.data, options.documents, options.readers, options.seconds))
    if options.json:
        return json.dumps(found, indent=2)
    shown = {name: value if isinstance(value, str) else f"{value:,}" for name, value in found.items()}
    lines = [f"| {name.replace('_', ' ')} | {value} |" for name, value in shown.items()]
    return "\n".join(["| | |", "|---|---|", *lines])


if __name__ == "__main__":
    main()

"""Memory of one reader over many questions, with and without reranking.

    python -m benchmarks.reader_memory --store STORE --questions questions.jsonl --plot memory.svg

Each is a process of its own that asks in mode `auto`. Prints a table of its anonymous memory, which is what it holds
beside mapped files, and writes a plot of it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import cycle, islice
from pathlib import Path

from benchmarks.bench_reader import memory
from benchmarks.tools.chart import Chart, draw

_CURVES = {"with reranking": None, "without": 0}  # `rerank` as in `search`.
_SHOWN = (0, 10, 50, 100, 200, 300, 400, 500)


def measure(store: str, asked: Sequence[str], every: int, rerank: int | None) -> list[int]:
    """Return the megabytes after opening, and then after each so many questions."""
    import graphrag_tasks

    index = graphrag_tasks.open_index(store)
    held = [memory()["anonymous_mb"]]
    for number, question in enumerate(asked, start=1):
        index.search(question, rerank=rerank)
        if number % every == 0:
            held.append(memory()["anonymous_mb"])
    return held


def main() -> None:
    """Measure, print the table and write the plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--most", type=int, default=500)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    lines = options.questions.read_text("utf-8").splitlines()
    asked = list(islice(cycle(json.loads(line)["question"] for line in lines), options.most))
    with ProcessPoolExecutor(
        max_tasks_per_child=1, mp_context=multiprocessing.get_context("spawn"), max_workers=1
    ) as pool:
        jobs = {
            name: pool.submit(measure, options.store, asked, options.every, rerank) for name, rerank in _CURVES.items()
        }
        curves = {name: job.result() for name, job in jobs.items()}
    shown = [number for number in _SHOWN if number <= options.most]
    print(f"| questions | {' | '.join(map(str, shown))} |\n|---{'|---' * len(shown)}|")
    for name, held in curves.items():
        print(f"| {name} | {' | '.join(str(held[one // options.every]) for one in shown)} |")
    if options.plot:
        places = {
            name: [(number * options.every, megabytes) for number, megabytes in enumerate(held)]
            for name, held in curves.items()
        }
        chart = Chart("anonymous memory, MB", "questions", places)
        options.plot.write_text(draw([chart], columns=1, width=560, height=260), "utf-8")


if __name__ == "__main__":
    main()

"""Readers side by side: threads of one process, and processes of one thread.

    python -m benchmarks.bench_readers --store STORE --questions questions.jsonl --readers 1 4 16

Questions are asked in mode `auto`, without and with reranking, and divided among the readers, who begin together after
each process has answered two. Prints a table. Megabytes are anonymous memory: what a process holds beside mapped files,
which processes share; so what each further one takes.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from benchmarks.bench_reader import memory

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue
    from multiprocessing.synchronize import Barrier

_PATIENCE_S = 900  # Readers that wait longer for one another give up: one of them failed.
_HEAD = """\
| readers | as | reranked | questions/s | CPU ms a question | median ms | 95 % ms | MB a process |
|---|---|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Answered:
    """What one process did.

    Attributes:
        start: When its readers began, by the system's monotonic clock.
        end: When the last of them was done.
        seconds: Of each question.
        cpu: Seconds of all its threads, meanwhile.
        megabytes: Anonymous memory while all processes were alive.
    """

    start: float
    end: float
    seconds: list[float]
    cpu: float
    megabytes: int


def _answer(
    store: str, shares: Sequence[Sequence[str]], rerank: int | None, together: Barrier, told: SimpleQueue[Answered]
) -> None:
    """Ask each share of questions in a thread of its own; `rerank` as in `search`."""
    import graphrag_tasks

    index = graphrag_tasks.open_index(store)

    def ask(question: str) -> float:
        started = time.monotonic()
        index.search(question, rerank=rerank)
        return time.monotonic() - started

    for question in shares[0][:2]:
        ask(question)
    with ThreadPoolExecutor(len(shares)) as threads:
        together.wait(_PATIENCE_S)
        start, used = time.monotonic(), time.process_time()
        answered = threads.map(lambda share: [ask(question) for question in share], shares)
        seconds = [one for share in answered for one in share]
    end, cpu = time.monotonic(), time.process_time() - used
    together.wait(_PATIENCE_S)
    told.put(Answered(start, end, seconds, cpu, memory()["anonymous_mb"]))
    together.wait(_PATIENCE_S)


def measure(store: str, asked: Sequence[str], readers: int, processes: int, rerank: int | None) -> list[Answered]:
    """Return what each process did.

    Args:
        store: Folder of a store.
        asked: Questions, at least two for each reader.
        readers: How many ask at once.
        processes: That the readers are threads of; as many to each.
        rerank: As in `search`.
    """
    context = multiprocessing.get_context("spawn")
    together, told = context.Barrier(processes), context.SimpleQueue()
    shares = [asked[number::readers] for number in range(readers)]
    running = [
        context.Process(target=_answer, args=(store, shares[number::processes], rerank, together, told))
        for number in range(processes)
    ]
    for one in running:
        one.start()
    for one in running:
        one.join()
        if one.exitcode:
            raise SystemExit(f"a reader failed with exit status {one.exitcode}, see above")
    return [told.get() for _ in running]


def row(readers: int, kind: str, rerank: int | None, found: Sequence[Answered]) -> str:
    """Return a row of the table."""
    seconds = [one for process in found for one in process.seconds]
    wall = max(one.end for one in found) - min(one.start for one in found)
    held = median(one.megabytes for one in found)
    cpu = sum(one.cpu for one in found) / len(seconds)
    return (
        f"| {readers} | {kind} | {'no' if rerank == 0 else 'yes'} | {len(seconds) / wall:.2f} "
        f"| {1000 * cpu:.0f} | {1000 * median(seconds):.0f} "
        f"| {1000 * quantiles(seconds, n=20)[-1]:.0f} | {held:.0f} |"
    )


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--readers", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--most", type=int, default=320, help="questions without reranking")
    parser.add_argument("--reranked", type=int, default=96, help="questions with reranking")
    options = parser.parse_args()
    lines = options.questions.read_text("utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines]
    print(_HEAD, flush=True)
    for rerank, most in ((0, options.most), (None, options.reranked)):
        asked = list(islice(cycle(questions), most))
        for readers in options.readers:
            for kind, processes in (("threads", 1), ("processes", readers)):
                found = measure(options.store, asked, readers, processes, rerank)
                print(row(readers, kind, rerank, found), flush=True)


if __name__ == "__main__":
    main()

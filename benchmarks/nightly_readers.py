"""Readers that open a store and ask, while it is indexed and old snapshots are removed."""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from statistics import median, quantiles

from benchmarks.nightly_corpus import change_corpus, write_corpus
from benchmarks.nightly_runs import index, write_model
from graphrag_tasks.embed.local import LocalEmbedder
from graphrag_tasks.operations.retention import collect_garbage
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.storage.snapshots.store import Store

_PROCESSES = 2
_SHARE = 0.01
_QUESTIONS = ("Who directed the film?", "Which table was replaced?", "When was the university founded?")


@dataclass(frozen=True)
class Reading:
    """What readers saw.

    Attributes:
        readers: Threads, in two processes.
        seconds: They read for.
        opened: Times that a reader opened the store.
        answered: Questions.
        errors: Of any kind, by their text.
        published: Snapshots published meanwhile; all but the current one and the one before were removed at once.
        snapshots_seen: That a reader had open.
        open_median: Seconds to open the store, which is done anew for every three questions.
        open_95: The same, 95th percentile.
        question_median: Seconds of a question.
        question_95: The same, 95th percentile.
    """

    readers: int
    seconds: float
    opened: int
    answered: int
    errors: str
    published: int
    snapshots_seen: int
    open_median: float
    open_95: float
    question_median: float
    question_95: float


@dataclass(frozen=True)
class _Seen:
    opened: list[float]
    answered: list[float]
    snapshots: set[str]
    errors: Counter[str]


def measure_readers(folder: Path, data: Path, documents: int, readers: int, seconds: float) -> Reading:
    """Read and index at once.

    Args:
        folder: Where corpus and store go.
        data: Real texts (see `nightly_corpus`).
        documents: Size of the corpus.
        readers: Readers at once.
        seconds: How long.
    """
    model, corpus, store = folder / "model", folder / "corpus", folder / "store"
    write_model(model)
    write_corpus(data, corpus, documents)
    index(corpus, store, model, "full")
    published = 0
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(_PROCESSES, mp_context=context) as pool:
        share = readers // _PROCESSES
        jobs = [pool.submit(_read_in_threads, store, model, share, seconds) for _ in range(_PROCESSES)]
        while not all(job.done() for job in jobs):
            change_corpus(corpus, _SHARE, seed=published)
            published += index(corpus, store, model, "changed").published
            collect_garbage(Store(str(store)), keep=1, staging_age=timedelta(days=1))
        seen = [one for job in jobs for one in job.result()]
    return _summary(seen, seconds, published)


def _summary(seen: list[_Seen], seconds: float, published: int) -> Reading:
    opened = [one for reader in seen for one in reader.opened]
    answered = [one for reader in seen for one in reader.answered]
    errors = sum((reader.errors for reader in seen), Counter[str]())
    return Reading(
        readers=len(seen),
        seconds=seconds,
        opened=len(opened),
        answered=len(answered),
        errors="; ".join(f"{count} × {what}" for what, count in errors.items()) or "none",
        published=published,
        snapshots_seen=len(set[str]().union(*(reader.snapshots for reader in seen))),
        open_median=round(median(opened), 3),
        open_95=round(quantiles(opened, n=20)[-1], 3),
        question_median=round(median(answered), 3),
        question_95=round(quantiles(answered, n=20)[-1], 3),
    )


def _read_in_threads(store: Path, model: Path, threads: int, seconds: float) -> list[_Seen]:
    embedder = LocalEmbedder(model, threads=1)
    end = time.monotonic() + seconds
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda _: _read(store, embedder, end), range(threads)))


def _read(store: Path, embedder: LocalEmbedder, end: float) -> _Seen:
    seen = _Seen([], [], set(), Counter())
    while time.monotonic() < end:
        try:
            start = time.perf_counter()
            opened = open_index(store, embedder=embedder)
            seen.opened.append(time.perf_counter() - start)
            seen.snapshots.add(opened.facts.snapshot_id)
            for question in _QUESTIONS:
                start = time.perf_counter()
                opened.search(question)
                seen.answered.append(time.perf_counter() - start)
        except Exception as error:  # noqa: BLE001 - what any reader gets to see is the figure
            seen.errors[f"{type(error).__name__}: {error}"[:80]] += 1
    return seen

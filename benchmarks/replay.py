"""What a run of more documents takes on more workers, from what a run of some was measured at.

    python -m benchmarks.replay --store STORE

The manifest of a snapshot has the CPU seconds of each stage. Work on documents and texts is dealt out to workers of one
core each; stages over the whole corpus run one after the other on one, and take what docs/explanation/scale.md
measured. Nothing is run: a table of arithmetic is printed.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

from graphrag_tasks.storage.snapshots.store import Store

_OF_SHARDS = ("parse", "chunk", "filter_sentences", "extract")
_TASK_SECONDS = 1.5  # Of a task: scheduling and opening its run (docs/results.md, nightly runs).
_CORPUS_SECONDS, _CORPUS_TRIPLES, _GROWTH = 1_743, 10_000_000, 11.9
"""CPU of the stages over a corpus of so many triples, and its growth from a tenth of them
(docs/explanation/scale.md)."""
_USD_AN_HOUR = 0.0504  # Of one core: half of an m7i.large of AWS in us-east-1 on demand, list price of 2025.
_DOCUMENTS = (10**5, 10**6, 10**8)
_WORKERS = (2, 16, 128, 1024)


@dataclass(frozen=True)
class Measured:
    """CPU seconds of a run."""

    documents: int
    triples: int
    of_shards: float
    embed: float

    @classmethod
    def of(cls, store: Store) -> Measured:
        """Read them from the current snapshot, which must come from a full run."""
        manifest = store.open().manifest
        cpu = {one["stage"]: one["cpu_seconds"] for one in manifest.stats["stages"]}
        rows = {name: table.rows for name, table in manifest.tables.items()}
        shards = sum(cpu[name] for name in _OF_SHARDS)
        return cls(rows["documents"], rows["triples"], shards, cpu["embed"])


@dataclass(frozen=True)
class Replayed:
    """Hours of a run, documents of the best shard, and money for the hours that workers are held.

    Workers are given back when the stages over the whole corpus begin, except one.
    """

    hours_of_shards: float
    hours_of_embed: float
    hours_of_corpus: float
    shard: int
    usd: float

    @property
    def hours(self) -> float:
        """The whole run."""
        return self.hours_of_shards + self.hours_of_embed + self.hours_of_corpus


def replayed(measured: Measured, documents: int, workers: int) -> Replayed:
    """Return what a full run takes."""
    a_document = measured.of_shards / measured.documents
    sizes = (2**power for power in range(int(math.log2(documents))))
    shard = min(sizes, key=lambda size: _waves(documents, workers, size, a_document))
    shards = _waves(documents, workers, shard, a_document) / 3600
    texts = measured.embed / measured.documents * documents / workers / 3600
    triples = measured.triples / measured.documents * documents
    corpus = _CORPUS_SECONDS * _GROWTH ** math.log10(triples / _CORPUS_TRIPLES) / 3600
    held = workers * (shards + texts) + corpus
    return Replayed(shards, texts, corpus, shard, held * _USD_AN_HOUR)


def _waves(documents: int, workers: int, size: int, a_document: float) -> float:
    """Return the seconds of shards of one size: waves of tasks, the last one as long as the rest.

    Without it the best shard would be one a worker; real shards differ, so that one in each wave takes a half more than
    the mean.
    """
    waves = math.ceil(documents / size / workers)
    return waves * (_TASK_SECONDS + size * a_document) + size * a_document / 2


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", required=True, help="whose current snapshot is of a full run")
    options = parser.parse_args()
    measured = Measured.of(Store(options.store))
    print(f"{measured}\n")
    print("| documents | workers | shards h | embed h | corpus h | all h | documents a shard | USD |")
    print("|---|---|---|---|---|---|---|---|")
    for documents in _DOCUMENTS:
        for workers in _WORKERS:
            found = replayed(measured, documents, workers)
            hours = (found.hours_of_shards, found.hours_of_embed, found.hours_of_corpus)
            cells = [f"{documents:,}", str(workers), *(f"{one:,.1f}" for one in hours)]
            cells += [f"{found.hours:,.1f}", f"{found.shard:,}", f"{found.usd:,.0f}"]
            print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()

"""CPU of a query in each mode, without the encoder, beside bm25s and a dot product.

    python -m benchmarks.retrieval --store STORE --questions questions.jsonl

The peer does what every hybrid search must: bm25s scores all chunks by its own words, a product of a matrix and a
vector gives the cosines, and the ten best of their standardised sum are taken. It gives no sources. Both are measured
question by question in turn, so that other work on the machine meets both alike; look at the ratio. Then the reranker
reads chunks of `auto` again. Prints JSON; times are milliseconds of CPU unless said otherwise, the median over the
questions.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

import bm25s
import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.embed.engine import engine_text
from graphrag_tasks.embed.protocol import Embedder, Encoded
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.retrieval.question.query_encoder import embedder_of
from graphrag_tasks.retrieval.view.arrays import standardised
from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.workbench.evaluation import read_questions

MODES = ("dense", "bm25", "hybrid", "graph", "ranked", "auto", "paper")
K = 10
RERANKED = (0, 20, 50)


class Remembering:
    """An embedder that encodes each text once: what was asked before costs nothing."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.dimension, self.fingerprint = embedder.dimension, embedder.fingerprint
        self.engine = embedder.engine
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._embedder.encode(new), strict=True))
        return np.stack([self._vectors[text] for text in texts])

    def encode_detailed(self, texts: Sequence[str]) -> Encoded:
        """Embed passages, which are not remembered."""
        return self._embedder.encode_detailed(texts)


class Peer:
    """bm25s with its own tokens, and a product with the chunks' vectors."""

    def __init__(self, snapshot: Snapshot, encoder: Remembering) -> None:
        vectors = snapshot.table("chunk_vectors", ["vector"])["vector"].combine_chunks()
        self._vectors = vectors.flatten().to_numpy().reshape(len(vectors), -1)
        self._encoder = encoder
        tokens = bm25s.tokenize(snapshot.table("chunks", ["text"])["text"].to_pylist(), show_progress=False)
        self._bm25 = bm25s.BM25(method="lucene")
        self._bm25.index(tokens, show_progress=False)

    def search(self, question: str) -> NDArray[np.intp]:
        """Return the rows of the best chunks."""
        (tokens,) = bm25s.tokenize(question, return_ids=False, show_progress=False)
        words = self._bm25.get_scores([one for one in tokens if one in self._bm25.vocab_dict])
        dense = self._vectors @ self._encoder.encode([question])[0]
        scores = standardised(dense) + standardised(words)
        best = np.argpartition(-scores, K)[:K]
        return best[np.argsort(-scores[best])]


def milliseconds(action: Callable[[], object]) -> float:
    """Return the CPU that an action takes."""
    started = time.process_time()
    action()
    return (time.process_time() - started) * 1000


def both(action: Callable[[], object]) -> tuple[float, float]:
    """Return the wall-clock time and the CPU that an action takes."""
    started = time.perf_counter()
    cpu = milliseconds(action)
    return (time.perf_counter() - started) * 1000, cpu


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Measure, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--store", required=True)
    parser.add_argument("--questions", required=True)
    options = parser.parse_args()
    asked = [one.question for one in read_questions(options.questions)]
    encoder = Remembering(embedder_of(open_index(options.store).snapshot.manifest.embedding))
    encoder.encode(asked)
    opened = milliseconds(lambda: open_index(options.store, embedder=encoder))
    index = open_index(options.store, embedder=encoder)
    first = milliseconds(lambda: index.search(asked[0], rerank=0))
    peer = Peer(index.snapshot, encoder)
    for question in asked:
        peer.search(question)
        for mode in MODES:
            index.search(question, mode, K, rerank=0)
    spent: dict[str, list[float]] = {name: [] for name in ("peer", *MODES)}
    for question in asked:
        spent["peer"].append(milliseconds(partial(peer.search, question)))
        for mode in MODES:
            action = partial(index.search, question, mode, K, rerank=0)
            spent[mode].append(milliseconds(action))
    before = resident()
    index.search(asked[0], rerank=1)
    model = resident() - before
    reranking: dict[int, list[tuple[float, float]]] = {count: [] for count in RERANKED}
    for question in asked[:50]:
        for count, times in reranking.items():
            times.append(both(partial(index.search, question, k=K, rerank=count)))
    medians = {name: median(times) for name, times in spent.items()}
    report = {
        "chunks": index.facts.chunks,
        "entities": index.facts.entities,
        "questions": len(asked),
        "open_ms": round(opened, 1),
        "first_search_ms": round(first, 1),
        "ms": {name: round(value, 2) for name, value in medians.items()},
        "reranked_ms_wall_cpu": {
            count: [round(median(column), 1) for column in zip(*times, strict=True)]
            for count, times in reranking.items()
        },
        "reranker": index.config.rerank.model,
        "engine": engine_text("auto"),
        "reranker_mb": round(model / 2**20, 1),
        "reranking_mb": round((resident() - before) / 2**20, 1),
        "times_the_peer": {name: round(value / medians["peer"], 2) for name, value in medians.items()},
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()

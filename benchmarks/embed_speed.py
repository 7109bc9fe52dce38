"""Speed of the local embedder, beside ONNX Runtime and beside a naive use of its own engine.

The naive use takes the texts in their order, 32 at a time, each batch padded to its longest text. Repetitions alternate
and the median counts, so that load on the machine meets all. Prints JSON.

    python -m benchmarks.embed_speed --short 2000 --chunks 64
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np

from graphrag_tasks.embed.engine import ATTENTION_MASK, INPUT_IDS
from graphrag_tasks.embed.local import DEFAULT_MODEL, LocalEmbedder

_NAIVE_ROWS = 32
_WORDS = (
    *("plant", "order", "stock", "price", "date", "group", "sales", "master", "data", "planning"),
    *("material", "vendor", "item", "cost", "center", "profit", "ledger", "account", "posting"),
    *("period", "company", "code", "field", "table", "release", "version", "user"),
)


@dataclass(frozen=True)
class Timing:
    """Median time for a set of texts."""

    texts: int
    mean_tokens: float
    texts_per_second: float
    milliseconds_per_text: float
    times_naive: float
    times_onnxruntime: float
    smallest_cosine: float


def main() -> None:
    """Measure short texts, chunks and single queries."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--short", type=int, default=2000, help="texts of about 5 tokens")
    parser.add_argument("--chunks", type=int, default=64, help="texts of about 300 tokens")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    embedder = LocalEmbedder(options.model, threads=options.threads, engine=options.engine)
    other = LocalEmbedder(options.model, threads=options.threads, engine="onnxruntime")
    start = time.perf_counter()
    embedder.encode(["warm up"])
    load_seconds = time.perf_counter() - start

    choose = random.Random(options.seed)  # noqa: S311 - made-up texts
    short = _texts(choose, options.short, shortest=1, longest=5)
    chunks = _texts(choose, options.chunks, shortest=150, longest=450)
    queries = _texts(choose, 50, shortest=8, longest=14)
    report = {
        "engine": embedder.engine,
        "threads": options.threads,
        "load_seconds": round(load_seconds, 2),
        "short": asdict(_compare(embedder, other, short, options.repeats)),
        "chunks": asdict(_compare(embedder, other, chunks, options.repeats)),
        "query_milliseconds": round(_query_milliseconds(embedder, queries), 2),
    }
    print(json.dumps(report, indent=2))


def _texts(choose: random.Random, count: int, *, shortest: int, longest: int) -> list[str]:
    """Return distinct texts of random words; a number keeps them apart."""
    return [
        " ".join([*choose.choices(_WORDS, k=choose.randint(shortest, longest)), str(number)]) for number in range(count)
    ]


def _compare(embedder: LocalEmbedder, other: LocalEmbedder, texts: Sequence[str], repeats: int) -> Timing:
    works = (partial(embedder.encode, texts), partial(_naively, embedder, texts), partial(other.encode, texts))
    times = [[_seconds(work) for work in works] for _ in range(repeats)]
    own, naive, onnxruntime = (statistics.median(column) for column in zip(*times, strict=True))
    cosines = (embedder.encode(texts) * other.encode(texts)).sum(axis=1)
    lengths = [len(embedder._tokenizer.encode(text).ids) for text in texts]
    return Timing(
        texts=len(texts),
        mean_tokens=round(statistics.mean(lengths), 1),
        texts_per_second=round(len(texts) / own, 1),
        milliseconds_per_text=round(1000 * own / len(texts), 3),
        times_naive=round(naive / own, 2),
        times_onnxruntime=round(onnxruntime / own, 2),
        smallest_cosine=round(float(cosines.min()), 6),
    )


def _naively(embedder: LocalEmbedder, texts: Sequence[str]) -> None:
    """Encode texts of at most `max_tokens` tokens without sorting them."""
    for start in range(0, len(texts), _NAIVE_ROWS):
        encodings = embedder._tokenizer.encode_batch_fast(texts[start : start + _NAIVE_ROWS])
        shape = (len(encodings), max(len(encoding.ids) for encoding in encodings))
        input_ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, encoding in enumerate(encodings):
            input_ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        embedder._engine.run({INPUT_IDS: input_ids, ATTENTION_MASK: mask})


def _query_milliseconds(embedder: LocalEmbedder, queries: Sequence[str]) -> float:
    return 1000 * statistics.median(_seconds(partial(embedder.encode, [query])) for query in queries)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()

"""Speed of extraction, beside spaCy's own pipeline on the same text in the same run.

All times are CPU time of one process with one BLAS thread, so that load on the machine matters little; the ratios
matter, the words a second are this machine's. Repetitions alternate and the median counts. The reference is
`spacy.load(model).pipe`, as it comes. The work of two processes is measured by the clock, against the same work in one.
Prints a table, and JSON with `--json`.

    python -m benchmarks.extract
    python -m benchmarks.extract --text FILE_OR_FOLDER --sentences 2000 --json
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import os
import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import spacy
from spacy.about import __version__ as spacy_version
from spacy.language import Language
from thinc.api import NumpyOps, get_current_ops

from graphrag_tasks.extract.dependency.clauses import frames_of
from graphrag_tasks.extract.dependency.extractor import DependencyExtractor
from graphrag_tasks.extract.triples import derive_triples
from graphrag_tasks.language import DEFAULT_MODEL, load_pipeline
from graphrag_tasks.language.parser import SentenceParser

BATCH_SIZE = 64
_ENTITIES = ("ner",)
_CORPUS = Path(__file__).parents[1] / "examples" / "corpus"
_SUBJECTS = ("The report", "Table VBBE", "Transaction VA01", "The interface /SCMB/TOOL", "SAP SE")
_VERBS = ("reads", "replaces", "which was released in 2019, writes", "no longer supports")
_OBJECTS = ("the status fields of table VBAK", "sales orders and their items", "S/4HANA 1809")
_ENDS = ("before the upgrade", "if the user has the role", "and stores the result in VBUP", "")


@dataclass(frozen=True)
class Speed:
    """Words a second of one way to run, and its ratio to the reference with its components."""

    words_per_second: int
    ratio_to_stock: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, help="file, or folder of text files")
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sentences = list(islice(_read(options.text) if options.text else _examples(), options.sentences))
    report = {
        "sentences": len(sentences),
        "reference": f"spacy.load({DEFAULT_MODEL!r}).pipe, spaCy {spacy_version}",
        **_speeds(sentences, options.repeats),
        "two_workers": _two_workers(sentences),
    }
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        _print_table(report)


def _read(path: Path) -> Iterator[str]:
    """Yield the sentences of text files: those of each line, by spaCy."""
    files = [path] if path.is_file() else sorted(one for one in path.rglob("*") if _is_text(one))
    lines = (line.strip() for file in files for line in file.read_text("utf-8").splitlines())
    pipeline = load_pipeline(DEFAULT_MODEL, components=("tok2vec", "senter"))
    for doc in pipeline.pipe(line for line in lines if line):
        yield from (sentence.text for sentence in doc.sents if len(sentence) > 2)


def _is_text(path: Path) -> bool:
    return path.suffix.lower() in (".txt", ".md")


def _examples() -> Iterator[str]:
    """Yield the example corpus's sentences, and then made-up ones without end."""
    yield from _read(_CORPUS)
    choose = random.Random(0)  # noqa: S311 - made-up texts
    while True:
        parts = (choose.choice(one) for one in (_SUBJECTS, _VERBS, _OBJECTS, _ENDS))
        yield " ".join(filter(None, parts)) + "."


def _speeds(sentences: Sequence[str], repeats: int) -> dict[str, object]:
    stock = spacy.load(DEFAULT_MODEL)
    ways: dict[str, Callable[[], object]] = {
        "stock": partial(_stock, stock, sentences),
        "stock_without_ner": partial(_stock, stock, sentences, disable=_ENTITIES),
        "extract": partial(_extract, sentences, entities=True),
        "extract_without_ner": partial(_extract, sentences, entities=False),
        "parse": partial(_parse, sentences, entities=True),
        "parse_without_ner": partial(_parse, sentences, entities=False),
        "sentences_and_verbs": partial(_filter, sentences),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        way()
    for _ in range(repeats):
        for name, way in ways.items():
            times[name].append(_cpu_seconds(way))
    seconds = {name: statistics.median(one) for name, one in times.items()}
    docs = list(SentenceParser(batch_size=BATCH_SIZE).parse(sentences))
    rules = statistics.median(_cpu_seconds(partial(_rules, docs)) for _ in range(repeats))
    words = sum(map(len, docs))
    stock_of = {name: "stock_without_ner" if "without" in name else "stock" for name in ways}
    speeds = {name: Speed(round(words / one), round(seconds[stock_of[name]] / one, 2)) for name, one in seconds.items()}
    return {
        "words": words,
        "speeds": {name: asdict(speed) for name, speed in speeds.items()},
        "rules_share_of_stock": round(rules / seconds["stock"], 3),
        "rules_share_of_extract": round(rules / seconds["extract"], 3),
    }


def _stock(pipeline: Language, sentences: Sequence[str], disable: Sequence[str] = ()) -> None:
    for _ in _with_blis(pipeline.pipe(sentences, batch_size=BATCH_SIZE, disable=list(disable))):
        pass


def _with_blis(docs: Iterator[object]) -> Iterator[object]:
    """Run spaCy with the matrix products that it has without our switch."""
    ops = get_current_ops()
    before = ops.use_blis if isinstance(ops, NumpyOps) else None
    try:
        if isinstance(ops, NumpyOps):
            ops.use_blis = True
        yield from docs
    finally:
        if isinstance(ops, NumpyOps) and before is not None:
            ops.use_blis = before


def _extract(sentences: Sequence[str], *, entities: bool = True) -> None:
    extractor = DependencyExtractor(batch_size=BATCH_SIZE, entities=entities)
    for frames in extractor.extract(sentences):
        for frame in frames:
            derive_triples(frame)


def _parse(sentences: Sequence[str], *, entities: bool) -> None:
    for _ in SentenceParser(batch_size=BATCH_SIZE, entities=entities).parse(sentences):
        pass


def _rules(docs: Sequence[object]) -> None:
    for doc in docs:
        for frame in frames_of(doc):  # type: ignore[arg-type]
            derive_triples(frame)


def _filter(sentences: Sequence[str]) -> None:
    from graphrag_tasks.chunk.filter_sentences import _analyse, _spans

    for doc in _analyse(sentences, DEFAULT_MODEL):
        list(_spans(doc))


def _two_workers(sentences: Sequence[str]) -> dict[str, float]:
    """Return by how much two processes are faster than one on the same sentences."""
    context = multiprocessing.get_context("spawn")
    seconds = {}
    for workers in (1, 2):
        with context.Pool(workers) as pool:
            pool.map(_warm, range(2 * workers), chunksize=1)
            shards = [list(sentences[start::8]) for start in range(8)]
            start = time.perf_counter()
            pool.map(_extract, shards, chunksize=1)
            seconds[workers] = time.perf_counter() - start
    return {"ratio_to_one": round(seconds[1] / seconds[2], 2), "load_average": os.getloadavg()[0]}


def _warm(_: int) -> None:
    _extract(["It reads tables."])
    time.sleep(0.5)


def _cpu_seconds(work: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def _print_table(report: Mapping[str, object]) -> None:
    speeds = report["speeds"]
    assert isinstance(speeds, dict)  # noqa: S101 - for the type checker
    print(f"{report['sentences']} sentences, {report['words']} words; {report['reference']}")
    print(f"{'':24}{'words/s':>10}{'× stock':>10}")
    for name, one in speeds.items():
        print(f"{name:24}{one['words_per_second']:>10}{one['ratio_to_stock']:>10}")
    for name in ("rules_share_of_stock", "rules_share_of_extract", "two_workers"):
        print(f"{name:24}{report[name]}")


if __name__ == "__main__":
    main()

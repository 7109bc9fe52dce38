"""Results of retrieval by mode: figures overall, by type and by question, and compared."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from graphrag_tasks.core.errors import ConfigError, QueryError
from graphrag_tasks.retrieval import ChunkHit, Context, Index
from graphrag_tasks.retrieval.question.query import MOST_CHUNKS
from graphrag_tasks.workbench.evaluation.gold import (
    Difference,
    Gold,
    Stale,
    Target,
    all_gold_at_k,
    locate,
    paired_bootstrap,
    recall_at_k,
    reciprocal_rank,
)
from graphrag_tasks.workbench.evaluation.questions import Question

METRICS = ("recall@2", "recall@5", "recall@10", "all_gold@8", "mrr@10")
"""Names of the figures, in display order; `measures` defines them."""
RESULTS_FILE, TABLES_FILE = "results.parquet", "results.md"
RESULTS = pa.schema(
    [
        *((name, pa.string()) for name in ("mode", "id", "type", "question")),
        *((name, pa.float64()) for name in (*METRICS, "wall_ms", "cpu_ms")),
        ("gold", pa.list_(pa.string())),
        ("found_at", pa.list_(pa.int64())),
        ("ranking", pa.list_(pa.string())),
    ]
)
"""Columns of `RESULTS_FILE`; `QuestionResult` explains them."""
_SMALLEST_P_SHOWN = 0.001  # With three decimals; smaller p-values are shown as below it.


@dataclass(frozen=True)
class QuestionResult:
    """The figures of a question.

    Attributes:
        found_at: The first place of each gold item; None if not in the first ten.
        ranking: The first ten documents (`path`) or chunks (`path:start-end`), best first.
        wall_ms: Milliseconds of the search by the clock.
        cpu_ms: Milliseconds of CPU of all threads.
    """

    id: str
    type: str
    question: str
    gold: tuple[str, ...]
    found_at: tuple[int | None, ...]
    ranking: tuple[str, ...]
    metrics: dict[str, float]
    wall_ms: float
    cpu_ms: float


@dataclass(frozen=True)
class Scores:
    """Number of questions in a group, means of `METRICS`, and mean times of a search."""

    questions: int
    metrics: dict[str, float]
    wall_ms: float
    cpu_ms: float

    @classmethod
    def of(cls, results: Sequence[QuestionResult]) -> Scores:
        """Average over questions with equal weight."""
        metrics = {name: fmean(result.metrics[name] for result in results) for name in METRICS}
        times = [(result.wall_ms, result.cpu_ms) for result in results]
        return cls(len(results), metrics, *map(fmean, zip(*times, strict=True)))


@dataclass(frozen=True)
class RetrievalReport:
    """Figures of a mode on a set of questions.

    Attributes:
        moved: Number of gold spans found at another position.
        stale: Questions left out because their text or document is gone.
    """

    mode: str
    snapshot_id: str
    overall: Scores
    by_type: dict[str, Scores]
    results: tuple[QuestionResult, ...]
    moved: int
    stale: tuple[Stale, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return asdict(self, dict_factory=_plain)

    def to_markdown(self) -> str:
        """Return a table of the figures, overall and by type."""
        lines = [
            f"Mode `{self.mode}`, snapshot `{self.snapshot_id}`",
            "",
            f"| questions | n | {' | '.join(METRICS)} | ms | CPU ms |",
            f"|---|---|{'---|' * (len(METRICS) + 2)}",
            _row("all", self.overall),
            *(_row(name or "(no type)", scores) for name, scores in self.by_type.items()),
        ]
        if self.moved:
            lines.append(f"\n{self.moved} gold spans stand at another place than the questions say")
        if self.stale:
            gone = ", ".join(f"{stale.id} ({stale.span})" for stale in self.stale)
            what = f"{len(self.stale)} questions left out, what they are about is gone"
            lines.append(f"\n{what}: {gone}")
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Comparison:
    """Reports of several modes on the same questions.

    `differences` has, for each other mode and metric, the difference to the mode `against`.
    """

    reports: tuple[RetrievalReport, ...]
    against: str | None
    differences: dict[str, dict[str, Difference]]

    @classmethod
    def of(cls, reports: Sequence[RetrievalReport], against: str | None = None) -> Comparison:
        """Compare every report with that of the mode `against`."""
        if against is None:
            return cls(tuple(reports), None, {})
        base = next((report for report in reports if report.mode == against), None)
        if base is None:
            modes = ", ".join(report.mode for report in reports)
            raise ConfigError(f"mode '{against}' was not evaluated", "--against", f"Modes: {modes}")
        others = {
            report.mode: {
                name: paired_bootstrap(
                    [result.metrics[name] for result in report.results],
                    [result.metrics[name] for result in base.results],
                )
                for name in METRICS
            }
            for report in reports
            if report is not base
        }
        return cls(tuple(reports), against, others)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON values."""
        return {
            "modes": {report.mode: report.to_dict() for report in self.reports},
            "against": self.against,
            "differences": {
                mode: {metric: asdict(difference) for metric, difference in found.items()}
                for mode, found in self.differences.items()
            },
        }

    def to_markdown(self) -> str:
        """Return each mode's table, and a table of differences."""
        parts = [report.to_markdown() for report in self.reports]
        if self.differences:
            lines = [
                f"Difference from `{self.against}`, 95 % interval and p (paired bootstrap)",
                "",
                f"| mode | {' | '.join(METRICS)} |",
                f"|---|{'---|' * len(METRICS)}",
            ]
            for mode, found in self.differences.items():
                lines.append(f"| {mode} | {' | '.join(_cell(found[name]) for name in METRICS)} |")
            parts.append("\n".join(lines) + "\n")
        return "\n".join(parts)

    def files(self) -> dict[str, bytes]:
        """Return `RESULTS_FILE`, a row per mode and question, and `TABLES_FILE`, for people."""
        rows = [
            {"mode": report.mode, **vars(result), **result.metrics}
            for report in self.reports
            for result in report.results
        ]
        table = pa.Table.from_pylist(rows, schema=RESULTS)
        return {RESULTS_FILE: parquet(table), TABLES_FILE: self.to_markdown().encode("utf-8")}


def parquet(table: pa.Table) -> bytes:
    """Return a table as the bytes of a Parquet file."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return bytes(sink.getvalue().to_pybytes())


def write_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files, by name, into a new or existing folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)


def _plain(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields}


def _row(name: str, scores: Scores) -> str:
    figures = [f"{scores.metrics[metric]:.3f}" for metric in METRICS]
    figures += [f"{scores.wall_ms:.1f}", f"{scores.cpu_ms:.1f}"]
    return f"| {name.replace('|', '/')} | {scores.questions} | {' | '.join(figures)} |"


def _cell(one: Difference) -> str:
    shown = f"{one.mean:+.3f} [{one.low:+.3f}, {one.high:+.3f}]"
    if one.p is None:
        return shown
    tiny = one.p < _SMALLEST_P_SHOWN
    return f"{shown} p<{_SMALLEST_P_SHOWN}" if tiny else f"{shown} p={one.p:.3f}"


# Retrieval quality: is the gold of a question among the first results?

PLACES = 10  # Length of a ranking; no figure looks further.
ALL_GOLD_PLACES = 8  # Places that must contain every gold item: the number of chunks given to a language model.
_DEPTH = 30  # Chunks first requested for each question, so that ten documents are among them.
_MILLISECONDS = 1000


def evaluate_retrieval(index: Index, questions: Sequence[Question], *, mode: str = "paper") -> RetrievalReport:
    """Search every question and compare the results with its gold.

    With gold spans, chunks are judged: a place is right if its chunk overlaps a span. With gold documents, documents
    are judged, each at the place of its best chunk; if the chunks found contain fewer than ten documents, twice as many
    are requested. Times are of the first search, after an uncounted warm-up. A mode may include the number of reranked
    chunks: `auto+50`, or `auto+0`.
    """
    return evaluate_targets(index, locate(questions, index.snapshot), mode=mode)


def evaluate_targets(index: Index, gold: Gold, *, mode: str) -> RetrievalReport:
    """Evaluate located questions as `evaluate_retrieval` does."""
    if not gold.targets:
        raise ConfigError("there are no questions to evaluate")
    name, plus, candidates = mode.partition("+")
    if plus and not candidates.isdecimal():
        raise QueryError(f"mode '{mode}': '{candidates}' is no number of chunks to read again")
    rerank = int(candidates) if plus else None

    def search(question: str, k: int = _DEPTH) -> Context:
        return index.search(question, name, k, rerank=rerank)

    search(gold.targets[0].question.question)
    results = []
    for target in gold.targets:
        wall, cpu = time.perf_counter(), time.process_time()
        context = search(target.question.question)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        hits = list(context.chunks)
        if not target.by_chunk:
            while len(hits := _one_a_document(context)) < PLACES and len(context.chunks) == context.k < MOST_CHUNKS:
                context = search(context.question, 2 * context.k)
        times = wall * _MILLISECONDS, cpu * _MILLISECONDS
        results.append(_result(gold, target, hits[:PLACES], *times))
    types = sorted({result.type for result in results})
    return RetrievalReport(
        mode=mode,
        snapshot_id=index.snapshot.snapshot_id,
        overall=Scores.of(results),
        by_type={kind: Scores.of([one for one in results if one.type == kind]) for kind in types},
        results=tuple(results),
        moved=gold.moved,
        stale=gold.stale,
    )


def _result(gold: Gold, target: Target, hits: Sequence[ChunkHit], wall_ms: float, cpu_ms: float) -> QuestionResult:
    places = [target.items(hit.chunk_id) for hit in hits]
    ranking = [gold.labels[hit.chunk_id] for hit in hits]
    if not target.by_chunk:
        ranking = [label.rpartition(":")[0] for label in ranking]
    items = len(target.gold)
    found = {item: place for place in range(len(places), 0, -1) for item in places[place - 1]}
    return QuestionResult(
        id=target.question.id,
        type=target.question.type,
        question=target.question.question,
        gold=target.gold,
        found_at=tuple(map(found.get, range(items))),
        ranking=tuple(ranking),
        metrics={
            **{f"recall@{k}": recall_at_k(places, items, k) for k in (2, 5, 10)},
            f"all_gold@{ALL_GOLD_PLACES}": all_gold_at_k(places, items, ALL_GOLD_PLACES),
            f"mrr@{PLACES}": reciprocal_rank(places),
        },
        wall_ms=wall_ms,
        cpu_ms=cpu_ms,
    )


def _one_a_document(context: Context) -> list[ChunkHit]:
    hits: dict[str, ChunkHit] = {}
    for hit in context.chunks:
        hits.setdefault(hit.document_id, hit)
    return list(hits.values())

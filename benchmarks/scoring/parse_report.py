"""The result of a parse evaluation: figures of each document, and means by kind of document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

METRICS = (
    "similarity",
    "token_f1",
    "in_order_f1",
    "heading_f1",
    "heading_level_f1",
    "cell_f1",
    "heading_recall",
    "heading_precision",
)
"""Names of the figures, in the order they are shown; see `parse_quality` for what they mean."""

_MEGABYTE = 1_000_000


@dataclass(frozen=True)
class DocumentResult:
    """One document's figures.

    Attributes:
        name: Its path below the gold folder, or its file name.
        group: Its media type, or that it is measured against its bookmarks.
        metrics: Figures by name, some of `METRICS`; None where a figure is not defined.
        pages: Pages it has, where its format has pages.
        seconds: Wall-clock seconds.
        cpu_seconds: CPU seconds of the process that parses; None where the system keeps no count.
        peak_memory_bytes: Highest memory of that process so far; None as above.
        error: Why it could not be read.
    """

    name: str
    group: str
    metrics: dict[str, float | None]
    pages: int | None = None
    seconds: float = 0.0
    cpu_seconds: float | None = None
    peak_memory_bytes: int | None = None
    error: str | None = None


@dataclass(frozen=True)
class GroupScores:
    """Means over a group of documents.

    Attributes:
        documents: How many there are.
        errors: How many of them could not be read.
        metrics: Mean of each figure over the documents for which it is defined, each weighing the same; None where it
            is defined for none.
        pages: Pages of those that have pages; None where none has.
        pages_per_core_second: Those pages per second of CPU.
        peak_memory_bytes: Highest memory of the process that parses, when the group was done.
    """

    documents: int
    errors: int
    metrics: dict[str, float | None]
    pages: int | None
    pages_per_core_second: float | None
    peak_memory_bytes: int | None

    @classmethod
    def of(cls, results: Sequence[DocumentResult]) -> GroupScores:
        """Average over documents."""
        paged = [one for one in results if one.pages]
        pages = sum(one.pages or 0 for one in paged) or None
        cpu_seconds = sum(one.cpu_seconds or 0.0 for one in paged)
        return cls(
            documents=len(results),
            errors=sum(one.error is not None for one in results),
            metrics={name: _mean(one.metrics.get(name) for one in results) for name in METRICS},
            pages=pages,
            pages_per_core_second=pages / cpu_seconds if pages and cpu_seconds else None,
            peak_memory_bytes=max(one.peak_memory_bytes or 0 for one in results) or None,
        )


@dataclass(frozen=True)
class ParseReport:
    """Figures of a parser on a set of documents.

    Attributes:
        groups: Means by group.
        results: Every document's own figures.
    """

    groups: dict[str, GroupScores]
    results: tuple[DocumentResult, ...]

    @classmethod
    def of(cls, results: Sequence[DocumentResult]) -> ParseReport:
        """Average the results by group."""
        names = sorted({one.group for one in results})
        groups = {name: GroupScores.of([one for one in results if one.group == name]) for name in names}
        return cls(groups, tuple(results))

    def to_dict(self) -> dict[str, Any]:
        """Return plain dicts, lists, texts and numbers: what JSON can carry."""
        return asdict(self) | {"results": [asdict(one) for one in self.results]}

    def to_markdown(self) -> str:
        """Return a table of the groups, then one of the documents, and what could not be read."""
        columns = [name for name in METRICS if any(g.metrics[name] is not None for g in self.groups.values())]
        groups = [
            (name, one.documents, *(one.metrics[column] for column in columns), one.pages,
             one.pages_per_core_second, _megabytes(one.peak_memory_bytes))
            for name, one in self.groups.items()
        ]  # fmt: skip
        documents = [
            (one.name, *(one.metrics.get(column) for column in columns), one.pages, one.seconds) for one in self.results
        ]
        lines = [
            *_table(("kind", "documents", *columns, "pages", "pages/s per core", "peak MB"), groups),
            "",
            *_table(("document", *columns, "pages", "seconds"), documents),
            *(f"\n{one.name}: {one.error}" for one in self.results if one.error),
        ]
        return "\n".join(lines) + "\n"


def _mean(values: Iterable[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return fmean(defined) if defined else None


def _megabytes(size: int | None) -> int | None:
    return size // _MEGABYTE if size else None


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    return lines + [f"| {' | '.join(map(_figure, row))} |" for row in rows]


def _figure(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value).replace("|", "/")

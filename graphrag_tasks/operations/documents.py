"""The outcome of each document: read, partly read, or not, why, and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.errors import DOCUMENT_ERROR_CODES
from graphrag_tasks.core.schemas import REMOVED
from graphrag_tasks.sources.listing import UNKNOWN, ending
from graphrag_tasks.storage.snapshots.store import Snapshot

_TABLES = {
    "documents": ("document_id", "uri", "content_sha256"),
    "entities": ("entity_id", "name", "name"),
    "relations": ("relation_id", "text", "weight"),
    "communities": ("community_id", "title", "member_sha256"),
}
"""Compared tables: columns of the id, the name and the content."""


@dataclass(frozen=True)
class Changes:
    """Names of rows that only the later or only the earlier snapshot has, or that differ."""

    gained: tuple[str, ...]
    lost: tuple[str, ...]
    changed: tuple[str, ...] = ()


def difference(before: Snapshot, after: Snapshot) -> dict[str, Changes]:
    """Return which documents, entities, relations and communities were gained, lost and changed.

    A document changed if its bytes did, a relation if its weight did, and a community if its members did.
    """
    return {table: _changes(before, after, table, *columns) for table, columns in _TABLES.items()}


def _changes(before: Snapshot, after: Snapshot, table: str, key: str, name: str, content: str) -> Changes:
    columns = list(dict.fromkeys((key, name, content)))
    left, right = before.table(table, columns), after.table(table, columns)
    gained = right.filter(pc.invert(pc.is_in(right[key], left[key].combine_chunks())))
    lost = left.filter(pc.invert(pc.is_in(left[key], right[key].combine_chunks())))
    old = pa.table({"key": left[key], "before": left[content]})
    new = pa.table({"key": right[key], "name": right[name], "after": right[content]})
    both = new.join(old, "key", join_type="inner")
    changed = both.filter(pc.fill_null(pc.not_equal(both["before"], both["after"]), False))
    return Changes(_names(gained[name]), _names(lost[name]), _names(changed["name"]))


def _names(column: Iterable[pa.Scalar]) -> tuple[str, ...]:
    return tuple(sorted(str(one.as_py()) for one in column))


PARTIAL = "partial"
_STATUSES = ("failed", PARTIAL, "empty", "skipped", "parsed")
"""Display order: documents that need attention come first."""

COUNTED = ("chunks", "sentences", "triples")  # Tables whose rows are counted for each document.


@dataclass(frozen=True, kw_only=True)
class DocumentReport:
    """The outcome of a document.

    Attributes:
        document_id: Its id in the snapshot's tables.
        kind: Its format; the file extension if it is not read.
        reason: What went wrong and what to do; empty if it was read.
        left_out: Counts of what is in no block, by reason.
        pages: Pages that gave text; None for formats without pages.
        encoding: Encoding of a text file; `encoding_confidence` is 0 to 1.
    """

    document_id: str
    uri: str
    kind: str
    status: str
    code: str | None
    reason: str
    left_out: dict[str, int]
    pages: int | None
    encoding: str | None
    encoding_confidence: float | None

    @property
    def is_problem(self) -> bool:
        """Whether it was not read completely."""
        return self.status != "parsed"

    @property
    def why(self) -> str:
        """The reason alone, without what to do."""
        return self.reason.partition(". ")[0]


@dataclass(frozen=True)
class Outcome:
    """What a run did, in words, and the documents that it did not read, or only in part."""

    changed: str
    unread: tuple[DocumentReport, ...]
    partly: tuple[DocumentReport, ...]


@dataclass(frozen=True)
class Problem:
    """Documents of one kind with the same problem.

    Attributes:
        meaning: Meaning of the code.
        documents: Ordered by uri.
    """

    status: str
    code: str
    kind: str
    meaning: str
    documents: tuple[DocumentReport, ...]


def document_reports(snapshot: Snapshot) -> list[DocumentReport]:
    """Return the outcome of each document, failed ones first, then by uri."""
    rows = snapshot.table("documents").to_pylist()
    rows.sort(key=lambda row: (_STATUSES.index(row["status"]), row["uri"]))
    return [
        DocumentReport(
            document_id=row["document_id"],
            uri=row["uri"],
            kind=row["media_type"] if row["media_type"] != UNKNOWN else ending(row["path"]),
            status=row["status"],
            code=row["error_code"],
            reason=(row["error_message"] or "").removeprefix(f"{row['uri']}: "),
            left_out={one["reason"]: one["count"] for one in row["left_out"] or ()},
            pages=row["pages_out"],
            encoding=row["encoding"],
            encoding_confidence=row["encoding_confidence"],
        )
        for row in rows
    ]


def outcome(after: Snapshot, before: Snapshot | None) -> Outcome:
    """Return what a run did that published a snapshot, beside the one before."""
    reports = [one for one in document_reports(after) if one.is_problem]
    unread = tuple(one for one in reports if one.status != PARTIAL)
    partly = tuple(one for one in reports if one.status == PARTIAL)
    counts = {"added": tuple(after.table("documents", ["uri"])["uri"].to_pylist())}
    if before is not None:
        found = difference(before, after)["documents"]
        counts = {"added": found.gained, "changed": found.changed, "removed": found.lost}
    passed = {one.uri for one in unread}
    read = {what: len(set(uris) - passed) for what, uris in counts.items()}
    told = [f"{number:,} {what}" for what, number in read.items() if number]
    return Outcome(", ".join(told) or "Nothing changed", unread, partly)


def problems(reports: Iterable[DocumentReport]) -> list[Problem]:
    """Return the documents that were not read completely, by status, code and kind."""

    def key(one: DocumentReport) -> tuple[int, str, str]:
        return _STATUSES.index(one.status), one.code or "", one.kind

    found = sorted(
        (report for report in reports if report.is_problem),
        key=lambda document_report: (key(document_report), document_report.uri),
    )
    return [
        Problem(
            _STATUSES[status],
            code,
            kind,
            DOCUMENT_ERROR_CODES.get(code, "").removesuffix(" (document skipped)"),
            tuple(those),
        )
        for (status, code, kind), those in groupby(found, key)
    ]


def is_unread(sources: pa.Table) -> pa.ChunkedArray:
    """Return for each listed file whether its type is not read."""
    return pc.and_(pc.not_equal(sources["change"], REMOVED), pc.equal(sources["media_type"], UNKNOWN))


def unread_kinds(sources: pa.Table) -> dict[str, int]:
    """Return the number of listed files of each type that is not read, most frequent first."""
    unread = sources.filter(is_unread(sources))
    counts = Counter(ending(path) for path in unread["path"].to_pylist())
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def row_counts(snapshot: Snapshot, tables: Iterable[str] = COUNTED) -> dict[str, Counter[str]]:
    """Return the number of rows of each document, by table and document."""
    found: dict[str, Counter[str]] = {}
    for name in tables:
        ids = snapshot.table(name, ["document_id"])["document_id"]
        counted: list[dict[str, Any]] = pc.value_counts(ids).to_pylist()
        found[name] = Counter({one["values"]: one["counts"] for one in counted})
    return found

"""Changed statements as a reader of a snapshot sees them, with their documents and releases."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.versions.chains import order_of
from graphrag_tasks.versions.changed import pairs, plain
from graphrag_tasks.versions.differences import NAME, NUMBER, VALUE

MEANT = (NUMBER, VALUE, NAME)
"""Kinds of changes that say something by themselves."""


@dataclass(frozen=True)
class Statement:
    """A sentence of a version; `release` is empty for the versions of one file."""

    text: str
    sentence_id: str
    chunk_id: str
    document_id: str
    title: str
    uri: str
    release: str


@dataclass(frozen=True)
class Change:
    """A changed statement.

    Attributes:
        kind: number, value, name or wording; added or removed for a whole sentence.
        before, after: The words that went and came; empty for none.
        older, newer: None if it was added or removed.
        count: How many statements changed in this way; these are the first.
    """

    kind: str
    before: str
    after: str
    older: Statement | None
    newer: Statement | None
    count: int = 1

    @property
    def place(self) -> str:
        """Path of the document."""
        said = self.newer or self.older
        return said.uri if said else ""


class Releases:
    """Which documents are versions of each other, and which sentences changed between them.

    Attributes:
        of: The release of each document that has versions.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        rows = snapshot.table("versions").to_pylist()
        self.of: dict[str, str] = {row["document_id"]: row["release"] for row in rows}
        self._chain_of = {row["document_id"]: row["chain_id"] for row in rows}
        newest: dict[str, str] = {}
        for document in sorted(self.of, key=lambda one: (order_of(self.of[one]), one)):
            newest[self._chain_of[document]] = document
        self._newest = newest
        columns = ["older_sentence_id", "sentence_id", "kind"]
        changed = snapshot.table("changes", columns).drop_null().to_pylist()
        self._newer = {row["older_sentence_id"]: row["sentence_id"] for row in changed}
        self._older = {
            row["sentence_id"]: row["older_sentence_id"] for row in changed if row["kind"] in MEANT
        }
        self._said: dict[str, dict[str, str]] = {}

    def versions_of(self, document_id: str) -> dict[str, str]:
        """Return the release of each version of a document, itself too, the oldest first."""
        chain = self._chain_of.get(document_id)
        found = {one: self.of[one] for one, other in self._chain_of.items() if other == chain}
        return dict(sorted(found.items(), key=lambda one: order_of(one[1]))) if chain else {}

    def newest(self, document_id: str) -> str | None:
        """Return the newest version of a document; None if there is only one."""
        return self._newest.get(self._chain_of.get(document_id, ""))

    def newest_twin(self, sentence_id: str) -> str | None:
        """Return the id of the sentence that a sentence became; None if it did not change."""
        found = None
        while sentence_id := self._newer.get(sentence_id, ""):
            found = sentence_id
        return found

    def before(self, sentence_id: str) -> str | None:
        """Return the id of what a sentence said in the version before; None for other wordings."""
        return self._older.get(sentence_id)

    def equal_in(self, document_id: str, text: str) -> str | None:
        """Return the id of a sentence of a document that says the same in the same words."""
        if document_id not in self._said:
            rows = self._snapshot.find_rows("sentences", "document_id", document_id)
            texts = map(plain, rows["text"].to_pylist())
            self._said[document_id] = dict(zip(texts, rows["sentence_id"].to_pylist(), strict=True))
        return self._said[document_id].get(plain(text))

    def up_to(self, release: str) -> dict[str, bool]:
        """Tell for each version whether it is the newest that is not newer than a release."""
        asked = order_of(release)
        found: dict[str, str] = {}
        for document in sorted(self.of, key=lambda one: (order_of(self.of[one]), one)):
            if order_of(self.of[document]) <= asked:
                found[self._chain_of[document]] = document
        return {one: found.get(chain) == one for one, chain in self._chain_of.items()}


def changes(
    snapshot: Snapshot, part: str = "", kinds: Collection[str] = MEANT
) -> tuple[Change, ...]:
    """Return what changed between versions of documents whose path or title has this part.

    The same words changed in several statements are one change with their number.
    """
    rows = snapshot.table("changes")
    rows = rows.filter(pc.is_in(rows["kind"], value_set=pa.array(list(kinds), pa.string())))
    versions = snapshot.table("versions", ["document_id", "release"]).to_pylist()
    releases = {row["document_id"]: row["release"] for row in versions}
    ids = [*rows["older_sentence_id"].to_pylist(), *rows["sentence_id"].to_pylist()]
    said = _statements(snapshot, filter(None, ids), releases)
    found = [
        Change(row["kind"], row["before"], row["after"],
               said.get(row["older_sentence_id"]), said.get(row["sentence_id"]))
        for row in rows.to_pylist()
    ]  # fmt: skip
    return tuple(_folded(one for one in found if _has(one, part)))


def changes_between(
    before: Snapshot, after: Snapshot, part: str = "", kinds: Collection[str] = MEANT
) -> tuple[Change, ...]:
    """Return what changed in documents of one path from one snapshot to another."""
    columns = ["document_id", "content_sha256"]
    old, new = (
        dict(zip(*(one.table("documents", columns)[name].to_pylist() for name in columns),
                 strict=True))
        for one in (before, after)
    )  # fmt: skip
    edited = sorted(one for one in old.keys() & new.keys() if old[one] != new[one])
    lists = [_of_documents(one, edited) for one in (before, after)]
    found = []
    for document in edited:
        left, right = (said.get(document, []) for said in lists)
        for pair in pairs([one.text for one in left], [one.text for one in right]):
            if pair.kind in kinds:
                ends = (left[pair.older], right[pair.newer])
                found.append(Change(pair.kind, pair.before, pair.after, *ends))
    return tuple(_folded(one for one in found if _has(one, part)))


def since(after: Snapshot, before: Snapshot | None) -> str:
    """Return in words how many statements of edited documents changed; "" for none."""
    count = sum(one.count for one in changes_between(before, after)) if before else 0
    statements = "statement" if count == 1 else "statements"
    return f"{count:,} {statements} changed in edited documents" if count else ""


def _has(change: Change, part: str) -> bool:
    wanted = part.casefold()
    ends = [one for one in (change.older, change.newer) if one]
    return any(wanted in one.uri.casefold() or wanted in one.title.casefold() for one in ends)


def _folded(found: Iterable[Change]) -> Iterator[Change]:
    """Yield each change once, with the number of statements that changed so, by document."""
    first: dict[tuple[Any, ...], Change] = {}
    for one in sorted(found, key=lambda one: one.place):
        said = one.newer or one.older
        key: tuple[Any, ...] = (one.kind, one.before.casefold(), one.after.casefold())
        if not (one.before or one.after):
            key = (*key, said.sentence_id if said else "")
        known = first.get(key)
        first[key] = replace(known, count=known.count + 1) if known else one
    yield from first.values()


def _of_documents(snapshot: Snapshot, documents: Sequence[str]) -> dict[str, list[Statement]]:
    """Return the sentences of documents, each once, in reading order."""
    rows = snapshot.table("sentences", ["document_id", "sentence_id", "char_start"])
    rows = rows.filter(pc.is_in(rows["document_id"], value_set=pa.array(documents, pa.string())))
    said = _statements(snapshot, rows["sentence_id"].to_pylist(), {})
    found: dict[str, dict[int, Statement]] = {}
    for row in rows.sort_by("char_start").to_pylist():
        own = found.setdefault(row["document_id"], {})
        own.setdefault(row["char_start"], said[row["sentence_id"]])
    return {document: list(own.values()) for document, own in found.items()}


def _statements(
    snapshot: Snapshot, ids: Iterable[str], releases: Mapping[str, str]
) -> dict[str, Statement]:
    columns = ["sentence_id", "chunk_id", "document_id", "text"]
    rows = snapshot.table("sentences", columns)
    wanted = pa.array(sorted(set(ids)), pa.string())
    rows = rows.filter(pc.is_in(rows["sentence_id"], value_set=wanted))
    documents = snapshot.table("documents", ["document_id", "title", "uri"]).to_pylist()
    about = {row["document_id"]: row for row in documents}
    return {
        row["sentence_id"]: Statement(
            row["text"], row["sentence_id"], row["chunk_id"], row["document_id"],
            about[row["document_id"]]["title"], about[row["document_id"]]["uri"],
            releases.get(row["document_id"], ""),
        )
        for row in rows.to_pylist()
    }  # fmt: skip

"""Changed statements as a reader of a snapshot sees them, with their documents and releases."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.versions.chains import NAME, NUMBER, VALUE, order_of, pairs, plain

MEANT = (NUMBER, VALUE, NAME)  # Kinds of changes that say something by themselves.


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

    @property
    def marked(self) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
        """Both texts in parts, each with whether it changed; a text that came or went changed as a whole."""
        old, new = (_TOKEN.findall(one.text) if one else [] for one in (self.older, self.newer))
        same = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        sides = []
        for text, starts in zip((old, new), ([one.a for one in same], [one.b for one in same]), strict=True):
            parts, at = [], 0
            for start, block in zip(starts, same, strict=True):
                parts += [("".join(text[at:start]), True), ("".join(text[start : start + block.size]), False)]
                at = start + block.size
            sides.append([part for part in parts if part[0]])
        return sides[0], sides[1]


_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


class Releases:
    """Which documents are versions of each other, and what became of a sentence in the next one.

    Sentences are looked up by their words, as chunks that overlap hold one twice.

    Attributes:
        of: The release of each document that has versions.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        rows = snapshot.table("versions").to_pylist()
        self.of: dict[str, str] = {row["document_id"]: row["release"] for row in rows}
        chains: dict[str, list[str]] = {}
        for row in rows:  # of each chain the oldest first
            chains.setdefault(row["chain_id"], []).append(row["document_id"])
        self._chains = list(chains.values())
        self._chain_of = {document: chain for chain in self._chains for document in chain}
        self._said: dict[str, _Said] = {}

    def versions_of(self, document_id: str) -> dict[str, str]:
        """Return the release of each version of a document, itself too, the oldest first."""
        return {one: self.of[one] for one in self._chain_of.get(document_id, ())}

    def newest(self, document_id: str) -> str | None:
        """Return the newest version of a document; None if there is only one."""
        chain = self._chain_of.get(document_id)
        return chain[-1] if chain else None

    def newest_of(self, document_id: str, text: str) -> str | None:
        """Return the id of what a sentence is in the newest version; None if it is gone."""
        chain, said = self._chain_of[document_id], plain(text)
        found = self._said_in(document_id).ids.get(said)
        for document in chain[chain.index(document_id) + 1 :]:
            other = self._said_in(document)
            became = other.older.get(said)
            found = became[0] if became else other.ids.get(said)
            if found is None:
                return None
            said = other.texts[found]
        return found

    def before(self, document_id: str, text: str) -> tuple[str, str] | None:
        """Return the document and id of what a sentence said before it last changed.

        None if it did not change, was added, or only has other words.
        """
        chain, said = self._chain_of[document_id], plain(text)
        place = chain.index(document_id)
        for document, older in zip(chain[place:0:-1], chain[place - 1 :: -1], strict=False):
            was = self._said_in(document).newer.get(said)
            if was is None and said not in self._said_in(older).ids:
                return None
            if was is not None:
                old, kind = was
                if kind in MEANT:
                    return older, old
                said = self._said_in(older).texts[old]
        return None

    def up_to(self, release: str) -> dict[str, bool]:
        """Tell for each version whether it is the newest that is not newer than a release."""
        asked = order_of(release)
        kept: set[str] = set()
        for chain in self._chains:
            kept.update([one for one in chain if order_of(self.of[one]) <= asked][-1:])
        return {document: document in kept for document in self.of}

    def _said_in(self, document_id: str) -> _Said:
        """Return the sentences of a document, and what they were in the version before."""
        if document_id not in self._said:
            rows = self._snapshot.find_rows("sentences", "document_id", document_id).to_pylist()
            made = _Said({}, {row["sentence_id"]: plain(row["text"]) for row in rows}, {}, {})
            for sentence, text in made.texts.items():
                made.ids.setdefault(text, sentence)
            self._said[document_id] = made
            changed = self._snapshot.find_rows("changes", "document_id", document_id).to_pylist()
            for row in changed:
                old, new = row["older_sentence_id"], row["sentence_id"]
                if old and new:
                    older = self._said_in(row["older_document_id"])
                    made.older[older.texts[old]] = (new, row["kind"])
                    made.newer[made.texts[new]] = (old, row["kind"])
        return self._said[document_id]


@dataclass(frozen=True)
class _Said:
    """Sentences of a document: ids by words, words by id, and changes since the version before.

    `older` and `newer` have the other sentence's id and the kind, by the words before and after.
    """

    ids: dict[str, str]
    texts: dict[str, str]
    older: dict[str, tuple[str, str]]
    newer: dict[str, tuple[str, str]]


def changes(snapshot: Snapshot, part: str = "", kinds: Collection[str] = MEANT) -> tuple[Change, ...]:
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
    if not edited:  # most nights; sentences need not be read
        return ()
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


def _statements(snapshot: Snapshot, ids: Iterable[str], releases: Mapping[str, str]) -> dict[str, Statement]:
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

"""Corpus for making questions: the sentences, facts and names of a visible snapshot."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from graphrag_tasks.graph.relation_kinds import FACT, kind_of
from graphrag_tasks.storage.snapshots.store import Snapshot

WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")

_LEGAL = re.compile(r"licen[cs]e|copying|copyright|legal|fdl|gpl\b|changelog|contributors", re.I)
"""Titles and paths of legal texts that ship with documents."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of a document, with offsets as in `schemas`."""

    sentence_id: str
    chunk_id: str
    document_id: str
    text: str
    char_start: int
    char_end: int
    has_verb: bool


@dataclass(frozen=True)
class Entity:
    """A graph node, with the attributes that questions need."""

    entity_id: str
    name: str
    type: str | None
    type_source: str | None
    is_named: bool
    is_term: bool
    chunks: int


@dataclass(frozen=True)
class Fact:
    """An asserted fact of an entity: not negated, conditional or an association.

    The tail is an entity, or the text of an attribute's value.
    """

    relation_id: str
    head_id: str
    relation: str
    tail_id: str
    confidence: float
    frame_id: str
    head_start: int


class Corpus:
    """A snapshot read for making questions.

    With access labels, `snapshot` is what `visibility.visible` lets through.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        documents = snapshot.table("documents", ["document_id", "uri", "path", "title"]).to_pylist()
        self.uris: dict[str, str] = {row["document_id"]: row["uri"] for row in documents}
        self.paths: dict[str, str] = {row["document_id"]: row["path"] for row in documents}
        self._legal = {row["document_id"] for row in documents if _LEGAL.search(f"{row['title']} {row['path']}")}
        columns = ["chunk_id", "is_reference", "heading_path"]
        self._passed_over = {
            row["chunk_id"]
            for row in snapshot.table("chunks", columns).to_pylist()
            if row["is_reference"] or any(map(_LEGAL.search, row["heading_path"]))
        }
        columns = [field.name for field in fields(Sentence)]
        rows = snapshot.table("sentences", columns).to_pylist()
        self.sentences: dict[str, Sentence] = {row["sentence_id"]: Sentence(**row) for row in rows}

    def is_passed_over(self, sentence: Sentence) -> bool:
        """Tell whether a sentence is in a licence, a table of contents or a bibliography."""
        return sentence.document_id in self._legal or sentence.chunk_id in self._passed_over

    def is_legal(self, document_id: str) -> bool:
        """Tell whether a document is a licence or similar."""
        return document_id in self._legal

    @cached_property
    def entities(self) -> Mapping[str, Entity]:
        """All entities by id."""
        columns = ["entity_id", "name", "type", "type_source", "is_named", "is_term", "chunks"]
        rows = self._snapshot.table("entities", columns).to_pylist()
        return {row["entity_id"]: Entity(**row) for row in rows}

    @cached_property
    def facts(self) -> Mapping[str, Sequence[Fact]]:
        """The facts of each frame, by frame id: edges and attributes."""
        columns = ["relation_id", "head_id", "relation", "tail_id", "kind", "negated", "confidence"]
        relations = {
            row["relation_id"]: row
            for row in self._snapshot.table("relations", columns).to_pylist()
            if row["kind"] == FACT and not row["negated"]
        }
        columns = ["triple_id", "frame_id", "head_start", "conditional", "negated"]
        frames = {
            row["triple_id"]: (row["frame_id"], row["head_start"])
            for row in self._snapshot.table("triples", columns).to_pylist()
            if not (row["conditional"] or row["negated"])
        }
        found: dict[str, list[Fact]] = defaultdict(list)
        for row in self._snapshot.table("evidence", ["relation_id", "triple_id"]).to_pylist():
            known, frame = relations.get(row["relation_id"]), frames.get(row["triple_id"])
            if known and frame:
                found[frame[0]].append(
                    Fact(row["relation_id"], known["head_id"], known["relation"],
                         known["tail_id"], known["confidence"], *frame)
                )  # fmt: skip
        columns = ["triple_id", "entity_id", "relation", "value", "negated", "is_head", "confidence"]
        for row in self._snapshot.table("attributes", columns).to_pylist():
            frame = frames.get(row["triple_id"])
            is_fact = kind_of(row["relation"], conditional=False) == FACT
            if frame and is_fact and not (row["negated"] or row["is_head"]):
                value = f"value {row['value'].casefold()}"
                found[frame[0]].append(
                    Fact(f"{row['entity_id']} {row['relation']} {value}", row["entity_id"],
                         row["relation"], value, row["confidence"], *frame)
                )  # fmt: skip
        return found

    def frames(self) -> Iterator[Mapping[str, Any]]:
        """Yield the frames ordered by document and sentence."""
        columns = ["frame_id", "sentence_id", "predicate", "predicate_lemma", "start", "end",
                   "arguments", "negated", "modality", "passive", "rule"]  # fmt: skip
        rows = self._snapshot.table("frames", columns).to_pylist()
        place = {sentence: number for number, sentence in enumerate(self.sentences)}
        rows = [row for row in rows if row["sentence_id"] in place]
        yield from sorted(rows, key=lambda row: (place[row["sentence_id"]], row["start"]))

    def rows(self, table: str, columns: list[str]) -> list[dict[str, Any]]:
        """Return columns of another table of the snapshot."""
        return list(self._snapshot.table(table, columns).to_pylist())

    @cached_property
    def sentences_of(self) -> Mapping[str, Sequence[Sentence]]:
        """The sentences of each document, in order."""
        found: dict[str, list[Sentence]] = defaultdict(list)
        for sentence in self.sentences.values():
            found[sentence.document_id].append(sentence)
        return {key: sorted(some, key=lambda one: one.char_start) for key, some in found.items()}

    @cached_property
    def text(self) -> str:
        """All sentences in lower case, one per line, for searching names."""
        return "\n".join(" ".join(sentence.text.split()) for sentence in self.sentences.values()).casefold()

    @cached_property
    def _words(self) -> Counter[str]:
        return Counter(word for sentence in self.sentences.values() for word in WORD.findall(sentence.text)[1:])

    @cached_property
    def _capitals(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for word, count in self._words.items():
            if not word.islower():
                found[word.casefold()] += count
        return found

    def is_common(self, word: str) -> bool:
        """Tell whether the corpus mostly writes a word in lower case."""
        lower = word[:1].lower() + word[1:]
        if lower == word:
            return True
        return word[1:].islower() and self._words[lower] > self._capitals[word.casefold()]

    def decapitalised(self, text: str) -> str:
        """Return the beginning of a sentence as written inside one."""
        word = re.match(r"[^\W\d_]+", text)
        if word and len(word[0]) < 2 and word[0] != "A":
            return text
        if word and word[0] not in ("A", "An", "The") and re.match(r"\S+ [A-Z][a-z]", text):
            return text  # a name of several words
        if word and (word[0] in ("A", "An", "The") or self.is_common(word[0])):
            return text[0].lower() + text[1:]
        return text

    def lowered(self, words: str) -> str:
        """Return a heading's words in lower case; names and quotations stay."""

        def lower(run: re.Match[str]) -> str:
            parts = re.findall(r"[^\W\d_]+", run[0])
            if run[0][0] in '"“' or not all(map(self.is_common, parts)):
                return run[0]
            return run[0].lower()

        return re.sub(r"[\"“][^\"”]*[\"”]|\b[A-Z]\w*(?:[ -][A-Z]\w*)*", lower, words)

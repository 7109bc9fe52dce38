"""Homonyms: one-word names with different meanings in different documents.

One sense per document (Gale, Church and Yarowsky, "One sense per discourse", 1992). Documents that
share words form a group; two groups that share almost none are two senses where the texts give
evidence: another long form, another kind, or a proper name here and a common noun there. Different
context words alone do not split a name.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.core.schemas import DOUBTED
from graphrag_tasks.entities.resolve.acronyms import abbreviates
from graphrag_tasks.entities.words import any_of, words
from graphrag_tasks.language.forms import singular_noun
from graphrag_tasks.language.general_english import shares_of_nouns
from graphrag_tasks.storage.sql import BATCH_ROWS, Connection, id_of, statements

ACRONYM, KIND, TYPE, CASE = "acronym", "kind", "type", "case"
"""Evidence for senses: different long forms, different kinds, a person and a place of which one
has a kind, or a proper name and a common noun."""

PERSON, PLACE, NOUN = "person", "place", "noun"
"""Labels of senses without a long form or kind."""

_SHARED = 0.05
"""Cosine of the words of two documents from which both are taken to mean the same thing."""
_COMMON = 9.0
"""Bits of a word that tells nothing of its context: one of the fifty most frequent of English."""
_FEWEST = 2
"""Fewest mentions with a label, or with a capital, that count as evidence: one may be an error."""
_FEWEST_WORDS = 10
"""Fewest telling words in the context of a sense; a single line is too little evidence."""
_MOST_DOCUMENTS = 400
"""Most documents of a name to split, as all pairs of them are compared."""
_UNSEEN = 2e-6
"""Share in general English of a word that its vocabulary lacks."""

_NAME = r"\p{L}[\p{L}\p{N}_+#-]*"
_SQL = statements(
    __package__,
    "senses.sql",
    entity_id=id_of("entity", "key"),
    places=("GPE", "LOC"),
    doubted=DOUBTED,
    token=_NAME,
    openers=f"(?i){any_of('prepositions')}|{any_of('breaks_of_names')}",
    is_a=rf"(?:^|[,;:] )((?:\p{{L}}+ ){{0,3}})({_NAME}) (?:\([^()]*\) )?"
    rf"(?:is|was) (?:an?|the|one of the) (.+)$",
    may_tell=" (?:is|was) (?:an?|the|one of the) ",
    beside=r"\b(?:[Tt]he|[Aa]n?) \p{Ll}{3,} \p{Lu}[\p{L}\p{N}_+#-]*",
    defined=r"(?:[\p{L}\p{N}-]+ ){1,8}\(\p{Lu}[\p{L}\p{N}]{1,7}\)",
)
_END_OF_NOUN = re.compile(
    rf"[,;.:()]| (?:{any_of('prepositions')}|{any_of('breaks_of_names')})(?: |$)"
)
_NO_SUBJECT = re.compile(rf"\b{any_of('prepositions')} |(?<!^)[A-Z]|^(?!The |An? )[A-Z]\w* $")
"""Text before a name that is not a subject, or is the end of a longer name."""
_EMPTY = words("nouns_of_parts")
_CLASSES = frozenset({"class", "form", "kind", "sort", "type"})
"""Nouns whose "of" leads to the kind: "a kind of bird"."""


@dataclass(frozen=True, slots=True)
class Sense:
    """A sense of a name.

    Attributes:
        word: The name as most of its mentions are written.
        label: Distinguishes it from the others: long form, kind, type, or that it is a noun.
        kind: The kind that the texts state, if any.
        long: The long form of an acronym, in small letters, if any.
        documents: Documents that use the name in this sense.
        told_by: Evidence that separates it from the senses before it; None for the first.
        shared: Highest cosine of its documents with those of other senses.
    """

    word: str
    label: str
    kind: str | None
    long: str | None
    documents: Sequence[str]
    told_by: str | None
    shared: float

    @property
    def name(self) -> str:
        """The name with its sense in brackets."""
        return f"{self.word} ({self.label})"


@dataclass(slots=True, eq=False)
class _Group:
    """Documents that share words, with their evidence on a name and its spellings."""

    documents: list[str] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    longs: Counter[str] = field(default_factory=Counter)
    spellings: Counter[str] = field(default_factory=Counter)
    capitals: int = 0
    types: Counter[str] = field(default_factory=Counter)

    def add(self, other: _Group) -> None:
        self.documents += other.documents
        self.rows += other.rows
        for mine, more in (
            (self.kinds, other.kinds), (self.longs, other.longs), (self.types, other.types),
            (self.spellings, other.spellings),
        ):  # fmt: skip
            mine.update(more)
        self.capitals += other.capitals

    @property
    def tells(self) -> bool:
        """Whether the group has evidence that could separate a sense."""
        return bool(self.longs or self.kinds or self.type) or self.is_noun is not None

    @property
    def type(self) -> str | None:
        """The majority type of its labels, person or place; None where the labels are few."""
        told = _most(self.types)
        return told if told and self.types[told] >= _FEWEST else None

    @property
    def is_noun(self) -> bool | None:
        """Whether the group writes the name as a common noun or a proper name; None: unclear."""
        is_small = any(map(str.islower, self.spellings))
        return None if is_small == bool(self.capitals) else is_small

    def differs(self, other: _Group) -> str | None:
        """Return the evidence that two groups mean different things, or None."""
        if self.longs and other.longs:
            return None if _words_of(self.longs) & _words_of(other.longs) else ACRONYM
        if self.kinds and other.kinds:
            return None if self.kinds.keys() & other.kinds.keys() else KIND
        if (self.kinds or other.kinds) and {self.type, other.type} == {PERSON, PLACE}:
            return TYPE
        for name, noun in ((self, other), (other, self)):
            if name.kinds and name.is_noun is False and noun.is_noun:
                return CASE if min(name.capitals, noun.spellings.total()) >= _FEWEST else None
        return None


def find_senses(connection: Connection, kinds: Iterable[str]) -> dict[str, list[Sense]]:
    """Return the senses of ambiguous entities, the sense of most mentions first.

    Args:
        connection: Knows `names`, `sentences`, and the entities of names that were `decided`.
        kinds: Words that give the kind of the name after them: "table ORDER".
    """
    connection.execute(_SQL["words"])
    said: dict[str, dict[str, _Group]] = defaultdict(lambda: defaultdict(_Group))
    known = set(kinds)
    for entity, document, before, text, count in connection.sql(_SQL["told"]).fetchall():
        if (kind := kind_said(text)) and not _NO_SUBJECT.search(before):
            said[entity][document].kinds[kind] += count
            known.add(kind)
    connection.register("kinds", pa.table({"kind": pa.array(sorted(known), pa.string())}))
    for entity, document, kind, count in connection.sql(_SQL["beside"]).fetchall():
        said[entity][document].kinds[singular_noun(kind)] += count
    for entity, document, short, text in connection.sql(_SQL["defined"]).fetchall():
        if long := long_form(short, text):
            said[entity][document].longs[long] += 1
    for entity, document, is_place, count in connection.sql(_SQL["labelled"]).fetchall():
        said[entity][document].types[PLACE if is_place else PERSON] += count
    _ask(connection, said)
    connection.execute(_SQL["places"])
    for entity, document, token, mentions, capitals in connection.sql(_SQL["spelled"]).fetchall():
        group = said[entity][document]
        group.documents = [document]
        group.spellings[token] += mentions
        group.capitals += capitals
    doubted = {
        entity: placed
        for entity, groups in said.items()
        if (placed := [groups[one] for one in sorted(groups) if groups[one].documents])
        and len(placed) <= _MOST_DOCUMENTS
        and _may_differ(placed)
    }
    _ask(connection, doubted)
    found = {
        entity: _senses(doubted[entity], _company(doubted[entity], counted))
        for entity, counted in _by_entity(
            connection.sql(_SQL["company"]).to_arrow_reader(BATCH_ROWS)
        )
    }
    return {entity: senses for entity, senses in found.items() if len(senses) > 1}


def _ask(connection: Connection, entities: Iterable[str]) -> None:
    connection.register("asked", pa.table({"entity_id": pa.array(sorted(entities), pa.string())}))


def kind_said(text: str) -> str | None:
    """Return the head noun of a definition, or None if it gives no kind.

    "smallest planet of the solar system" is a planet, "kind of bird" a bird.
    """
    part, _, rest = text.partition(" of ")
    if part.split(" ")[-1] in _CLASSES and rest:
        return kind_said(rest)
    found = [word for word in _END_OF_NOUN.split(text)[0].split(" ") if word]
    while len(found) > 1 and found[-1].endswith("ed"):  # "file created by"
        found.pop()
    noun = singular_noun(found[-1].lower()) if found else ""
    return noun if noun.isalpha() and len(noun) > 1 and noun not in _EMPTY else None


def long_form(short: str, text: str) -> str | None:
    """Return the shortest end of a text, in words, that has the letters of an acronym."""
    parts = text.split(" ")
    for start in reversed(range(len(parts))):
        long = " ".join(parts[start:])
        if long[:1] == short[:1] and len(long) > len(short) and abbreviates(short, long):
            return long
    return None


def _words_of(longs: Iterable[str]) -> set[str]:
    return {singular_noun(word) for long in longs for word in long.split(" ")}


def _may_differ(groups: Collection[_Group]) -> bool:
    telling = [group for group in groups if group.kinds or group.longs]
    return any(one.differs(other) for one in telling for other in groups)


def _by_entity(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, pa.Table]]:
    """Yield the rows of each entity; rows of one entity are adjacent."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        ids = batch["entity_id"].dictionary_encode().indices.to_numpy()
        ends = np.flatnonzero(np.diff(ids)) + 1
        for start, end in pairwise([0, *ends.tolist(), len(ids)]):
            part = batch.slice(start, end - start)
            if held and held[0]["entity_id"][0] != part["entity_id"][0]:
                yield held[0]["entity_id"][0].as_py(), pa.Table.from_batches(held)
                held = []
            held.append(part)
    if held:
        yield held[0]["entity_id"][0].as_py(), pa.Table.from_batches(held)


@lru_cache(maxsize=1 << 17)
def _noun_and_bits(word: str) -> tuple[str, float]:
    """Return a word in the singular, and its weight as context in bits."""
    noun = singular_noun(word)
    return noun, max(-math.log2(shares_of_nouns().get(noun, 0.0) + _UNSEEN) - _COMMON, 0.0)


def _company(documents: Sequence[_Group], counted: pa.Table) -> _Company:
    """Return the context words of a name in its documents, from their counts."""
    found = counted["word"].combine_chunks().dictionary_encode()
    told = list(map(_noun_and_bits, found.dictionary.to_pylist()))
    bits = dict(told)
    columns = {noun: column for column, noun in enumerate(sorted(bits))}
    column_of = np.array([columns[noun] for noun, _ in told], np.int64)
    row_of = {document.documents[0]: row for row, document in enumerate(documents)}
    rows = np.array([row_of[one] for one in counted["document_id"].to_pylist()], np.int64)
    counts = np.zeros((len(documents), len(columns)))
    np.add.at(counts, (rows, column_of[found.indices.to_numpy()]), counted["count"].to_numpy())
    return _Company(np.log2(1 + counts) * np.array([bits[noun] for noun in columns]))


class _Company:
    """Weights of the words near a name, a row for each of its documents."""

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self._weights = weights
        lengths = np.linalg.norm(weights, axis=1, keepdims=True)
        unit = weights / np.maximum(lengths, np.finfo(float).tiny)
        self.cosines = np.round(unit @ unit.T, 4)

    def shared(self, one: _Group, other: _Group) -> float:
        """Return the highest cosine of a document of one group with one of another."""
        return float(self.cosines[np.ix_(one.rows, other.rows)].max())

    def words(self, group: _Group) -> int:
        """Return the number of context words with any weight in a group."""
        return int(np.count_nonzero(self._weights[group.rows].sum(axis=0)))


def _senses(documents: Sequence[_Group], company: _Company) -> list[Sense]:
    """Return the senses of a name by evidence and shared words; none where it has only one."""
    for row, document in enumerate(documents):
        document.rows.append(row)
    groups = _joined(documents, company)
    senses: list[_Group] = []
    told_by: list[str | None] = []
    others: list[_Group] = []
    for group in groups:
        told = [group.differs(sense) for sense in senses]
        if all(told) and group.tells and company.words(group) >= _FEWEST_WORDS:
            senses.append(group)
            told_by.append(told[0] if told else None)
        else:
            others.append(group)
    for group, home in [(group, _nearest(group, senses, company)) for group in others]:
        if home:
            home.add(group)
    return [
        Sense(
            word=_most(sense.spellings) or "",
            label=_most(sense.longs) or _most(sense.kinds) or sense.type or NOUN,
            kind=_most(sense.kinds),
            long=_most(sense.longs),
            documents=sorted(sense.documents),
            told_by=why,
            shared=max(
                (company.shared(sense, other) for other in senses if other is not sense), default=0
            ),
        )
        for sense, why in zip(senses, told_by, strict=True)
    ]


def _joined(documents: Sequence[_Group], company: _Company) -> list[_Group]:
    """Return the groups of documents linked by shared words, the largest group first."""
    near = company.cosines >= _SHARED
    waiting = np.ones(len(documents), bool)
    groups = []
    while waiting.any():
        reached = np.zeros(len(documents), bool)
        front = [int(waiting.argmax())]
        while len(front):
            reached[front] = True
            front = np.flatnonzero(near[front].any(axis=0) & ~reached).tolist()
        waiting &= ~reached
        group = _Group()
        for row in np.flatnonzero(reached).tolist():
            group.add(documents[row])
        groups.append(group)
    return sorted(groups, key=lambda one: (-one.spellings.total(), one.rows))


def _nearest(group: _Group, senses: Sequence[_Group], company: _Company) -> _Group | None:
    """Return the sense nearest to a group: no conflict, then context, then spelling; or None."""
    return max(
        senses,
        key=lambda one: (
            not group.differs(one), company.shared(group, one), one.is_noun == group.is_noun
        ),
        default=None,
    )  # fmt: skip


def _most(counts: Counter[str]) -> str | None:
    return min(counts, key=lambda one: (-counts[one], one), default=None)

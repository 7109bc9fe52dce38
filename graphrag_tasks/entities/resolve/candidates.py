"""Block and score: candidate pairs of names for one entity, each with its rules.

Only names that share something are compared: a name meets the others of its canonical form (`canonical`), and the names
that a pair rule below derives from it. So the work grows with the number of names, not with its square.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, Final, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.entities.resolve.rules import (
    ACRONYM_RULE,
    INITIALS_RULE,
    PERSON_RULE,
    ROW_RULE,
    SHORT_RULE,
    VENDOR_RULE,
    Tie,
    Ties,
    is_within,
    stood_for,
)
from graphrag_tasks.language.domain import Domain
from graphrag_tasks.language.names import (
    JOINED_ONLY_WITHOUT,
    american,
    is_call,
    joined,
    singular,
    straight,
    unaccented,
    unbracketed,
)
from graphrag_tasks.storage.sql import BATCH_ROWS, Connection, Rows, add_rows, statements

_Steps = Sequence[tuple[str, Callable[[str], str]]]


class CanonicalForms:
    """Canonical forms of names, by the plurals of abbreviations."""

    def __init__(self, plurals: Mapping[str, str]) -> None:
        self._steps: _Steps = (
            ("brackets", unbracketed),
            ("apostrophe", straight),
            ("accents", unaccented),
            ("spelling", american),
            ("number", partial(singular, plurals=plurals)),
            ("spacing", joined),
        )

    def of(self, key: str) -> str:
        """Return the canonical form of a name; a call in code stays as it is."""
        return key if is_call(key) else _after(self._steps, key)

    def of_all(self, keys: pa.Array[Any]) -> pa.Array[Any]:
        """Return the canonical form of each name; most only join their words, done in bulk."""
        changed = pc.match_substring_regex(keys, JOINED_ONLY_WITHOUT)
        others = pa.array(map(self.of, keys.filter(changed).to_pylist()), pa.string())
        return pc.replace_with_mask(pc.replace_substring(keys, " ", ""), changed, others)

    def needed(self, left: str, right: str) -> tuple[str, ...]:
        """Return the rules without which the forms of two names would differ."""
        needed = []
        for place, (rule, step) in enumerate(self._steps, 1):
            before = left, right
            left, right = step(left), step(right)
            others = self._steps[place:]
            if before != (left, right) and len({_after(others, one) for one in before}) > 1:
                needed.append(rule)
        return tuple(needed)


def _after(steps: _Steps, key: str) -> str:
    for _, step in steps:
        key = step(key)
    return key


@dataclass(frozen=True, slots=True)
class Name:
    """A normalised name, with the columns of `schemas.NAMES`."""

    key: str
    name: str
    type: str | None
    mentions: int
    is_term: bool = False


class Confirmer(Protocol):
    """Judges the pairs that the rules leave open, such as a language model does.

    It is asked once for all pairs of a run, in the order of their keys, and after the rules; a guard keeps a pair apart
    whatever the answer.

    Attributes:
        fingerprint: Identifies model, prompt and version, on which answers depend.
    """

    fingerprint: str

    def confirm(
        self, pairs: Sequence[tuple[Name, Name]], contexts: Mapping[str, Sequence[str]]
    ) -> Sequence[bool | None]:
        """Return for each pair whether both names are the same thing; None leaves the pair open.

        `contexts` has statements about the names, by their keys.
        """
        ...


@dataclass(frozen=True, slots=True)
class CandidatePair:
    """A candidate pair of names, by their keys; `left` is the more frequent name.

    `score` is the probability that both are the same entity, by the rules that tie them.
    """

    left: str
    right: str
    rules: tuple[str, ...]
    score: float


_OPEN: Final = "ambiguous"

SCORES: Final[Mapping[str, float]] = {
    "brackets": 0.97,
    "apostrophe": 0.98,
    "accents": 0.97,
    "spelling": 0.98,
    "number": 0.98,
    "spacing": 0.97,
    ACRONYM_RULE: 0.95,
    INITIALS_RULE: 0.92,
    PERSON_RULE: 0.91,  # 26 of 26 in four offices, 20 of 25 in HotpotQA and MuSiQue
    _OPEN: 0.6,  # a short form that may stand for something else
    ROW_RULE: 0.96,  # 58 of 60
    SHORT_RULE: 0.9,  # 18 of 20
    VENDOR_RULE: 0.95,  # 38 of 40
    "kind": 0.95,
}
"""Precision of each rule on the labelled pairs; the scores of several rules are combined."""

_JOINING = re.compile(r"\b(?:and|as|by|for|from|in|of|on|or|to|with)\b")
_CODE_SHAPE = re.compile(r"[A-Z0-9/_]*(?:[A-Z]{2}|[A-Z][0-9]|[0-9][A-Z])[A-Z0-9/_]*|[A-Z][A-Z0-9]*-[0-9]+")


def candidates(
    names: Mapping[str, Name], ties: Ties, canonical: CanonicalForms, shorter_names: ShorterNames
) -> list[CandidatePair]:
    """Return every pair of names that some rule ties, sorted by their keys.

    Args:
        names: All names by their keys, or those of `selection.comparable_names`.
        ties: Pairs that the corpus ties.
        canonical: Canonical forms of the names.
        shorter_names: Removes kinds from the names.
    """
    found: dict[tuple[str, str], CandidatePair] = {}
    pairs = [
        *_by_form(names, canonical),
        *_by_kind(names, shorter_names),
        *_short_forms(names, ties.short_forms, canonical),
        *chain.from_iterable(_pair(names, *tie) for tie in ties.names),
    ]
    for left, right, rules in pairs:
        score = 1.0
        for rule in rules:
            score *= SCORES[rule]
        known = found.get((left, right))
        if known is None or known.score < score:
            found[left, right] = CandidatePair(left, right, rules, score)
    return [found[pair] for pair in sorted(found)]


_Pair = tuple[str, str, tuple[str, ...]]


def _by_form(names: Mapping[str, Name], canonical: CanonicalForms) -> Iterator[_Pair]:
    groups: dict[str, list[str]] = defaultdict(list)
    forms = canonical.of_all(pa.array(list(names), pa.string())).to_pylist()
    for key, form in zip(names, forms, strict=True):
        groups[form].append(key)
    for group in groups.values():
        if len(group) > 1:
            first, *others = sorted(group, key=lambda key: _rank(names[key]))
            yield from ((first, other, canonical.needed(first, other)) for other in others)


class ShorterNames:
    """Removes the kind from names, by a domain's words for kinds."""

    def __init__(self, domain: Domain) -> None:
        kind = domain.any_kind
        self._kind = re.compile(rf"(?:{domain.any_qualifier} )*{kind} (\S+)")
        # With up to three words before it, and what is clearly a code: "two status tables VBUK".
        self._described_kind = re.compile(
            rf"(?:[a-z]+ ){{1,3}}{kind} (?=\S*[0-9_])(\S+)"
            r"|(?!internal )(?:[a-z]+ ){1,3}tables? (\w{4,})"
        )

    def of(self, name: Name) -> str | None:
        """Return the key of a name without its kind, or None where it has none."""
        if name.name.isupper() or not _CODE_SHAPE.fullmatch(name.name.rpartition(" ")[2]):
            return None
        if kind := self._kind.fullmatch(name.key):
            return kind[1]
        kind = None if _JOINING.search(name.key) else self._described_kind.fullmatch(name.key)
        return kind and (kind[1] or kind[2])


def _by_kind(names: Mapping[str, Name], shorter_names: ShorterNames) -> Iterator[_Pair]:
    for key, name in names.items():
        if shorter := shorter_names.of(name):
            yield from _pair(names, key, shorter, "kind")


def _short_forms(names: Mapping[str, Name], ties: Iterable[Tie], canonical: CanonicalForms) -> Iterator[_Pair]:
    """Yield pairs of short and long form; pairs where the long form is ambiguous stay open.

    For an acronym that a text introduces, other ties count only where they have more words: "transport system" is part
    of the long form of "gCTS".
    """
    known = [tie for tie in ties if tie[0] in names and tie[1] in names]
    introduced = _meant((tie for tie in known if tie[2] == ACRONYM_RULE), canonical)
    said = _meant(known, canonical)
    for short, long, rule in known:
        meant = said[short]
        if rule == ACRONYM_RULE and not any(is_within(long, whole) for whole in meant):
            meant = introduced[short]
        yield from _pair(names, long, short, *((rule,) if long in meant else (rule, _OPEN)))


def _meant(ties: Iterable[Tie], canonical: CanonicalForms) -> dict[str, set[str]]:
    longs: dict[str, set[str]] = defaultdict(set)
    for short, long, _ in ties:
        longs[short].add(long)
    return {short: stood_for(short, found, canonical.of) for short, found in longs.items()}


def _pair(names: Mapping[str, Name], one: str, other: str, *rules: str) -> Iterator[_Pair]:
    if one in names and other in names and one != other:
        left, right = sorted((one, other), key=lambda key: _rank(names[key]))
        yield left, right, rules


def _rank(name: Name) -> tuple[int, str]:
    return -name.mentions, name.key


# Select the names that can share an entity with another name; only those are loaded into Python.

_FORMS = pa.schema([("key", pa.string()), ("form", pa.string())])
_SHORTER = pa.schema([("key", pa.string()), ("other", pa.string())])
_KEYS = pa.schema([("key", pa.string())])
_DOCUMENTS = pa.schema([("document_id", pa.string())])

_SQL = statements(__package__, "selection.sql")


def canonical_forms(names: Rows) -> CanonicalForms:
    """Return the canonical forms of names, by words such as "IDs", which may look like others."""
    plurals: dict[str, str] = {}
    for batch in names.to_batches():
        found = pc.extract_regex(batch["name"], r"(?:^|\W)(?P<one>[A-Z]{2,})s(?:\W|$)").drop_null()
        capitals = found.field("one").unique().to_pylist()
        plurals |= {f"{capital.lower()}s": capital.lower() for capital in capitals}
    return CanonicalForms(plurals)


def comparable_names(
    connection: Connection, names: Rows, canonical: CanonicalForms, named: Iterable[str], shorter_names: ShorterNames
) -> dict[str, Name]:
    """Return the names that share a form or a shorter name with another, and those of `named`.

    The connection knows the rows of `schemas.NAMES` as `names`.
    """
    shorter = [
        (name.key, other)
        for batch in connection.sql(_SQL["may_have_shorter"]).to_arrow_reader(BATCH_ROWS)
        for name in map(Name, *(column.to_pylist() for column in batch.columns))
        if (other := shorter_names.of(name))
    ]
    add_rows(connection, "forms", _FORMS, _forms(names, canonical))
    add_rows(connection, "shorter", _SHORTER, [_batch(_SHORTER, shorter)])
    add_rows(connection, "named", _KEYS, [_batch(_KEYS, [(key,) for key in named])])
    rows = connection.sql(_SQL["comparable"]).fetchall()
    return {row[0]: Name(*row) for row in rows}


def statements_of(connection: Connection, keys: Iterable[str]) -> dict[str, list[str]]:
    """Return up to two short statements from triples about each name, by its key.

    The connection knows `triples` and `surface_forms`.
    """
    add_rows(connection, "asked", _KEYS, [_batch(_KEYS, [(key,) for key in sorted(set(keys))])])
    return dict(connection.sql(_SQL["contexts"]).fetchall())


def names_of(connection: Connection, documents: Iterable[str]) -> frozenset[str]:
    """Return the keys of the names that occur in some documents.

    The connection knows `triples`, `entity_dictionary` and `surface_forms`.
    """
    ids = [(document,) for document in sorted(documents)]
    add_rows(connection, "of_documents", _DOCUMENTS, [_batch(_DOCUMENTS, ids)])
    return frozenset(key for (key,) in connection.sql(_SQL["names_of"]).fetchall())


def _forms(names: Rows, canonical: CanonicalForms) -> Iterator[pa.RecordBatch]:
    for batch in names.to_batches():
        yield pa.record_batch([batch["key"], canonical.of_all(batch["key"])], schema=_FORMS)


def _batch(schema: pa.Schema, rows: Sequence[tuple[str, ...]]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True) if rows else [[]] * len(schema)
    return pa.record_batch([pa.array(column, pa.string()) for column in columns], schema=schema)


# Names with similar vectors: candidates that a confirmer must decide.

RULE = "similar"


class NameEncoder(Protocol):
    """Embeds names as vectors."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors as rows, shape (len(texts), dimension)."""


_BLOCK = 1024  # Names compared with all others at once: with 100,000 names that is 400 MB of cosines.
_MOST = 10  # Most pairs of one name; a name near many is a word that many names contain.


def similar_names(names: Sequence[Name], encoder: NameEncoder, least: float) -> list[CandidatePair]:
    """Return the pairs of names whose cosine is at least `least`, the nearest of each name."""
    names = sorted(names, key=lambda name: (-name.mentions, name.key))
    vectors = encoder.encode([name.name for name in names])
    found: dict[tuple[str, str], CandidatePair] = {}
    for start in range(0, len(names), _BLOCK):
        cosines = vectors[start : start + _BLOCK] @ vectors[start:].T
        # Each pair once: of the more frequent name, which stands first.
        for row, near in enumerate(np.triu(cosines, k=1)):
            columns = np.flatnonzero(near >= least)
            order = np.argsort(-near[columns], kind="stable")[:_MOST]
            for column in columns[order]:
                left, right = names[start + row].key, names[start + int(column)].key
                score = round(min(float(near[column]), 1.0), 4)
                found[left, right] = CandidatePair(left, right, (RULE,), score)
    return [found[pair] for pair in sorted(found)]

"""Select the names that can share an entity with another name; only those are loaded into Python.

Most names share no form, no shorter name and no acronym with another. Forms are made batch by batch and compared in
SQL, so memory does not grow with the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.entities.resolve.candidates import CandidatePair, CanonicalForms, Name, ShorterNames
from graphrag_tasks.storage.sql import BATCH_ROWS, Connection, Rows, add_rows, statements

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

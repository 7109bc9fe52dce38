"""Select the names that can share an entity with another name; only those are loaded into Python.

Most names share no form, no shorter name and no acronym with another. Forms are made batch by batch and compared in
SQL, so memory does not grow with the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.entities.resolve.candidates import Name, ShorterNames
from graphrag_tasks.entities.resolve.canonical import CanonicalForms
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

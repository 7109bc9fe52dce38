"""Which names can be one with another at all: only those come to Python, however many there are.

Most names of a corpus share no form, no shorter name and no acronym with another. Forms are made
batch by batch and compared in SQL, so memory does not grow with the vocabulary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from graphrag_tasks.resolve.candidates import (
    Name,
    Steps,
    canonical_form,
    form_steps,
    shorter_names,
    words_of,
)
from graphrag_tasks.resolve.slips import find_slips
from graphrag_tasks.sql import Rows, add_rows

if TYPE_CHECKING:
    import duckdb

_FORMS = pa.schema([("key", pa.string()), ("form", pa.string())])
_SHORTER = pa.schema([("key", pa.string()), ("other", pa.string())])
_KEYS = pa.schema([("key", pa.string())])

_COMPARABLE = """
    SELECT key, name, type, mentions FROM names WHERE key IN (
        SELECT key FROM forms
        WHERE form IN (SELECT form FROM forms GROUP BY form HAVING count(*) > 1)
        UNION ALL
        SELECT unnest([shorter.key, other])
        FROM shorter JOIN names ON names.key = other
        UNION ALL
        SELECT key FROM named
    ) ORDER BY key
"""


def steps_of(names: Rows, is_known: Callable[[str], bool]) -> Steps:
    """Return the steps to canonical forms, with the slips of the pen that the names show.

    Args:
        names: Rows of `schemas.NAMES`.
        is_known: Whether a word is one of the language.
    """
    counts: Counter[str] = Counter()
    for batch in names.to_batches():
        columns = (batch[name].to_pylist() for name in ("name", "mentions"))
        for name, mentions in zip(*columns, strict=True):
            for word in words_of(name):
                counts[word] += mentions
    return form_steps(find_slips(counts, is_known))


def comparable_names(
    connection: duckdb.DuckDBPyConnection, names: Rows, steps: Steps, named: Iterable[str]
) -> dict[str, Name]:
    """Return the names that share a form or a shorter name with another, and those asked for.

    Args:
        connection: It knows the names as `names`.
        names: Rows of `schemas.NAMES`.
        steps: What `steps_of` gives.
        named: Keys that are wanted besides: of acronyms and overrides.
    """
    shorter: list[tuple[str, str]] = []

    def forms() -> Iterator[pa.RecordBatch]:
        for batch in _batches(names):
            shorter.extend((one.key, key) for one in batch for key, _ in shorter_names(one))
            yield _batch(_FORMS, [(one.key, canonical_form(one.key, steps)) for one in batch])

    add_rows(connection, "forms", _FORMS, forms())
    add_rows(connection, "shorter", _SHORTER, [_batch(_SHORTER, shorter)])
    add_rows(connection, "named", _KEYS, [_batch(_KEYS, [(key,) for key in named])])
    rows = connection.sql(_COMPARABLE).fetchall()
    return {row[0]: Name(*row) for row in rows}


def _batches(names: Rows) -> Iterator[list[Name]]:
    for batch in names.to_batches():
        columns = (batch[name].to_pylist() for name in ("key", "name", "type", "mentions"))
        yield [Name(*row) for row in zip(*columns, strict=True)]


def _batch(schema: pa.Schema, rows: Sequence[tuple[str, ...]]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True) if rows else [[]] * len(schema)
    return pa.record_batch([pa.array(column, pa.string()) for column in columns], schema=schema)

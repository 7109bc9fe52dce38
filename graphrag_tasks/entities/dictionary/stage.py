"""Entity dictionary stage: which names the corpus itself declares, and where.

Titles and the headings above a chunk name its topic, so they are names even where no sentence mentions them. Headings
that say what a section is for ("Prerequisites") are excluded by a short list, and by being repeated from document to
document. Table keys and terms of definition lists count where they are written like names (`names`). Abbreviations come
with the triples.
"""

from __future__ import annotations

import re
from collections import Counter

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import SqlConfig
from graphrag_tasks.core.stage import StageResult, scan, stage, table
from graphrag_tasks.entities.dictionary.names import (
    GENERIC_HEADINGS,
    heading_key,
    is_entry,
    is_key,
    is_term,
    name_forms,
    term_forms,
)
from graphrag_tasks.storage.sql import Connection, Rows, sql_over, statements

TITLE, HEADING, KEY, TERM = "title", "heading", "key", "term"
"""Where a name stands: document title, heading, first column of a table, or term of a definition list."""

GENERIC, REPEATED, FILE_NAME = "generic", "repeated", "file_name"  # Why a title or heading is not used as a name.

_FILE_NAME_SIGNS = re.compile(r"[\d_]|\.(?:csv|jsonl)$")

_SQL = statements(
    __package__,
    "stage.sql",
    key=KEY,
    term=TERM,
    heading=HEADING,
    title=TITLE,
    defines=r"(?s)^([^:\n]{2,60}?)(?: ?:| [-–—])\s+((?:\S+\s+){2,}\S.*)",
    is_glossary=r"(?i)\b(?:glossary|terminology|definitions|acronyms|abbreviations)\b",
    is_column=r"(?i)^(?:term|acronym|abbreviation|expression|concept|keyword)s?$",
)

_REPEATED_DOCUMENTS = 5  # Documents from which on a heading that they share names nothing; chosen by reading.


@stage(
    per="corpus",
    reads=(table("documents", "document_id", "title", "title_source"), scan("blocks"), scan("cells"), scan("chunks")),
    makes=("entity_dictionary",),
    settings={"sql": "sql"},
    libraries=("duckdb",),
)
def entity_dictionary(documents: pa.Table, blocks: Rows, cells: Rows, chunks: Rows, *, sql: SqlConfig) -> StageResult:
    """List the names per chunk from titles, headings, table keys and definitions."""
    documents = documents.select(["document_id", "title", "title_source"])
    tables = {"documents": documents, "blocks": blocks, "cells": cells, "chunks": chunks}
    with sql_over(tables, sql) as connection:
        _define(connection)
        connection.execute(_SQL["places"])
        connection.register("judged", _judged(connection.sql(_SQL["distinct"]).to_arrow_table()))
        found = connection.sql(_SQL["entity_dictionary"]).to_arrow_table()
        named = connection.sql("SELECT DISTINCT name, source, problem FROM judged").fetchall()
    problems = Counter(problem for _, problem in {(name, problem) for name, _, problem in named})
    stats: dict[str, int | float] = {"entity_dictionary_names": problems[None]}
    stats |= {f"entity_dictionary_{one}": problems[one] for one in (GENERIC, REPEATED, FILE_NAME)}
    sources = Counter(source for _, source, _ in named)
    stats |= {f"entity_dictionary_{one}s": sources[one] for one in (KEY, TERM)}
    return StageResult({"entity_dictionary": found.cast(schemas.ENTITY_DICTIONARY)}, stats)


def _define(connection: Connection) -> None:
    """Create the table of keys and terms that are names, with their places."""
    connection.execute(_SQL["keys"])
    connection.execute(_SQL["terms"])
    keys = [key for (key,) in connection.sql("SELECT DISTINCT text FROM keys").fetchall()]
    terms = connection.sql("SELECT DISTINCT text, explanation FROM terms").fetchall()
    connection.register("named_keys", _columns(["text"], [(key,) for key in keys if is_key(key)]))
    connection.register("named_terms", _columns(["text", "explanation"], [term for term in terms if is_term(*term)]))
    connection.execute(_SQL["glossary"])
    entries = connection.sql("SELECT DISTINCT text FROM glossary").fetchall()
    connection.register("glossary_terms", _columns(["text"], [entry for entry in entries if is_entry(*entry)]))
    connection.execute(_SQL["defined"])


def _columns(names: list[str], rows: list[tuple[str, ...]]) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return pa.table([pa.array(column, pa.string()) for column in columns], names=names)


def _judged(found: pa.Table) -> pa.Table:
    """Return name, form and problem of each distinct title and heading."""
    rows = found.to_pylist()
    documents: dict[str, set[str]] = {}
    for row in rows:
        if row["source"] == HEADING:
            documents.setdefault(heading_key(row["surface"]), set()).update(row["documents"])
    judged = []
    for row in rows:
        forms, problem = term_forms(row["surface"]), None
        if row["source"] in (TITLE, HEADING):
            forms = name_forms(row["surface"])
            problem = _problem(row, documents)
        for name, form in forms:
            judged.append(
                {key: row[key] for key in ("surface", "source", "title_source")}
                | {"name": name, "form": form, "problem": problem}
            )
    columns = ("surface", "source", "title_source", "name", "form", "problem")
    return pa.Table.from_pylist(judged, schema=pa.schema([pa.field(name, pa.string()) for name in columns]))


def _problem(row: dict[str, str], documents: dict[str, set[str]]) -> str | None:
    """Return why a title or heading is no name."""
    key = heading_key(row["surface"])
    if key in GENERIC_HEADINGS:
        return GENERIC
    if row["source"] == TITLE:
        is_file = row["title_source"] == FILE_NAME and _FILE_NAME_SIGNS.search(row["surface"])
        return FILE_NAME if is_file else None
    return REPEATED if len(documents[key]) >= _REPEATED_DOCUMENTS else None

"""Normalise stage: heads and tails of triples, titles and headings become names.

Paper, section 3.2: strip noise, standardise names, deduplicate, and drop heads and tails under two
characters and stop words. Each distinct surface is judged once, however often it occurs, so the
work in Python grows with the vocabulary and not with the triples. What depends on counting breaks
ties by text, so no input order shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import lru_cache
from typing import TYPE_CHECKING

import pyarrow as pa

from graphrag_tasks import schemas
from graphrag_tasks.config import NormalizeConfig, SqlConfig
from graphrag_tasks.names import LITERAL, PROBLEMS, clean_name, is_code
from graphrag_tasks.sql import BATCH_ROWS, Rows, add_rows, label, sql_over, stream, surface
from graphrag_tasks.stage import StageResult

if TYPE_CHECKING:
    import duckdb

REQUIRES = ("triples", "gazetteer")
PRODUCES = ("surfaces", "names")
DEPENDENCIES = ("spacy", "duckdb")

PRONOUN = "PRON"
LITERAL_TYPES = frozenset(
    {"CARDINAL", "DATE", "MONEY", "NUMBER", "ORDINAL", "PERCENT", "QUANTITY", "TIME"}
)
"""Labels of values: what has one is an attribute of the other end, and no node."""

_ENDS = f"""
    CREATE VIEW ends AS
    SELECT {surface("head")} AS surface, {label("head")} AS type, sentence_id, head_start AS start
    FROM triples
    UNION ALL
    SELECT {surface("tail")}, {label("tail")}, sentence_id, tail_start FROM triples
    UNION ALL
    SELECT DISTINCT name, '', document_id, 0 FROM gazetteer WHERE problem IS NULL
"""  # noqa: S608 - made of constants

_FOUND = "CREATE TABLE found AS SELECT DISTINCT surface, type FROM ends"
_SURFACES = "FROM surfaces ORDER BY surface, type"
_PROBLEMS = "SELECT problem, count(*) FROM surfaces WHERE problem IS NOT NULL GROUP BY problem"

_NAMES = """
    WITH mention AS (
        SELECT DISTINCT key, name AS alias, type, sentence_id, start
        FROM ends JOIN surfaces USING (surface, type) WHERE problem IS NULL
    ),
    counted AS (SELECT key, count(*) AS mentions FROM mention GROUP BY key),
    named AS (
        SELECT key, alias AS name FROM mention GROUP BY key, alias
        QUALIFY row_number() OVER (PARTITION BY key ORDER BY count(*) DESC, alias) = 1
    ),
    labelled AS (
        SELECT key, type FROM mention WHERE type <> '' GROUP BY key, type
        QUALIFY row_number() OVER (PARTITION BY key ORDER BY count(*) DESC, type) = 1
    )
    SELECT key, name, type, mentions
    FROM counted JOIN named USING (key) LEFT JOIN labelled USING (key)
    ORDER BY key
"""


def normalize(
    triples: Rows, gazetteer: Rows, *, config: NormalizeConfig, sql: SqlConfig
) -> StageResult:
    """Judge every distinct surface, and count the names that may become nodes.

    Args:
        triples: Rows of `schemas.TRIPLES`.
        gazetteer: Rows of `schemas.GAZETTEER`; each name counts once for each document.
        config: Lengths a head or tail may have.
        sql: Memory and threads.

    Returns:
        `surfaces`, each surface and entity label with its name, or with what is wrong with it, and
        `names`, one row for each key.
    """
    with ExitStack() as stack:
        inputs = {"triples": triples, "gazetteer": gazetteer}
        connection = stack.enter_context(sql_over(inputs, sql))
        for statement in (_ENDS, _FOUND):
            connection.execute(statement)
        add_rows(connection, "surfaces", schemas.SURFACES, _judged(connection, config))
        problems = dict(connection.sql(_PROBLEMS).fetchall())
        stats: dict[str, int | float] = {
            f"surfaces_{problem}": problems.get(problem, 0) for problem in PROBLEMS
        }
        tables = {
            "surfaces": stream(connection, _SURFACES, "surfaces", stats),
            "names": stream(connection, _NAMES, "names", stats),
        }
        return StageResult(tables, stats, stack.pop_all())


def _judged(
    connection: duckdb.DuckDBPyConnection, config: NormalizeConfig
) -> Iterator[pa.RecordBatch]:
    with connection.cursor() as reading:  # while the other connection writes
        for found in reading.sql("FROM found").to_arrow_reader(BATCH_ROWS):
            surfaces, types = (found[name].to_pylist() for name in ("surface", "type"))
            names = list(map(clean_name, surfaces))
            keys = [name.casefold() for name in names]
            rows = zip(surfaces, keys, types, strict=True)
            problems = [_problem(surface, key, type_, config) for surface, key, type_ in rows]
            columns = (surfaces, types, keys, names, problems)
            yield pa.record_batch(
                [pa.array(column, pa.string()) for column in columns],
                names=schemas.SURFACES.names,
            )


def _problem(name: str, key: str, type_: str, config: NormalizeConfig) -> str | None:
    checks = {
        "pronoun": type_ == PRONOUN,
        LITERAL: (type_ in LITERAL_TYPES and not is_code(name)) or _is_number(key),
        "short": len(key) < config.min_characters,
        "long": len(key) > config.max_characters,
        "wordy": key.count(" ") >= config.max_words,
        "stop_word": key in _stop_words(),
        "no_letter": not any(character.isalpha() for character in key),
    }
    return next((problem for problem in PROBLEMS if checks[problem]), None)


def _is_number(key: str) -> bool:
    return bool(key) and not any(sign.isalpha() for sign in key) and any(map(str.isdigit, key))


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    from spacy.lang.en.stop_words import STOP_WORDS

    return frozenset(STOP_WORDS)

"""The mention stage: where each entity is mentioned, and which chunks bear its name.

Triples tell some of it. The rest is found in the text: every name of every entity, longest match
first, in every sentence, line of code and row of a table (`matcher`). An entity that only a title
names is one too, with no mention. Titles and headings lead from their entity to the chunks below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from graphrag_tasks.core.config import LinkConfig, SqlConfig
from graphrag_tasks.core.stage import StageResult, scan, stage
from graphrag_tasks.entities.link_mentions.matcher import NameMatcher
from graphrag_tasks.entities.link_mentions.spelling import spelling_of
from graphrag_tasks.language.dictionary import known_words
from graphrag_tasks.storage.sql import BATCH_ROWS, Rows, add_rows, label, sql_over, stream, surface

if TYPE_CHECKING:
    import duckdb


EXTRACTED, NAME = "extracted", "name"
"""Where a mention comes from: an end of a triple, or a known name found in the text."""

_TEXTS_AT_ONCE = 1 << 14

_FOUND = pa.schema(
    [
        pa.field("place", pa.int64()),
        pa.field("number", pa.int64()),
        pa.field("start", pa.int32()),
        pa.field("end", pa.int32()),
        pa.field("alias", pa.string()),
    ]
)

_THINGS = """
    CREATE TABLE things AS
    SELECT entity_id, centre AS key, any_value(name) AS name, any_value(type) AS type,
        row_number() OVER (ORDER BY entity_id) - 1 AS entity
    FROM resolved GROUP BY entity_id, centre
"""
"""Entities by number, in order of their ids: mentions are many, and ids are long."""

_ENDS = """
    CREATE TABLE ends AS
    SELECT surface, form.type AS type, form.name AS alias, form.key AS key, entity_id, entity
    FROM surface_forms AS form JOIN resolved USING (key) JOIN things USING (entity_id)
    WHERE problem IS NULL
"""

_PLACES = """
    CREATE TABLE places AS
    SELECT *, row_number() OVER (ORDER BY sentence_id, chunk_id, document_id) - 1 AS place
    FROM (
        SELECT sentence_id, chunk_id, document_id FROM sentences
        UNION SELECT sentence_id, chunk_id, document_id FROM triples
    )
"""
"""Sentences by number, in order of their ids."""

_TITLES = """
    CREATE TABLE titles AS
    SELECT entity_id, chunk_id, document_id, min(alias) AS alias, max(source) AS source
    FROM entity_dictionary JOIN ends ON ends.surface = entity_dictionary.name AND ends.type = ''
    WHERE problem IS NULL AND source IN ('title', 'heading') GROUP BY ALL
"""

_NAMES = """
    SELECT key, entity, list(DISTINCT alias) AS forms, bool_or(names.type IS NOT NULL) AS typed,
        bool_or(titled.name IS NOT NULL) AS title
    FROM ends JOIN names USING (key) LEFT JOIN (
        SELECT DISTINCT name FROM entity_dictionary WHERE source = 'title' AND problem IS NULL
    ) AS titled ON titled.name = surface
    GROUP BY key, entity, mentions ORDER BY mentions DESC, key
"""

_TEXTS = """
    CREATE TABLE texts AS
    SELECT place, text FROM sentences JOIN places USING (sentence_id, chunk_id, document_id)
"""

_EXTRACTED = f"""
    CREATE TABLE extracted AS
    SELECT entity, place, start, "end", min(alias) AS alias, nullif(max(type), '') AS type FROM (
        SELECT entity, sentence_id, chunk_id, document_id, head_start AS start, head_end AS "end",
            alias, ends.type AS type
        FROM triples JOIN ends ON ends.surface = {surface("head")} AND ends.type = {label("head")}
        UNION ALL
        SELECT entity, sentence_id, chunk_id, document_id, tail_start, tail_end, alias, ends.type
        FROM triples JOIN ends ON ends.surface = {surface("tail")} AND ends.type = {label("tail")}
    ) JOIN places USING (sentence_id, chunk_id, document_id)
    GROUP BY entity, place, start, "end"
"""  # noqa: S608 - made of constants

_LOCATED = f"""
    CREATE TABLE located AS
    SELECT entity, place, start, "end", alias, type, '{EXTRACTED}' AS source FROM extracted
    UNION ALL
    SELECT entity, place, start, "end", alias, NULL, '{NAME}'
    FROM found JOIN numbered USING (number)
    ANTI JOIN extracted ON extracted.entity = numbered.entity AND extracted.place = found.place
        AND extracted.start < found."end" AND found.start < extracted."end"
"""  # noqa: S608 - made of constants

_QUERIES = {
    "entities": """
        SELECT entity_id, key, name, type, coalesce(counted.mentions, 0) AS mentions,
            coalesce(counted.chunks, 0) AS chunks
        FROM things LEFT JOIN (
            SELECT entity, count(*) AS mentions, count(DISTINCT chunk) AS chunks
            FROM located JOIN (
                SELECT place, dense_rank() OVER (ORDER BY chunk_id) AS chunk FROM places
            ) USING (place) GROUP BY entity
        ) AS counted USING (entity)
        WHERE counted.mentions IS NOT NULL OR entity_id IN (SELECT entity_id FROM titles)
        ORDER BY entity_id
    """,
    "aliases": """
        SELECT entity_id, alias, mentions
        FROM (SELECT entity, alias, count(*) AS mentions FROM located GROUP BY entity, alias)
        JOIN things USING (entity) ORDER BY entity, alias
    """,
    "mentions": """
        SELECT entity, place, start, "end", alias, type, source FROM located
        ORDER BY entity, place, start, "end"
    """,
    "titles": "SELECT * FROM titles ORDER BY entity_id, chunk_id",
}

_PLACE_IDS = "SELECT sentence_id, chunk_id, document_id FROM places ORDER BY place"
_ENTITY_IDS = "SELECT entity_id FROM things ORDER BY entity"
_BY_SOURCE = "SELECT source, count(*) FROM located GROUP BY ALL"


@stage(
    per="corpus",
    reads=(
        scan("triples"),
        scan("sentences"),
        scan("entity_dictionary"),
        scan("surface_forms"),
        scan("names"),
        scan("resolved"),
    ),
    makes=("entities", "aliases", "mentions", "titles"),
    settings={"config": "link_mentions", "sql": "sql"},
    libraries=("spacy", "duckdb"),
)
def link_mentions(
    triples: Rows,
    sentences: Rows,
    entity_dictionary: Rows,
    surface_forms: Rows,
    names: Rows,
    resolved: Rows,
    *,
    config: LinkConfig,
    sql: SqlConfig,
) -> StageResult:
    """Find where entities are mentioned.

    Args:
        triples: Rows of `schemas.TRIPLES`.
        sentences: Rows of `schemas.SENTENCES`.
        entity_dictionary: Rows of `schemas.ENTITY_DICTIONARY`.
        surface_forms: What each head, tail and title is (`schemas.SURFACE_FORMS`).
        names: How frequent each is (`schemas.NAMES`).
        resolved: The entity of each name (`schemas.RESOLVED`).
        config: Whether names are looked for, and the model that knows common words.
        sql: Memory and threads.

    Returns:
        `PRODUCES`, each a stream sorted by its ids. A name that is found where an end of a triple
        is the same entity is no second mention.
    """
    inputs = {
        "triples": triples, "sentences": sentences, "entity_dictionary": entity_dictionary,
        "surface_forms": surface_forms, "names": names, "resolved": resolved,
    }  # fmt: skip
    with ExitStack() as stack:
        connection = stack.enter_context(sql_over(inputs, sql))
        for statement in (_THINGS, _ENDS, _TITLES, _PLACES, _EXTRACTED):
            connection.execute(statement)
        matcher, entities = _matcher(connection, config)
        connection.register("numbered", entities)
        add_rows(connection, "found", _FOUND, _find(connection, matcher))
        connection.execute(_LOCATED)
        by_source = dict(connection.sql(_BY_SOURCE).fetchall())
        stats: dict[str, int | float] = {
            f"mentions_{source}": by_source.get(source, 0) for source in (EXTRACTED, NAME)
        }
        finished = {"mentions": _with_ids(connection)}
        tables = {
            name: stream(connection, query, name, stats, finished.get(name))
            for name, query in _QUERIES.items()
        }
        return StageResult(tables, stats, stack.pop_all())


def _matcher(
    connection: duckdb.DuckDBPyConnection, config: LinkConfig
) -> tuple[NameMatcher, pa.Table]:
    """Return what finds the names that are sought, by number, and the entity of each number."""
    matcher = NameMatcher()
    entities = [pa.array([], pa.int64())]
    numbers = count()
    is_known = known_words(config.model)
    for batch in connection.sql(_NAMES).to_arrow_reader(BATCH_ROWS) if config.names else ():
        entities.append(batch["entity"])
        columns = (batch[name].to_pylist() for name in ("key", "forms", "typed", "title"))
        for key, forms, typed, title, number in zip(*columns, numbers, strict=False):
            spelling = spelling_of(
                forms, is_named=typed or title, is_title=title, is_known=is_known
            )
            if spelling:
                matcher.add(key, number, spelling)
    found = pa.chunked_array(entities)
    return matcher, pa.table({"number": pa.array(range(len(found)), pa.int64()), "entity": found})


def _find(connection: duckdb.DuckDBPyConnection, matcher: NameMatcher) -> Iterator[pa.RecordBatch]:
    """Yield rows of `_FOUND`, one batch for each of sentences."""
    connection.execute(_TEXTS)
    with connection.cursor() as reading:  # while the other connection writes
        for batch in reading.sql("FROM texts").to_arrow_reader(_TEXTS_AT_ONCE):
            found = matcher.find(batch["text"].to_pylist())
            places = batch["place"].take(pa.array(found.text))
            columns = (places, found.name, found.start, found.end, found.alias)
            yield pa.record_batch(
                [pa.array(column, one.type) for column, one in zip(columns, _FOUND, strict=True)],
                schema=_FOUND,
            )
    connection.execute("DROP TABLE texts")


def _with_ids(
    connection: duckdb.DuckDBPyConnection,
) -> Callable[[pa.RecordBatch], pa.RecordBatch]:
    """Return what puts ids for the numbers of mentions: what is sorted is a third as large."""
    entity_ids = _whole(connection.sql(_ENTITY_IDS).to_arrow_table())
    place_ids = _whole(connection.sql(_PLACE_IDS).to_arrow_table())

    def finished(batch: pa.RecordBatch) -> pa.RecordBatch:
        of_entity = {name: ids.take(batch["entity"]) for name, ids in entity_ids.items()}
        of_place = {name: ids.take(batch["place"]) for name, ids in place_ids.items()}
        kept = {name: batch[name] for name in ("start", "end", "alias", "type", "source")}
        return pa.record_batch(of_entity | of_place | kept)

    return finished


def _whole(ids: pa.Table) -> dict[str, pa.Array[Any]]:
    """Return columns as one array each, however long."""
    columns = (column.cast(pa.large_string()).combine_chunks() for column in ids.columns)
    return dict(zip(ids.column_names, columns, strict=True))

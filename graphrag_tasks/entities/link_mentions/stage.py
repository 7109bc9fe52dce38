"""The mention stage: where each entity is mentioned, and which chunks its headings cover.

Triples give some mentions. The rest come from matching every name of every entity, longest match first, in every
sentence, line of code and table row (`matcher`). An entity that only a title names has no mention. Titles and headings
link their entity to the chunks below them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from typing import Any

import pyarrow as pa

from graphrag_tasks.core.config import LanguageConfig
from graphrag_tasks.core.stage import StageResult, scan, stage
from graphrag_tasks.entities.link_mentions.matcher import NameMatcher, spelling_of
from graphrag_tasks.language.dictionary import known_words
from graphrag_tasks.storage.sql import BATCH_ROWS, Connection, Rows, add_rows, sql_over, statements, stream

EXTRACTED, NAME = "extracted", "name"  # Source of a mention: an end of a triple, or a known name found in the text.
_TEXTS_AT_ONCE = 1 << 14  # Texts tokenised at a time; bounds memory for corpora of any size. Chosen.

_FOUND = pa.schema(
    [
        pa.field("place", pa.int64()),
        pa.field("number", pa.int64()),
        pa.field("start", pa.int32()),
        pa.field("end", pa.int32()),
        pa.field("alias", pa.string()),
    ]
)

_SQL = statements(__package__, "stage.sql", extracted=EXTRACTED, name=NAME)


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
    settings={"language": "language"},
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
    language: LanguageConfig,
) -> StageResult:
    """Find where entities are mentioned; the result's tables are streams sorted by id.

    A name match inside an end of a triple with the same entity is not counted twice.
    """
    inputs = {
        "triples": triples, "sentences": sentences, "entity_dictionary": entity_dictionary,
        "surface_forms": surface_forms, "names": names, "resolved": resolved,
    }  # fmt: skip
    with ExitStack() as stack:
        connection = stack.enter_context(sql_over(inputs))
        for name in ("things", "ends", "titles", "places", "extracted"):
            connection.execute(_SQL[name])
        matcher, entities = _matcher(connection, language)
        connection.register("numbered", entities)
        add_rows(connection, "found", _FOUND, _find(connection, matcher))
        connection.execute(_SQL["located"])
        by_source = dict(connection.sql(_SQL["by_source"]).fetchall())
        stats: dict[str, int | float] = {f"mentions_{source}": by_source.get(source, 0) for source in (EXTRACTED, NAME)}
        tables = {
            "entities": stream(connection, _SQL["entities"], "entities", stats),
            "aliases": stream(connection, _SQL["aliases"], "aliases", stats),
            "mentions": stream(connection, _SQL["mentions"], "mentions", stats, _with_ids(connection)),
            "titles": stream(connection, _SQL["sorted_titles"], "titles", stats),
        }
        return StageResult(tables, stats, stack.pop_all())


def _matcher(connection: Connection, language: LanguageConfig) -> tuple[NameMatcher, pa.Table]:
    """Return what finds the names that are sought, by number, and the entity of each number."""
    matcher = NameMatcher()
    entities = [pa.array([], pa.int64())]
    numbers = count()
    is_known = known_words(language.model)
    for batch in connection.sql(_SQL["sought_names"]).to_arrow_reader(BATCH_ROWS):
        entities.append(batch["entity"])
        columns = (batch[name].to_pylist() for name in ("key", "forms", "typed", "title"))
        for key, forms, typed, title, number in zip(*columns, numbers, strict=False):
            spelling = spelling_of(forms, is_named=typed or title, is_title=title, is_known=is_known)
            if spelling:
                matcher.add(key, number, spelling)
    found = pa.chunked_array(entities)
    return matcher, pa.table({"number": pa.array(range(len(found)), pa.int64()), "entity": found})


def _find(connection: Connection, matcher: NameMatcher) -> Iterator[pa.RecordBatch]:
    """Yield rows of `_FOUND`, one batch per batch of sentences."""
    connection.execute(_SQL["texts"])
    with connection.cursor() as reading:  # while the other connection writes
        for batch in reading.sql("FROM texts").to_arrow_reader(_TEXTS_AT_ONCE):
            found = matcher.find(batch["text"].to_pylist())
            places = batch["place"].take(pa.array(found.text))
            columns = (places, found.name, found.start, found.end, found.alias)
            yield pa.record_batch(
                [pa.array(column, one.type) for column, one in zip(columns, _FOUND, strict=True)], schema=_FOUND
            )
    connection.execute("DROP TABLE texts")


def _with_ids(connection: Connection) -> Callable[[pa.RecordBatch], pa.RecordBatch]:
    """Return a function that adds ids for numbers; sorting numbers takes a third of the memory."""
    entity_ids = _whole(connection.sql(_SQL["entity_ids"]).to_arrow_table())
    place_ids = _whole(connection.sql(_SQL["place_ids"]).to_arrow_table())

    def finished(batch: pa.RecordBatch) -> pa.RecordBatch:
        of_entity = {name: ids.take(batch["entity"]) for name, ids in entity_ids.items()}
        of_place = {name: ids.take(batch["place"]) for name, ids in place_ids.items()}
        kept = {name: batch[name] for name in ("start", "end", "alias", "type", "source")}
        return pa.record_batch(of_entity | of_place | kept)

    return finished


def _whole(ids: pa.Table) -> dict[str, pa.Array[Any]]:
    """Return each column as one contiguous array."""
    columns = (column.cast(pa.large_string()).combine_chunks() for column in ids.columns)
    return dict(zip(ids.column_names, columns, strict=True))

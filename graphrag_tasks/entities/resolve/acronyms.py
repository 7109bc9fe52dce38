"""Acronyms and what they stand for: where a text introduces them, and where only letters tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphrag_tasks.storage.sql import label, surface

if TYPE_CHECKING:
    import duckdb

ALIAS_RULE = "alias"
"""Rule of the triples (long form, "be known as", short form) that extraction finds."""

_ACRONYMS = f"""
    WITH introduced AS (
        SELECT {surface("head")} AS long, {label("head")} AS long_type,
            {surface("tail")} AS short, {label("tail")} AS short_type
        FROM triples WHERE rule = '{ALIAS_RULE}'
        UNION ALL
        SELECT long.name, '', short.name, ''
        FROM entity_dictionary AS long
            JOIN entity_dictionary AS short USING (chunk_id, source, surface)
        WHERE long.form = 'base' AND short.form = 'acronym' AND long.problem IS NULL
    )
    SELECT DISTINCT short.key AS short, long.key AS long
    FROM introduced
    JOIN surface_forms AS long ON long.surface = introduced.long AND long.type = long_type
    JOIN surface_forms AS short ON short.surface = introduced.short AND short.type = short_type
    WHERE long.problem IS NULL AND short.problem IS NULL
    ORDER BY ALL
"""  # noqa: S608 - made of constants

_LITTLE_WORDS = "['and', 'for', 'in', 'of', 'the']"
_INITIALS = f"""
    WITH short AS (
        SELECT key, replace(key, '.', '') AS letters FROM names
        WHERE regexp_full_match(name, '(?:[A-Z]\\.?){{3,6}}')
    ),
    long AS (
        SELECT key, array_to_string([word[1] FOR word IN regexp_split_to_array(key, '[ -]+')
            IF NOT list_contains({_LITTLE_WORDS}, word)], '') AS letters
        FROM names
        WHERE regexp_full_match(name, '[A-Z][^ ]*(?:[ -]+(?:[A-Z][^ -]*|and|for|in|of|the))+')
    ),
    pairs AS (SELECT short.key AS short, long.key AS long FROM short JOIN long USING (letters)),
    sought AS (SELECT short AS key FROM pairs UNION SELECT long FROM pairs),
    spelled AS (
        SELECT surface, type, key FROM surface_forms SEMI JOIN sought USING (key)
        WHERE problem IS NULL
    ),
    places AS (
        SELECT key, document_id FROM triples
        JOIN spelled ON surface = {surface("head")} AND type = {label("head")}
        UNION
        SELECT key, document_id FROM triples
        JOIN spelled ON surface = {surface("tail")} AND type = {label("tail")}
        UNION
        SELECT key, document_id FROM entity_dictionary
        JOIN spelled ON spelled.surface = entity_dictionary.name AND spelled.type = ''
    ),
    counted AS (SELECT key, count(*) AS documents FROM places GROUP BY key)
    SELECT short, long FROM pairs
    JOIN places AS here ON here.key = short
    JOIN places AS there ON there.key = long AND there.document_id = here.document_id
    JOIN counted ON counted.key = short
    GROUP BY short, long, documents HAVING 3 * count(*) >= documents
    ORDER BY ALL
"""  # noqa: S608 - made of constants


def introduced(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Return the keys of short and long forms that a text or a title introduces."""
    return connection.sql(_ACRONYMS).fetchall()


def by_initials(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Return the keys of short and long forms that no text need introduce.

    The short form is three to six capitals, the long one as many words with capitals and these
    initials ("of" and the like left out), in a third of the short one's documents at least.

    Args:
        connection: It knows `triples`, `entity_dictionary`, `surface_forms` and `names`.
    """
    return connection.sql(_INITIALS).fetchall()

"""Acronyms and what they stand for: where a text introduces them, and where only letters tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphrag_tasks.storage.sql import statements

if TYPE_CHECKING:
    import duckdb

ALIAS_RULE = "alias"
"""Rule of the triples (long form, "be known as", short form) that extraction finds."""

_SQL = statements(__package__, "acronyms.sql", alias_rule=ALIAS_RULE)


def introduced(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Return the keys of short and long forms that a text or a title introduces."""
    return connection.sql(_SQL["acronyms"]).fetchall()


def by_initials(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Return the keys of short and long forms that no text need introduce.

    The short form is three to six capitals, the long one as many words with capitals and these
    initials ("of" and the like left out), in a third of the short one's documents at least.

    Args:
        connection: It knows `triples`, `entity_dictionary`, `surface_forms` and `names`.
    """
    return connection.sql(_SQL["initials"]).fetchall()

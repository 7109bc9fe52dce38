"""Facts of the graph in the words of sentences, before any schema renamed them.

The ontology in force when the snapshot was made must not decide the next one: the snapshot's relations may have its
names, so the triples are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa

from graphrag_tasks.core.config import SqlConfig
from graphrag_tasks.retrieval.ranker.path_query import Pattern
from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.storage.sql import Connection, sql_over, statements

_SQL = statements(__package__, "facts.sql")
_TABLES = ("triples", "surface_forms", "resolved")


@dataclass(frozen=True)
class Fact:
    """A triple between two entities; a type is empty if unknown."""

    chunk_id: str
    document_id: str
    relation: str
    head_id: str
    tail_id: str
    head: str
    tail: str
    head_type: str
    tail_type: str


class Facts:
    """The facts of a snapshot; made by `facts_of`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def patterns(self) -> list[Pattern]:
        """Return the number of triples by head type, relation and tail type."""
        return [Pattern(*row) for row in self._connection.execute(_SQL["patterns"]).fetchall()]

    def in_chunks(self, chunk_ids: Sequence[str]) -> dict[str, list[Fact]]:
        """Return the facts that these chunks state, by chunk."""
        self._connection.register("wanted", pa.table({"chunk_id": pa.array(chunk_ids, pa.string())}))
        found: dict[str, list[Fact]] = {}
        for row in self._connection.execute(_SQL["in_chunks"]).fetchall():
            found.setdefault(row[0], []).append(Fact(*row))
        return found


@contextmanager
def facts_of(snapshot: Snapshot, sql: SqlConfig | None = None) -> Iterator[Facts]:
    """Read the facts of a snapshot, out of core."""
    tables = {name: snapshot.table(name) for name in _TABLES}
    with sql_over(tables, sql or SqlConfig()) as connection:
        connection.execute(_SQL["facts"])
        yield Facts(connection)

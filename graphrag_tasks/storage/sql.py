"""SQL over Arrow tables and Parquet files, out of core.

DuckDB (MIT licence, in process, no server) scans tables and Parquet datasets by column, and spills to disk beyond its
memory limit. Stages that see all triples of a corpus use it, so that memory does not grow with the corpus.
"""

from __future__ import annotations

import atexit
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from graphrag_tasks.core.commands import brought_by
from graphrag_tasks.core.ids import ID_HEX_DIGITS
from graphrag_tasks.core.schemas import SCHEMAS
from graphrag_tasks.storage.artifacts import batches_of
from graphrag_tasks.storage.files import scratch

if TYPE_CHECKING:
    import duckdb
    import pyarrow.dataset as ds

BATCH_ROWS = 1 << 17  # Rows per batch, as in a table's row group (`storage.artifacts`).
MEMORY_BYTES = 3_000_000_000  # Of one query, which spills to disk beyond it. Chosen.
_THREADS = 2  # Of one query; more gain little beside the memory that each takes. Chosen.
_LENGTH_DIGITS = 16  # Hexadecimal digits of the length before each part of an id.

_STATEMENT = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_IN_BRACES = re.compile(r"\{([a-z]\w*)\}")

Connection: TypeAlias = "duckdb.DuckDBPyConnection"
Rows: TypeAlias = "pa.Table | ds.Dataset"  # Rows that can be scanned by column.


@contextmanager
def sql_over(tables: Mapping[str, Rows]) -> Iterator[Connection]:
    """Open a connection on which these tables are registered by name.

    Rows have no order except by `ORDER BY`.
    """
    with _database() as connection:
        for name, rows in tables.items():
            if files := _local_files(rows):
                connection.read_parquet(files).create_view(name)
            else:
                connection.register(name, rows)
        yield connection


_idle: list[tuple[ExitStack, duckdb.DuckDBPyConnection]] = []
"""Empty databases kept for the next stage: a new one costs as much as ten short queries."""


@contextmanager
def _database() -> Iterator[Connection]:
    """Open an empty in-memory database; it is kept for reuse, unless the block fails."""
    stack, connection = _idle.pop() if _idle else _started()
    with stack:
        yield connection
        if not _idle:
            _empty(connection)
            _idle.append((stack.pop_all(), connection))


def _started() -> tuple[ExitStack, duckdb.DuckDBPyConnection]:
    with brought_by("index"):
        import duckdb  # here, because it brings pandas along

    with ExitStack() as stack:
        spill = str(stack.enter_context(scratch()))
        connection = duckdb.connect(
            config={
                "memory_limit": f"{MEMORY_BYTES}B",
                "threads": _THREADS,
                "temp_directory": spill,
                "preserve_insertion_order": False,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            }
        )
        stack.enter_context(connection)
        return stack.pop_all(), connection


def _empty(connection: duckdb.DuckDBPyConnection) -> None:
    for _, name in connection.execute(_MADE).fetchall():
        connection.unregister(name)  # what is registered may hide a table of that name
    for kind, name in connection.execute(_MADE).fetchall():
        connection.execute(f'DROP {kind} "{name}"')
    for cached in ("false", "true"):
        connection.execute(f"SET enable_external_file_cache = {cached}")


_MADE = """
SELECT 'VIEW', view_name FROM duckdb_views() WHERE NOT internal
UNION ALL SELECT 'TABLE', table_name FROM duckdb_tables() WHERE NOT internal
"""


def _close_idle() -> None:
    while _idle:
        _idle.pop()[0].close()


os.register_at_fork(before=_close_idle)  # a child would have a database without its threads
atexit.register(_close_idle)


def _local_files(rows: Rows | pa.RecordBatchReader) -> list[str]:
    """Return a dataset's files if DuckDB can read them directly.

    Then it knows their row counts: a dataset scanned through Arrow counts as one row, and joins would hold the larger
    side in memory.
    """
    files = getattr(rows, "files", [])
    return files if all(Path(file).is_absolute() and Path(file).is_file() for file in files) else []


def add_rows(connection: Connection, table: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    """Create a table and fill it in batches, so that it can spill."""
    connection.register("no_rows", schema.empty_table())
    connection.execute(f"CREATE TABLE {table} AS FROM no_rows")
    for batch in batches:
        connection.register("batch", pa.Table.from_batches([batch]))
        connection.execute(f"INSERT INTO {table} FROM batch")


def with_row(rows: Rows, columns: list[str]) -> pa.RecordBatchReader:
    """Return rows with their number as the column `row`, for one query: SQL has no row order."""
    read = batches_of(rows, columns)
    schema = read.schema.append(pa.field("row", pa.int64()))

    def batches() -> Iterator[pa.RecordBatch]:
        start = 0
        for batch in read:
            end = start + batch.num_rows
            numbers = pa.array(range(start, end), pa.int64())
            yield pa.record_batch([*batch.columns, numbers], schema=schema)
            start = end

    return pa.RecordBatchReader.from_batches(schema, batches())


def stream(
    connection: Connection,
    query: str,
    table: str,
    stats: dict[str, int | float],
    finished: Callable[[pa.RecordBatch], pa.RecordBatch] | None = None,
) -> pa.RecordBatchReader:
    """Return a table's rows from a query that runs while they are read.

    Read each stream of a connection to its end before the next statement.

    Args:
        connection: From `sql_over`, open until the rows are read.
        query: A statement with `ORDER BY`.
        table: Name of the table.
        stats: Gets the number of rows under that name.
        finished: Converts the query's batches to the table's rows.
    """
    schema = pa.schema([pa.field(one.name, one.type) for one in SCHEMAS[table]])
    stats[table] = 0

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in connection.sql(query).to_arrow_reader(BATCH_ROWS):
            stats[table] += batch.num_rows
            yield (finished(batch) if finished else batch).cast(schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def statements(package: str, file: str, **values: object) -> dict[str, str]:
    """Read the named SQL statements of a file beside a module.

    `-- name: places` stands above the statement that creates or reads `places`. `{head_surface}`, `{head_label}` and
    the same for tails are SQL for the ends of a triple; other words in braces are the given values.
    """
    ends = {
        f"{end}_{name}": make(end)
        for end in ("head", "tail")
        for name, make in (("surface", surface), ("label", label))
    }
    known = {**ends, **values}
    text = resources.files(package).joinpath(file).read_text("utf-8")
    filled = _IN_BRACES.sub(lambda match: str(known[match[1]]), text)
    _, *parts = _STATEMENT.split(filled)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def id_of(kind: str, *parts: str) -> str:
    """Return SQL for `graphrag_tasks.core.ids.content_id`, which DuckDB runs in parallel."""
    hashed = (
        f"unhex(lpad(to_hex(strlen({part})), {_LENGTH_DIGITS}, '0')) || encode({part})"
        for part in (f"'{kind}'", *parts)
    )
    return f"substr(sha256({' || '.join(hashed)}), 1, {ID_HEX_DIGITS})"


def surface(end: str) -> str:
    """Return SQL for the name of a triple's head or tail: the resolved name if there is one."""
    return f"coalesce({end}_resolved, {end})"


def label(end: str) -> str:
    """Return SQL for the entity label of a triple's head or tail; empty if it has none.

    A resolved end has no label: its label would be the pronoun's or phrase's.
    """
    return f"CASE WHEN {end}_resolved IS NULL THEN coalesce({end}_type, '') ELSE '' END"

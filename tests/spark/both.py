"""A connection that runs every statement on DuckDB and on Spark, and compares their rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain
from typing import Any

import duckdb
import pyarrow as pa
from pyspark.errors import PySparkException

from graphrag_tasks.storage.spark_dialect import to_spark
from graphrag_tasks.storage.spark_sql import SparkConnection

_TOLERANCE = 1e-6
"""Of floats, relative and absolute."""


@dataclass
class Seen:
    """What was run: the statements, with the parameters filled in by none, and the differences."""

    statements: set[str] = field(default_factory=set)
    rows: int = 0
    differences: list[str] = field(default_factory=list)


class Fetched:
    """The rows of a statement, in the forms that stages read them."""

    def __init__(self, rows: pa.Table) -> None:
        self._rows = rows

    def fetchall(self) -> list[tuple[Any, ...]]:
        return list(zip(*map(_values, self._rows.columns), strict=True))

    def to_arrow_table(self) -> pa.Table:
        return self._rows

    def to_arrow_reader(self, batch_size: int) -> pa.RecordBatchReader:
        return self._rows.to_reader(batch_size)

    def fetchnumpy(self) -> dict[str, Any]:
        return {name: self._rows[name].to_numpy().copy() for name in self._rows.column_names}


class Both:
    """Runs statements on both engines; the caller gets DuckDB's rows."""

    def __init__(self, duck: duckdb.DuckDBPyConnection, spark: SparkConnection, seen: Seen) -> None:
        self._duck, self._spark, self._seen = duck, spark, seen
        self._filled: set[str] = set()

    def execute(self, query: str, parameters: Mapping[str, object] | None = None) -> Fetched:
        if " no_rows" in query or query.startswith("INSERT"):  # `add_rows`
            self._filled.add(query.split()[2])
            self._duck.execute(query)
            return Fetched(pa.table({}))
        for name in self._filled:
            self._spark.register(name, self._duck.sql(f"FROM {name}").to_arrow_table())
        self._filled.clear()
        self._seen.statements.add(query)
        made = to_spark(query, parameters)
        if made.kind == "rows":
            rows = self._duck.sql(query, params=parameters).to_arrow_table()
            self._compare(query, parameters, rows)
            return Fetched(rows)
        self._duck.execute(query, parameters)
        if made.kind == "drop":
            self._spark.execute(query)
            return Fetched(pa.table({}))
        rows = self._duck.sql(f"FROM {made.name}").to_arrow_table()
        if not self._compare(query, parameters, rows, made.name):
            self._spark.register(made.name, rows)  # what follows is compared by itself
        return Fetched(pa.table({}))

    def sql(self, query: str) -> Fetched:
        return self.execute(query)

    def register(self, name: str, rows: pa.Table | pa.RecordBatchReader) -> None:
        if isinstance(rows, pa.RecordBatchReader):
            rows = rows.read_all()
        self._duck.register(name, rows)
        if name not in ("no_rows", "batch"):
            self._spark.register(name, rows)

    def read_parquet(self, files: list[str]) -> _Files:
        return _Files(self._duck, self._spark, files)

    @contextmanager
    def cursor(self) -> Iterator[Both]:
        yield self

    def _compare(
        self, query: str, parameters: Mapping[str, object] | None, rows: pa.Table, name: str = ""
    ) -> bool:
        """Run a statement on Spark, and return whether it gives these rows; note it where not."""
        self._seen.rows += rows.num_rows
        try:
            found = self._spark.execute(query, parameters)
            others = (self._spark.sql(f"FROM {name}") if name else found).to_arrow_table()
        except PySparkException as error:
            differs = str(error).partition(";")[0][:500]
        else:
            differs = _difference(rows, others, named=bool(name))
        if differs:
            self._seen.differences.append(f"{differs}:\n{query}")
        return not differs


def _difference(rows: pa.Table, others: pa.Table, *, named: bool) -> str:
    if named and rows.column_names != others.column_names:
        return f"columns {rows.column_names} are {others.column_names}"
    here, there = _multiset(rows), _multiset(others)
    if len(here) != len(there):
        return f"{len(here)} rows are {len(there)}"
    for one, two in zip(here, there, strict=True):
        if len(one) != len(two) or not all(map(_equal, one, two)):
            return f"rows differ: {one} is {two}"
    return ""


@dataclass
class _Files:
    duck: duckdb.DuckDBPyConnection
    spark: SparkConnection
    files: list[str]

    def create_view(self, name: str) -> None:
        self.duck.read_parquet(self.files).create_view(name)
        self.spark.read_parquet(self.files).create_view(name)


def _values(column: pa.ChunkedArray) -> list[Any]:
    return [int(one) if isinstance(one, Decimal) else one for one in column.to_pylist()]


def _multiset(rows: pa.Table) -> list[list[Any]]:
    """Return rows in an order of their own, as flat lists of values."""
    found = [list(chain.from_iterable(map(_flat, row)))
             for row in zip(*map(_values, rows.columns), strict=True)]  # fmt: skip
    return sorted(found, key=lambda row: [f"{one:.4g}" if isinstance(one, float) else repr(one)
                                          for one in row])  # fmt: skip


def _flat(value: Any) -> Iterator[Any]:
    """Yield what a value consists of; lists of aggregates have no order."""
    if isinstance(value, Mapping):
        value = list(value.values())
    elif isinstance(value, list):
        value = sorted(value, key=repr)
    if isinstance(value, list):
        yield len(value)
        for one in value:
            yield from _flat(one)
    else:
        yield value


def _equal(one: Any, two: Any) -> bool:
    if isinstance(one, float) and isinstance(two, float):
        return math.isclose(one, two, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    return bool(one == two)

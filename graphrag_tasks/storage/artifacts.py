"""Read and write tables and receipts: the only module that touches Parquet and Arrow files.

Invariants, besides those of files (see `files`):

  * A stage's output counts only once `<stage>.receipt.json` exists, which is written last.
  * A table is cast to its schema on write and validated on read. *Absent* (`ArtifactError` with
    "does not exist"), *unreadable*, and *empty* (a table of no rows) are different answers.
  * The same rows give the same bytes: no time, host or run id is stored in a file.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from graphrag_tasks.core import schemas
from graphrag_tasks.core.commands import command
from graphrag_tasks.core.errors import ArtifactError, SnapshotError
from graphrag_tasks.storage.files import Files, absent

if TYPE_CHECKING:
    import pyarrow.dataset as ds
    from pydantic import TypeAdapter


Rows = NDArray[np.int64]  # Row numbers of a table.


def column(table: pa.Table, name: str) -> Any:  # noqa: ANN401 - an array of any Arrow type
    """Return a column as one array, without a copy if it already is one."""
    data = table[name]
    if not data.num_chunks:
        return pa.nulls(0, data.type)  # `combine_chunks` would import pandas for it, .4 s of a first question
    return data.chunk(0) if data.num_chunks == 1 else data.combine_chunks()


def numbers(values: Any) -> NDArray[Any]:  # noqa: ANN401 - an array of numbers of any type
    """Return numbers without nulls as an array over the same memory; booleans are copied.

    `Array.to_numpy` would import pandas if installed, half of the time of opening a store.
    """
    if pa.types.is_boolean(values.type):
        return numbers(values.cast(pa.uint8())).view(np.bool_)
    found: NDArray[Any] = np.from_dlpack(values)
    return found


def rows_of(table: pa.Table, name: str, ids: pa.Array[Any], what: str) -> Rows:
    """Return, for each value of an id column, its row in `ids`."""
    runs = pc.run_end_encode(column(table, name))  # rows of one document, say, lie together
    found = pc.index_in(runs.values, value_set=ids)
    if found.null_count:
        raise SnapshotError(
            f"{found.null_count} values of {name} name no row",
            what,
            f"The snapshot is damaged; publish it again: {command('index')}",
        )
    lengths = np.diff(numbers(runs.run_ends), prepend=0)
    rows: Rows = np.repeat(numbers(found).astype(np.int64), lengths)
    return rows


_REMEMBERED = 256  # Prefixes of which the place is remembered: those of one question.


class SortedTexts:
    """Finds texts of an array by bisection, without copies.

    Args:
        texts: An array of strings, sorted by bytes as `pyarrow.compute.sort_indices` does.
        order: Rows of the texts in sorted order, if the array itself is not sorted.
    """

    def __init__(self, texts: Any, order: Rows | None = None) -> None:  # noqa: ANN401 - an array
        _, ends, letters = texts.buffers()
        # A memory view gives Python's own integers, in a third of the time of NumPy's.
        self._bounds = memoryview(ends or bytes(4)).cast("i")[texts.offset :]
        self._letters = memoryview(letters or b"")
        self._rows = range(len(texts)) if order is None else order
        # A question is read several times, and each time its words begin the same texts.
        self._first_from = lru_cache(_REMEMBERED)(self._bisected)

    def __getitem__(self, row: int) -> bytes:
        start, end = self._bounds[row], self._bounds[row + 1]
        return bytes(self._letters[start:end])

    def row_of(self, text: object) -> int | None:
        """Return the row of a text, or None."""
        if not isinstance(text, str):
            return None
        wanted = text.encode("utf-8", "surrogatepass")
        row = self._first_from(wanted)
        return row if row is not None and self[row] == wanted else None

    def begins(self, text: str) -> bool:
        """Tell whether some text begins with this prefix."""
        wanted = text.encode("utf-8", "surrogatepass")
        row = self._first_from(wanted)
        return row is not None and self[row].startswith(wanted)

    def _bisected(self, wanted: bytes) -> int | None:
        place = bisect_left(self._rows, wanted, key=self.__getitem__)
        return int(self._rows[place]) if place < len(self._rows) else None


@dataclass(frozen=True)
class Table:
    """Number of rows of a table, and the sha256 of its file."""

    rows: int
    sha256: str


@dataclass(frozen=True)
class Receipt:
    """Result of a finished stage, passed between tasks: names and numbers, never data.

    Attributes:
        uri: Folder of the tables.
        fingerprint: Inputs, configuration, code and models that produced them.
        stats: Counts for the summary.
        seconds: Wall-clock time of the stage.
        cpu_seconds: CPU time of its process and workers.
        peak_memory_bytes: Highest resident memory of the process.
        reused: Whether an earlier run had already done the work.
    """

    stage: str
    uri: str
    fingerprint: str
    tables: dict[str, Table]
    stats: dict[str, int | float] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory_bytes: int = 0
    reused: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return plain dicts and numbers, for XCom and JSON."""
        return asdict(self) | {"schema_version": schemas.SCHEMA_VERSION}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Receipt:
        """Read what `as_dict` wrote."""
        receipt = _reader().validate_python(values)
        if missing := sorted({field.name for field in fields(cls)} - set(values)):
            raise ValueError(f"{', '.join(missing)} missing")
        return receipt


@cache
def _reader() -> TypeAdapter[Receipt]:
    from pydantic import TypeAdapter  # here, as who reads a snapshot reads no receipts

    return TypeAdapter(Receipt)


_ROWS_AT_ONCE = 256  # Rows decoded at a time, as a row may be megabytes.

_UNREADABLE = (pa.ArrowException, OSError, ValueError, TypeError, KeyError, MemoryError)
"""What Arrow raises on damaged files."""


class Folder(Files):
    """A folder of tables and receipts."""

    def write_table(self, table: str, data: pa.Table | pa.RecordBatchReader, *, fingerprint: str) -> Table:
        """Write `<table>.parquet`, with schema version and fingerprint in the footer.

        Rows are cast to the table's schema. A stream is held one row group at a time.
        """
        about = {"schema_version": str(schemas.SCHEMA_VERSION), "fingerprint": fingerprint}
        schema = conform(table, data.schema.empty_table()).schema.with_metadata(about)
        rows = 0
        name = f"{table}.parquet"
        with self._writing(name) as file, pq.ParquetWriter(file, schema, compression="zstd") as out:
            for group in cut(data, rows_of_group(table)):
                out.write_table(conform(table, group).replace_schema_metadata(about))
                rows += group.num_rows
        return Table(rows=rows, sha256=self.sha256(name))

    def read_table(self, table: str, columns: list[str] | None = None) -> pa.Table:
        """Return a table that `write_table` wrote, or some of its columns."""
        with self._parquet(table) as parquet:
            data = parquet.read(columns=columns)
        return conform(table, data, columns)

    def read_any_version(self, table: str, columns: Collection[str]) -> pa.Table:
        """Return the requested columns that a table has, whatever its schema version."""
        with self._parquet(table, any_version=True) as parquet:
            return parquet.read([name for name in parquet.schema_arrow.names if name in columns])

    def find_rows(self, table: str, column: str, value: str | int, columns: list[str] | None = None) -> pa.Table:
        """Return the rows with this value in a column, or some of their columns, with this one among them.

        Row groups without it are not read.
        """
        with self._parquet(table) as parquet:
            groups = _groups_that_may_have(parquet.metadata, column, value)
            found = [
                batch.filter(pc.equal(batch[column], value))
                for batch in parquet.iter_batches(batch_size=_ROWS_AT_ONCE, row_groups=groups, columns=columns)
            ]
            schema = parquet.schema_arrow
            return pa.Table.from_batches(
                found, pa.schema([one for one in schema if columns is None or one.name in columns])
            )

    @contextmanager
    def _parquet(self, table: str, *, any_version: bool = False) -> Iterator[pq.ParquetFile]:
        name = f"{table}.parquet"
        fs, _ = self._target
        with self._decoding(name, "Parquet"), fs.open(self.path(name), "rb") as file:
            parquet = pq.ParquetFile(file)
            if not any_version:
                _check_version(parquet.schema_arrow.metadata or {}, f"{self.uri}/{name}")
            yield parquet

    @contextmanager
    def _decoding(self, name: str, form: str) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise absent(self, name) from error
        except _UNREADABLE as error:
            raise ArtifactError(f"not readable as {form}: {error}", f"{self.uri}/{name}") from error

    def scan_table(self, table: str) -> ds.Dataset:
        """Return a table that `write_table` wrote, for reading by column and in batches."""
        import pyarrow.dataset as ds  # here, because it brings pandas along

        name = f"{table}.parquet"
        fs, _ = self._target
        with self._decoding(name, "Parquet"):
            found = ds.dataset(self.path(name), format="parquet", filesystem=fs)
        _check_version(found.schema.metadata or {}, f"{self.uri}/{name}")
        return found

    def write_arrow(self, name: str, data: pa.Table | pa.RecordBatchReader, *, in_batches: bool = False) -> Table:
        """Write an uncompressed Arrow file, which readers can memory-map.

        It is one batch, which is held in memory, for columns that readers address as one array; `in_batches`, it is as
        many as there would be row groups.
        """
        if isinstance(data, pa.RecordBatchReader) and not in_batches:
            data = data.read_all()
        rows = 0
        # Of 5.6 million vectors of 384 numbers, the numbers are too many for 32 bits.
        options = pa.ipc.IpcWriteOptions(allow_64bit=True)
        with self._writing(name) as file, pa.ipc.new_file(file, data.schema, options=options) as writer:
            for part in cut(data, _ROWS) if in_batches else [data.combine_chunks()]:
                writer.write_table(part)
                rows += part.num_rows
        return Table(rows=rows, sha256=self.sha256(name))

    def open_arrow(self, name: str) -> pa.Table:
        """Return an Arrow file's table, memory-mapped if the folder is local."""
        with self._decoding(name, "Arrow"):
            if self.is_local:
                return pa.ipc.open_file(pa.memory_map(self.path(name))).read_all()
            return pa.ipc.open_file(pa.py_buffer(self.read_bytes(name))).read_all()

    def write_receipt(self, receipt: Receipt) -> None:
        """Mark a stage's tables as complete."""
        self.write_json(_receipt_file(receipt.stage), receipt.as_dict())

    def read_receipt(self, stage: str) -> Receipt | None:
        """Return the receipt of a finished stage, or None if it is unfinished."""
        name = _receipt_file(stage)
        if not self.exists(name):
            return None
        try:
            return Receipt.from_dict(self.read_json(name))
        except ValueError as error:
            raise ArtifactError(
                f"is no receipt: {' '.join(str(error).split())}",
                f"{self.uri}/{name}",
                "Run again: the stage is done again",
            ) from error


def _receipt_file(stage: str) -> str:
    return f"{stage}.receipt.json"


def conform(table: str, data: pa.Table, columns: list[str] | None = None) -> pa.Table:
    """Return rows with the table's column order and types, for all or some columns."""
    schema = schemas.schema_of(table)
    if schema is None:
        return data
    if columns is not None:
        schema = pa.schema([schema.field(column) for column in columns])
    missing = set(schema.names) ^ set(data.column_names)
    if missing:
        raise ArtifactError(f"columns differ from the schema: {sorted(missing)}", table)
    plain = pa.schema([pa.field(f.name, f.type, f.nullable) for f in schema])
    try:
        return data.select(schema.names).replace_schema_metadata(None).cast(plain)
    except (pa.ArrowException, ValueError) as error:
        raise ArtifactError(f"values do not fit the schema: {error}", table) from error


def _groups_that_may_have(parquet: pq.FileMetaData, column: str, value: str | int) -> list[int]:
    """Return the row groups whose statistics allow this value."""
    paths = [parquet.schema.column(leaf).path for leaf in range(parquet.num_columns)]
    leaf = paths.index(column)
    of_type = parquet.schema.column(leaf).physical_type
    found = []
    for number in range(parquet.num_row_groups):
        values = parquet.row_group(number).column(leaf)
        if values.physical_type != of_type:  # pyarrow would end the process at its statistics
            raise ValueError(f"column {column} is {values.physical_type}, not {of_type}")
        if _may_have(values.statistics, value):
            found.append(number)
    return found


def _may_have(known: pq.Statistics | None, value: str | int) -> bool:
    if known is None:
        return True
    if known.has_min_max:
        return bool(known.min <= value <= known.max)
    return bool(known.num_values)  # none of them: all are null


def _check_version(metadata: Mapping[bytes, bytes], where: str) -> None:
    found = metadata.get(b"schema_version", b"none").decode("utf-8", "replace")
    if found != str(schemas.SCHEMA_VERSION):
        raise ArtifactError(
            f"has schema version {found}, this package reads {schemas.SCHEMA_VERSION}",
            where,
            f"Rebuild the index: {command('index', '--full-refresh')}",
        )


_ROWS = 1 << 17
_ROWS_READ = 1 << 13  # Rows of a row group, held in memory while written, and of a stream's batch. Chosen.
_ROWS_OF = {"frames": 1 << 15, "communities": 1 << 14}  # Tables with long rows.


def rows_of_group(table: str) -> int:
    """Return the number of rows of a table's row groups."""
    return _ROWS_OF.get(table, _ROWS)


def batches_of(rows: pa.Table | ds.Dataset, columns: list[str]) -> pa.RecordBatchReader:
    """Return columns of a table or dataset as a stream, in row order."""
    if isinstance(rows, pa.Table):
        return rows.select(columns).to_reader()
    return rows.scanner(columns=columns, batch_size=_ROWS_READ).to_reader()


def cut(rows: pa.Table | pa.RecordBatchReader, size: int) -> Iterator[pa.Table]:
    """Yield the rows in tables of this size, each a single chunk; the last may be smaller."""
    schema = rows.schema
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in rows.to_batches() if isinstance(rows, pa.Table) else rows:
        start = 0
        while count + batch.num_rows - start >= size:
            part = batch.slice(start, size - count)
            yield pa.Table.from_batches([*waiting, part], schema).combine_chunks()
            start += part.num_rows
            waiting, count = [], 0
        if start < batch.num_rows:
            waiting.append(batch.slice(start))
            count += batch.num_rows - start
    if waiting:
        yield pa.Table.from_batches(waiting, schema).combine_chunks()

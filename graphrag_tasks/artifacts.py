"""Reading and writing artifacts: the only module that touches Parquet, Arrow and JSON files.

What holds:
  * A table is written under a temporary name and renamed, or uploaded when it is whole: a reader
    sees all of it or nothing.
  * A stage's output counts only once its `<stage>.receipt.json` is there, which is written last.
  * A table is cast to its schema on write and validated on read. *Absent* (`ArtifactError` with
    "does not exist"), *unreadable*, and *empty* (a table of no rows) are different answers.
  * The same rows give the same bytes: no time, host or run id is stored in a file.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import posixpath
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from graphrag_tasks import schemas
from graphrag_tasks.errors import ArtifactError, TransientError
from graphrag_tasks.row_groups import cut, rows_of_group
from graphrag_tasks.storage import file_system, is_s3

if TYPE_CHECKING:
    import pyarrow.dataset as ds

_READ_BYTES = 1 << 20
_ROWS_AT_ONCE = 256
_REFUSALS = {
    errno.EACCES, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC, errno.EPERM, errno.EROFS,
}  # fmt: skip


@contextmanager
def changing(where: str) -> Iterator[None]:
    """Say of a change on disk that the system refuses what it was, and what to do.

    Args:
        where: The file or folder.

    Raises:
        TransientError: There is no room, no permission, or the storage is read-only or failing.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _REFUSALS:
            raise
        raise TransientError(
            f"the storage refuses: {error.strerror}",
            where,
            "What is published stays. Make room or allow writing, and run again: "
            "finished work is kept",
        ) from error


@dataclass(frozen=True)
class Table:
    """What a receipt says of one table.

    Attributes:
        rows: Number of rows.
        sha256: Hash of the file's bytes.
    """

    rows: int
    sha256: str


@dataclass(frozen=True)
class Receipt:
    """What a finished stage leaves behind and hands on: names and numbers, never data.

    Attributes:
        stage: Name of the stage.
        uri: Folder the tables lie in.
        fingerprint: Inputs, configuration, code and models that produced them.
        tables: Rows and hash of each table.
        stats: Counts for the summary.
        seconds: Wall-clock time of the stage's work.
        cpu_seconds: CPU time of its process and workers.
        peak_memory_bytes: Highest resident memory of the process during it.
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
        """Return plain dicts and numbers: what XCom and JSON can carry."""
        return asdict(self) | {"schema_version": schemas.SCHEMA_VERSION}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Receipt:
        """Read what `as_dict` wrote."""
        fields = {key: value for key, value in values.items() if key != "schema_version"}
        fields["tables"] = {name: Table(**table) for name, table in fields["tables"].items()}
        return cls(**fields)


class Folder:
    """A folder of artifacts at a path or URI, over any fsspec file system."""

    def __init__(self, uri: str | Path) -> None:
        self.uri = str(uri).rstrip("/")

    def __repr__(self) -> str:
        """Show where the folder is."""
        return f"Folder({self.uri!r})"

    @cached_property
    def _target(self) -> tuple[Any, str]:
        return file_system(self.uri)

    def __truediv__(self, name: str) -> Folder:
        """Return a folder below this one."""
        return Folder(posixpath.join(self.uri, name))

    def path(self, name: str = "") -> str:
        """Return a file's path on the folder's file system."""
        return posixpath.join(self._target[1], name) if name else self._target[1]

    @property
    def is_local(self) -> bool:
        """Whether the folder lies on the local disk, so that files can be memory-mapped."""
        protocol = self._target[0].protocol
        return "file" in ((protocol,) if isinstance(protocol, str) else protocol)

    def exists(self, name: str = "") -> bool:
        """Return whether the folder, or a file in it, is there."""
        return bool(self._target[0].exists(self.path(name)))

    def names(self) -> list[str]:
        """Return the sorted names of what lies directly in the folder; [] where it is absent."""
        fs, path = self._target
        if not fs.exists(path):
            return []
        return sorted(
            posixpath.basename(str(item).rstrip("/")) for item in fs.ls(path, detail=False)
        )

    def size(self, name: str) -> int:
        """Return a file's size in bytes."""
        return int(self._target[0].size(self.path(name)))

    def own_bytes(self) -> int:
        """Return the bytes below the folder that no other folder shares by a link."""
        if self.is_local:
            found = [one.stat() for one in Path(self.path()).rglob("*") if one.is_file()]
            return sum(one.st_size for one in found if one.st_nlink == 1)
        fs, path = self._target
        return int(sum(fs.du(path, total=False).values())) if fs.exists(path) else 0

    def last_written(self) -> datetime:
        """Return when a file below the folder was last written; the beginning of time if none."""
        fs, path = self._target
        times = [fs.modified(one) for one in fs.find(path)]
        times = [one if one.tzinfo else one.replace(tzinfo=UTC) for one in times]
        return max(times, default=datetime.min.replace(tzinfo=UTC))

    def delete(self, name: str = "") -> None:
        """Remove the folder and all below it, or one file; nothing where it is absent."""
        fs, _ = self._target
        if not self.exists(name):
            return
        with changing(self.uri):
            if is_s3(self.uri):  # rm would take brackets in a name for a pattern
                for file in fs.find(self.path(name)):
                    fs.rm_file(file)
            else:
                fs.rm(self.path(name), recursive=not name)

    def move_to(self, other: Folder, *, last: str) -> None:
        """Rename this folder to another place on the same file system.

        Args:
            other: The place.
            last: File that says that the folder is whole: where files are moved one by one, it
                comes after the others.
        """
        fs, path = self._target
        if self.is_local:
            with changing(other.uri):
                fs.makedirs(posixpath.dirname(other.path()), exist_ok=True)
                fs.mv(path, other.path(), recursive=True)
            return
        names = [str(one)[len(path) :].lstrip("/") for one in fs.find(path)]
        for name in sorted(names, key=lambda name: (name == last, name)):
            other.copy_file(name, self)
        self.delete()

    def copy_file(self, name: str, source: Folder) -> None:
        """Take a file of another folder over; on the local disk both share its bytes."""
        if self.is_local:
            with self._renaming(name) as temporary:
                temporary.unlink(missing_ok=True)
                source._take(name, temporary)
            return
        fs, _ = self._target
        with changing(f"{self.uri}/{name}"):
            fs.makedirs(posixpath.dirname(self.path(name)), exist_ok=True)
            fs.cp_file(source.path(name), self.path(name))

    def _take(self, name: str, target: Path) -> None:
        """Link a file to a place on the local disk, or copy it there."""
        if self.is_local:
            try:
                os.link(self.path(name), target)
            except OSError:  # another file system, or one without links
                shutil.copyfile(self.path(name), target)
            return
        with self._reading(name) as file, target.open("wb") as written:
            shutil.copyfileobj(file, written, _READ_BYTES)

    def sha256(self, name: str) -> str:
        """Return the hex sha256 of a file's bytes.

        Raises:
            ArtifactError: The file does not exist.
        """
        digest = hashlib.sha256()
        with self._reading(name) as file:
            while data := file.read(_READ_BYTES):
                digest.update(data)
        return digest.hexdigest()

    @contextmanager
    def _reading(self, name: str) -> Iterator[Any]:
        if not self.exists(name):
            raise _absent(self, name)
        try:
            file = self._target[0].open(self.path(name), "rb")
        except FileNotFoundError as error:
            raise _absent(self, name) from error
        with file:
            yield file

    def write_bytes(self, name: str, data: bytes) -> None:
        """Write a file, which others see as a whole or not at all."""
        with self._renaming(name) as temporary:
            temporary.write_bytes(data)

    @contextmanager
    def _writing(self, name: str) -> Iterator[Any]:
        """Open a file that others see once the block ended well, and then as a whole."""
        with self._renaming(name) as temporary, temporary.open("wb") as file:
            yield file

    @contextmanager
    def _renaming(self, name: str) -> Iterator[Path]:
        """Give a local file to write to; it gets its name, or is uploaded, when that ends well."""
        fs, _ = self._target
        final = self.path(name)
        with changing(f"{self.uri}/{name}"):
            fs.makedirs(posixpath.dirname(final), exist_ok=True)
            if not self.is_local:
                with tempfile.TemporaryDirectory() as work:
                    yield Path(work) / "file"
                    fs.put_file(str(Path(work) / "file"), final)
                return
            temporary = Path(f"{final}.writing")
            try:
                yield temporary
            except BaseException:
                if temporary.exists():  # on a read-only disk, not even an absent file is unlinked
                    temporary.unlink()
                raise
            temporary.replace(final)

    def read_bytes(self, name: str) -> bytes:
        """Return a file's bytes.

        Raises:
            ArtifactError: The file does not exist.
        """
        try:
            return bytes(self._target[0].cat_file(self.path(name)))
        except FileNotFoundError as error:
            raise _absent(self, name) from error

    def write_json(self, name: str, value: object) -> None:
        """Write a value as sorted, indented JSON."""
        text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        self.write_bytes(name, text.encode("utf-8"))

    def read_json(self, name: str) -> Any:  # noqa: ANN401 - JSON is any type
        """Return what a JSON file holds.

        Raises:
            ArtifactError: The file does not exist or is not JSON.
        """
        try:
            return json.loads(self.read_bytes(name))
        except ValueError as error:
            raise ArtifactError(f"not readable as JSON: {error}", f"{self.uri}/{name}") from error

    def write_table(
        self, table: str, data: pa.Table | pa.RecordBatchReader, *, fingerprint: str
    ) -> Table:
        """Write a table as Parquet, with its schema version and fingerprint in the footer.

        Args:
            table: Artifact name; the file is `<table>.parquet`.
            data: Rows, or a stream of them, of which one row group at a time is held; columns are
                cast to the artifact's schema.
            fingerprint: What produced the rows.

        Returns:
            Rows and hash for the receipt.

        Raises:
            ArtifactError: The rows do not fit the schema.
        """
        about = {"schema_version": str(schemas.SCHEMA_VERSION), "fingerprint": fingerprint}
        schema = conform(table, data.schema.empty_table()).schema.with_metadata(about)
        rows = 0
        name = f"{table}.parquet"
        with (
            self._writing(name) as file,
            pq.ParquetWriter(file, schema, compression="zstd") as writer,
        ):
            for group in cut(data, rows_of_group(table)):
                writer.write_table(conform(table, group).replace_schema_metadata(about))
                rows += group.num_rows
        return Table(rows=rows, sha256=self.sha256(name))

    def read_table(self, table: str, columns: list[str] | None = None) -> pa.Table:
        """Return a table that `write_table` wrote.

        Args:
            table: Artifact name.
            columns: Columns to read; all by default.

        Raises:
            ArtifactError: The file is absent, unreadable or of another schema version.
        """
        with self._parquet(table) as parquet:
            data = parquet.read(columns=columns)
        schema = schemas.schema_of(table)
        if schema is None:
            return data
        if columns is not None:
            schema = pa.schema([schema.field(column) for column in columns])
        return _cast(table, data, schema)

    def find_rows(self, table: str, column: str, value: str) -> pa.Table:
        """Return the rows of a table that have a value, without holding the others in memory.

        Args:
            table: Artifact name.
            column: Column of strings.
            value: What it must be.

        Raises:
            ArtifactError: As `read_table` does.
        """
        with self._parquet(table) as parquet:
            found = [
                batch.filter(pc.equal(batch[column], value))
                for batch in parquet.iter_batches(batch_size=_ROWS_AT_ONCE)
            ]
            return pa.Table.from_batches(found, schema=parquet.schema_arrow)

    @contextmanager
    def _parquet(self, table: str) -> Iterator[pq.ParquetFile]:
        name = f"{table}.parquet"
        where = f"{self.uri}/{name}"
        fs, _ = self._target
        try:
            with fs.open(self.path(name), "rb") as file:
                parquet = pq.ParquetFile(file)
                _check_version(parquet.schema_arrow.metadata or {}, where)
                yield parquet
        except FileNotFoundError as error:
            raise _absent(self, name) from error
        except (pa.ArrowInvalid, OSError) as error:
            raise ArtifactError(f"not readable as Parquet: {error}", where) from error

    def scan_table(self, table: str) -> ds.Dataset:
        """Return a table that `write_table` wrote, to be read by column and piece by piece.

        Args:
            table: Artifact name.

        Raises:
            ArtifactError: The file is absent, unreadable or of another schema version.
        """
        import pyarrow.dataset as ds  # here, because it brings pandas along

        name = f"{table}.parquet"
        if not self.exists(name):
            raise _absent(self, name)
        fs, _ = self._target
        try:
            found = ds.dataset(self.path(name), format="parquet", filesystem=fs)
        except (pa.ArrowInvalid, OSError) as error:
            raise ArtifactError(
                f"not readable as Parquet: {error}", f"{self.uri}/{name}"
            ) from error
        _check_version(found.schema.metadata or {}, f"{self.uri}/{name}")
        return found

    def write_arrow(self, name: str, data: pa.Table | pa.RecordBatchReader) -> Table:
        """Write an uncompressed Arrow file of one batch, which readers can memory-map.

        The batch is held in memory as a whole: readers address a column as one array.
        """
        if isinstance(data, pa.RecordBatchReader):
            data = data.read_all()
        with self._writing(name) as file, pa.ipc.new_file(file, data.schema) as writer:
            writer.write_table(data.combine_chunks())
        return Table(rows=data.num_rows, sha256=self.sha256(name))

    def open_arrow(self, name: str) -> pa.Table:
        """Return an Arrow file's table, memory-mapped where the folder is local.

        Raises:
            ArtifactError: The file is absent or not an Arrow file.
        """
        if not self.exists(name):
            raise _absent(self, name)
        try:
            if self.is_local:
                return pa.ipc.open_file(pa.memory_map(self.path(name))).read_all()
            return pa.ipc.open_file(pa.py_buffer(self.read_bytes(name))).read_all()
        except pa.ArrowInvalid as error:
            raise ArtifactError(f"not readable as Arrow: {error}", f"{self.uri}/{name}") from error

    def write_receipt(self, receipt: Receipt) -> None:
        """Mark a stage's tables as complete."""
        self.write_json(_receipt_file(receipt.stage), receipt.as_dict())

    def read_receipt(self, stage: str) -> Receipt | None:
        """Return the receipt of a stage's finished work, or None where it is not finished."""
        if not self.exists(_receipt_file(stage)):
            return None
        return Receipt.from_dict(self.read_json(_receipt_file(stage)))


def _receipt_file(stage: str) -> str:
    return f"{stage}.receipt.json"


def conform(table: str, data: pa.Table) -> pa.Table:
    """Return the rows in the artifact's column order and types.

    Raises:
        ArtifactError: A column is missing, unknown, of another type, or null where it may not be.
    """
    schema = schemas.schema_of(table)
    return data if schema is None else _cast(table, data, schema)


def _cast(table: str, data: pa.Table, schema: pa.Schema) -> pa.Table:
    missing = set(schema.names) ^ set(data.column_names)
    if missing:
        raise ArtifactError(f"columns differ from the schema: {sorted(missing)}", table)
    plain = pa.schema([pa.field(f.name, f.type, f.nullable) for f in schema])
    try:
        return data.select(schema.names).replace_schema_metadata(None).cast(plain)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
        raise ArtifactError(f"values do not fit the schema: {error}", table) from error


def _check_version(metadata: Mapping[bytes, bytes], where: str) -> None:
    found = metadata.get(b"schema_version", b"none").decode()
    if found != str(schemas.SCHEMA_VERSION):
        raise ArtifactError(
            f"has schema version {found}, this package reads {schemas.SCHEMA_VERSION}",
            where,
            "Rebuild the index: graphrag-tasks index SOURCE --full-refresh",
        )


def _absent(folder: Folder, name: str) -> ArtifactError:
    return ArtifactError("does not exist", f"{folder.uri}/{name}", "Run the stage before this one")

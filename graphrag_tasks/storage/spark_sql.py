"""SQL on Spark, with the subset of DuckDB's connection methods that stages use.

DuckDB's statements are translated (`spark_dialect`). Spark runs in this process's JVM, on a
cluster, or behind Spark Connect. Created tables stay in its executors until the connection closes;
results come to this process.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from graphrag_tasks.core.config import SqlConfig
from graphrag_tasks.core.errors import MissingDependencyError
from graphrag_tasks.core.extras import brought_by
from graphrag_tasks.storage.scratch import scratch
from graphrag_tasks.storage.spark_dialect import to_spark

if TYPE_CHECKING:
    import pyarrow.dataset as ds
    from pyspark.sql import DataFrame, SparkSession

REMOTE_VARIABLE = "SPARK_REMOTE"
"""Spark's own variable: address of a Spark Connect server, `sc://host:port`."""
_CONNECT = "sc://"
_JAVA = "Install Java 17 or newer (on Debian: apt-get install openjdk-17-jre-headless), or name a"
_OF_A_SESSION = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
}
"""Settings that a cluster may have changed and that affect rows."""


@contextmanager
def spark_connection(config: SqlConfig) -> Iterator[SparkConnection]:
    """Open an empty connection; its tables are freed at the end.

    Raises:
        MissingDependencyError: The extra `spark` or Java is not installed.
    """
    session, is_local = _session(config)
    with ExitStack() as stack:
        folder = stack.enter_context(scratch()) if is_local else None
        connection = SparkConnection(session, folder)
        stack.callback(connection.close)
        yield connection


def _session(config: SqlConfig) -> tuple[SparkSession, bool]:
    with brought_by("spark"):
        from pyspark.sql import SparkSession
    builder: Any = SparkSession.builder.appName("graphrag-tasks")
    master = config.spark_master or os.environ.get(REMOTE_VARIABLE) or f"local[{config.threads}]"
    is_local = master.startswith("local")
    if master.startswith(_CONNECT):
        builder = builder.remote(master)
    else:
        check_java()
        builder = builder.master(master)
    if is_local:
        for name, value in _local_settings(config).items():
            builder = builder.config(name, value)
    session: SparkSession = builder.getOrCreate().newSession()
    for name, value in _OF_A_SESSION.items():
        session.conf.set(name, value)
    return session, is_local


def _local_settings(config: SqlConfig) -> dict[str, str]:
    return {
        "spark.driver.memory": f"{config.memory_bytes >> 20}m",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        # as many tasks as threads: Spark's 200 are for clusters
        "spark.sql.shuffle.partitions": str(4 * config.threads),
    }


def check_java() -> None:
    """Check that Java is installed.

    Raises:
        MissingDependencyError: There is none on the path or in `JAVA_HOME`.
    """
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") or (home and shutil.which("java", path=f"{home}/bin"))):
        raise MissingDependencyError(
            "no Java is installed, which Spark needs (sql.engine is spark)",
            "spark",
            f"{_JAVA} Spark Connect server in {REMOTE_VARIABLE}, or set sql.engine to duckdb",
        )


class SparkRows:
    """Rows of a statement, computed when read."""

    def __init__(self, frame: DataFrame, connection: SparkConnection) -> None:
        self._frame, self._connection = frame, connection

    def fetchall(self) -> list[Any]:
        """Return all rows as tuples."""
        return [tuple(row) for row in self._frame.collect()]

    def to_arrow_table(self) -> pa.Table:
        """Return all rows."""
        return self.to_arrow_reader().read_all()

    def to_arrow_reader(self, batch_size: int = 1 << 17) -> pa.RecordBatchReader:
        """Return the rows in batches: through files if Spark runs in this process."""
        return self._connection.read(self._frame, batch_size)

    def fetchnumpy(self) -> dict[str, Any]:
        """Return all rows as an array for each column."""
        rows = self.to_arrow_table()
        return {name: rows[name].to_numpy().copy() for name in rows.column_names}

    def create_view(self, name: str) -> None:
        """Register the rows under a name for statements."""
        self._connection.know(name, self._frame)


class SparkConnection:
    """Runs DuckDB's statements on Spark; made by `spark_connection`.

    `session` has its own views; `scratch` is a folder that Spark and this process share, or None.
    """

    def __init__(self, session: SparkSession, scratch: Path | None) -> None:
        self._session, self._scratch = session, scratch
        self._kept: list[DataFrame] = []
        self._files = 0

    def execute(self, query: str, parameters: Mapping[str, object] | None = None) -> SparkRows:
        """Run a statement with parameter values."""
        statement = to_spark(query, parameters)
        if statement.kind == "drop":
            self._session.catalog.dropTempView(statement.name)
            return SparkRows(self._session.range(0), self)
        frame = self._session.sql(statement.query)
        if statement.kind == "table":
            frame = frame.persist()
            self._kept.append(frame)
        if statement.kind != "rows":
            self.know(statement.name, frame)
        return SparkRows(frame, self)

    def sql(self, query: str) -> SparkRows:
        """Run a statement."""
        return self.execute(query)

    def know(self, name: str, frame: DataFrame) -> None:
        """Register a frame under a name for statements, replacing earlier ones."""
        frame.createOrReplaceTempView(name)

    def register(self, name: str, rows: pa.Table | pa.RecordBatchReader | ds.Dataset) -> None:
        """Register rows of this process under a name for statements."""
        if isinstance(rows, pa.Table):
            self.know(name, self._frame_of(rows))
        elif isinstance(rows, pa.RecordBatchReader):
            self.fill(name, rows.schema, rows)
        else:
            self.fill(name, rows.schema, rows.to_batches())

    def read_parquet(self, files: list[str]) -> SparkRows:
        """Return the rows of files, whose paths every executor must see."""
        return SparkRows(self._session.read.parquet(*files), self)

    def fill(self, name: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
        """Create a table from batches: through a file if Spark runs in this process."""
        if self._scratch is None:
            self.know(name, self._frame_of(pa.Table.from_batches(batches, schema)))
            return
        file = self._scratch_path()
        with pq.ParquetWriter(file, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        self.know(name, self._session.read.parquet(str(file)))

    def read(self, frame: DataFrame, batch_size: int) -> pa.RecordBatchReader:
        """Return the rows of a frame, in order."""
        if self._scratch is None:
            return frame.toArrow().to_reader(batch_size)
        folder = self._scratch_path()
        frame.write.parquet(str(folder))
        files = sorted(folder.glob("part-*.parquet"))  # the order of an ORDER BY
        schema = pq.read_schema(files[0])

        def batches() -> Iterator[pa.RecordBatch]:
            for file in files:
                with pq.ParquetFile(file) as parquet:
                    yield from parquet.iter_batches(batch_size)
                file.unlink()

        return pa.RecordBatchReader.from_batches(schema.remove_metadata(), batches())

    @contextmanager
    def cursor(self) -> Iterator[SparkConnection]:
        """Yield a connection for reading while this one writes: itself."""
        yield self

    def close(self) -> None:
        """Free the created tables."""
        for frame in self._kept:
            frame.unpersist()

    def _frame_of(self, rows: pa.Table) -> DataFrame:
        from pyspark.sql.pandas.types import from_arrow_schema

        if rows.num_rows:
            return self._session.createDataFrame(rows)
        # Spark Connect takes no table without rows.
        return self._session.createDataFrame([], from_arrow_schema(rows.schema))

    def _scratch_path(self) -> Path:
        self._files += 1
        return (self._scratch or Path()) / f"{self._files}.parquet"

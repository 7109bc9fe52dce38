"""Statements in files, and databases: each begins empty, whatever was done before."""

import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.operations.retention import collect_garbage
from graphrag_tasks.storage.files import scratch
from graphrag_tasks.storage.snapshots.store import Store
from graphrag_tasks.storage.sql import sql_over

ROWS = pa.table({"name": ["VBBS", "VBBE"]})


def count(query: str, **tables: pa.Table) -> int:
    with sql_over(tables) as connection:
        (row,) = connection.sql(query).fetchall()
        return int(row[0])


def test_what_fails_while_a_stream_is_read_is_what_is_said() -> None:
    def failing() -> None:
        with ExitStack() as stack:
            connection = stack.enter_context(sql_over({}))
            rows = connection.sql("SELECT * FROM range(10000000)").to_arrow_reader(1000)
            result = StageResult({"rows": rows}, {}, stack.pop_all())
        with result:
            next(iter(rows))
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        failing()
    assert count("SELECT 1") == 1


def test_a_database_knows_nothing_of_the_one_before() -> None:
    with sql_over({"names": ROWS}) as connection:
        connection.execute("CREATE TABLE kept AS FROM names")
        connection.execute("CREATE VIEW shown AS FROM kept")
        connection.register("kept", ROWS)  # hides the table
    made = "SELECT (SELECT count(*) FROM duckdb_tables()) + (SELECT count(*) FROM duckdb_views() WHERE NOT internal)"
    assert count(made) == 0
    assert count("SELECT count(*) FROM names", names=ROWS.slice(1)) == 1


SPILLS = """
import os, signal
from graphrag_tasks.storage import sql
from graphrag_tasks.storage.sql import sql_over

sql.MEMORY_BYTES = 100_000_000
with sql_over({}) as connection:
    connection.execute("CREATE TABLE words AS SELECT uuid() AS word FROM range(8000000)")
    assert os.listdir(os.environ["TMPDIR"])
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("by", ["a next database", "gc"])
def test_what_a_killed_process_set_aside_is_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with scratch() as held:
        environment = os.environ | {"TMPDIR": str(held.parent)}
        subprocess.run([sys.executable, "-c", SPILLS], env=environment, check=False)  # noqa: S603
        left = sum(file.stat().st_size for file in held.parent.rglob("*") if file.is_file())
        assert left > 1 << 20
        if by == "gc":
            keep, age = 1, timedelta(days=1)
            collect_garbage(Store(str(tmp_path / "store")), keep=keep, staging_age=age)
        else:
            with scratch():
                pass
        assert list(held.parent.iterdir()) == [held]

"""Statements in files, and databases: each begins empty, whatever was done before."""

import os
import subprocess
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from graphrag_tasks.core.config import SqlConfig
from graphrag_tasks.operations.retention import collect_garbage
from graphrag_tasks.storage.scratch import scratch
from graphrag_tasks.storage.snapshots.store import Store
from graphrag_tasks.storage.sql import label, sql_over, statements, surface

FILE = """\
-- name: ends
-- Both ends of each triple.
SELECT {head_surface} AS surface, {head_label} AS type FROM triples WHERE rule = '{rule}'

-- name: short
SELECT name FROM names WHERE regexp_full_match(name, '[A-Z]{3,6}')
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "package_of_sql"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "steps.sql").write_text(FILE)
    monkeypatch.syspath_prepend(tmp_path)
    return folder.name


def test_statements_have_names_and_values(package: str) -> None:
    found = statements(package, "steps.sql", rule="alias")
    assert list(found) == ["ends", "short"]
    assert f"SELECT {surface('head')} AS surface, {label('head')} AS type" in found["ends"]
    assert "rule = 'alias'" in found["ends"]
    assert "{3,6}" in found["short"]


def test_a_value_that_is_not_given_is_named(package: str) -> None:
    with pytest.raises(KeyError, match="rule"):
        statements(package, "steps.sql")


ROWS = pa.table({"name": ["VBBS", "VBBE"]})


def count(query: str, **tables: pa.Table) -> int:
    with sql_over(tables, SqlConfig(threads=1)) as connection:
        (row,) = connection.sql(query).fetchall()
        return int(row[0])


def test_a_database_knows_nothing_of_the_one_before() -> None:
    with sql_over({"names": ROWS}, SqlConfig(threads=1)) as connection:
        connection.execute("CREATE TABLE kept AS FROM names")
        connection.execute("CREATE VIEW shown AS FROM kept")
        connection.register("kept", ROWS)  # hides the table
    made = (
        "SELECT (SELECT count(*) FROM duckdb_tables()) "
        "+ (SELECT count(*) FROM duckdb_views() WHERE NOT internal)"
    )
    assert count(made) == 0
    assert count("SELECT count(*) FROM names", names=ROWS.slice(1)) == 1


def test_a_file_that_was_written_anew_is_read_anew(tmp_path: Path) -> None:
    file, found = tmp_path / "names.parquet", []
    for rows in (ROWS, ROWS.take([1, 0])):
        pq.write_table(rows, file)
        os.utime(file, (0, 0))
        with sql_over({"names": ds.dataset(file)}, SqlConfig(threads=1)) as connection:
            found += connection.sql("SELECT first(name) FROM names").fetchall()
    assert found == [("VBBS",), ("VBBE",)]


def test_databases_in_use_at_once_are_two() -> None:
    with sql_over({"names": ROWS}, SqlConfig(threads=1)) as connection:
        assert count("SELECT count(*) FROM names", names=ROWS.slice(1)) == 1
        assert connection.sql("SELECT count(*) FROM names").fetchall() == [(2,)]


def test_a_database_whose_work_failed_is_not_used_again() -> None:
    with pytest.raises(RuntimeError), sql_over({"names": ROWS}, SqlConfig(threads=1)) as failed:
        raise RuntimeError
    with sql_over({}, SqlConfig(threads=1)) as connection:
        assert connection is not failed


FORKS = """
import os
from graphrag_tasks.core.config import SqlConfig
from graphrag_tasks.storage.sql import sql_over

def one():
    with sql_over({}, SqlConfig(threads=2)) as connection:
        return connection.sql("SELECT count(*) FROM range(1000000)").fetchall() == [(1000000,)]

assert one()
child = os.fork()
if not child:
    os._exit(0 if one() else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert one()
"""


def test_a_child_process_has_a_database_of_its_own() -> None:
    subprocess.run([sys.executable, "-c", FORKS], check=True, timeout=60)  # noqa: S603


SPILLS = """
import os, signal
from graphrag_tasks.core.config import SqlConfig
from graphrag_tasks.storage.sql import sql_over

with sql_over({}, SqlConfig(threads=1, memory_bytes=100_000_000)) as connection:
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

"""Spark as an engine where it is not installed, and patterns in the words of Java."""

import sys

import pyarrow as pa
import pytest

from graphrag_tasks.core.commands import install_command
from graphrag_tasks.core.config import SqlConfig
from graphrag_tasks.core.errors import MissingDependencyError
from graphrag_tasks.storage import spark_sql
from graphrag_tasks.storage.spark_dialect import java_pattern
from graphrag_tasks.storage.sql import sql_over

ROWS = {"names": pa.table({"name": ["VBBS"]})}
SPARK = SqlConfig(engine="spark")


def test_an_engine_that_is_not_installed_is_one_line_with_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingDependencyError) as raised, sql_over(ROWS, SPARK, on_spark=True):
        pass
    assert install_command("spark") in str(raised.value)


def test_without_java_it_is_said_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path_factory.mktemp("empty")))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(MissingDependencyError, match="no Java is installed") as raised:
        spark_sql.check_java()
    assert "openjdk-17-jre-headless" in str(raised.value)
    assert "sql.engine to duckdb" in str(raised.value)


@pytest.mark.parametrize(
    ("pattern", "java"),
    [
        (r"a$", r"(?d)a\z"),
        (r"[$\s]\s", r"(?d)[$\t\n\f\r ][\t\n\f\r ]"),
        (r"[^[]\[", r"(?d)[^\[]\["),
        (r"(?i)x\p{Ll}", r"(?d)(?iu)x\p{Ll}"),
        (r"\\b", r"(?d)\\b"),
        (r"&[a&&b]", r"(?d)&[a\&\&b]"),
    ],
)
def test_patterns_match_the_same_in_java(pattern: str, java: str) -> None:
    assert java_pattern(pattern) == java

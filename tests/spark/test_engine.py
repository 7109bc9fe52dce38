"""The two stages that run on Spark write the same files as on DuckDB."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from unicodedata import category

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from benchmarks.spark import measure
from graphrag_tasks.core.config import SqlConfig
from graphrag_tasks.storage.sql import Connection, add_rows, sql_over

pytestmark = pytest.mark.spark

Opened = Callable[..., Connection]


@pytest.fixture
def opened() -> Opened:
    """Opens a connection to an engine, on tables; closed after the test."""
    with ExitStack() as stack:
        yield lambda engine, **tables: stack.enter_context(
            sql_over(tables, SqlConfig(engine=engine), on_spark=True)
        )


def test_files_are_equal(tmp_path: Path) -> None:
    rows = list(measure(tmp_path, 3_000, {"threads": 2}))
    assert len(rows) == 4
    assert all(row.endswith("| equal |") for row in rows), rows


def test_letters_are_lowered_alike(opened: Opened) -> None:
    """Every letter that this Python knows, within a word, at its end, and alone.

    Of letters that are newer than DuckDB's tables (Unicode 16), Spark lowers some more.
    """
    letters = [one for one in map(chr, range(1, 0x110000)) if category(one)[0] == "L"]
    words = pa.table({"word": [text for one in letters for text in (one, f"a{one}", f"{one}b")]})
    query = "SELECT word, lower(word) FROM words ORDER BY word"
    here, there = (dict(opened(engine, words=words).sql(query).fetchall())
                   for engine in ("duckdb", "spark"))  # fmt: skip
    assert {word: (low, there[word]) for word, low in here.items() if low != there[word]} == {}


@pytest.mark.parametrize(
    "pattern",
    [r"\bis\b", r"a.b", r"x$", r"\s", r"\S+", r"(?i)k", r"^[^[]", r"\w+", r"\p{L}+$", r"[\pL&&]+"],
)
def test_patterns_match_alike(opened: Opened, pattern: str) -> None:
    texts = ["éis a", "is", "a\rb", "a\u2028b", "a\nb", "x\n", "x", "\x0b", "\u00a0", "K", "[", "é",
             "Σ", "1", "&", "", "a[", "\x85"]  # fmt: skip
    query = f"SELECT text, regexp_matches(text, '{pattern}') FROM texts ORDER BY text"  # noqa: S608 - of the test
    here, there = (opened(engine, texts=pa.table({"text": texts})).sql(query).fetchall()
                   for engine in ("duckdb", "spark"))  # fmt: skip
    assert here == there


def test_rows_keep_their_order_and_tables_are_forgotten(opened: Opened) -> None:
    numbers = pa.table({"number": pa.array(range(300_000), pa.int64())})
    connection = opened("spark", numbers=numbers)
    found = connection.sql("SELECT number FROM numbers ORDER BY number DESC").to_arrow_table()
    assert found["number"].to_pylist() == list(reversed(range(300_000)))
    add_rows(connection, "few", numbers.schema, numbers.slice(0, 3).to_batches())
    assert connection.sql("SELECT sum(number) FROM few").fetchall() == [(3,)]
    with pytest.raises(Exception, match="TABLE_OR_VIEW_NOT_FOUND"):
        opened("spark").sql("SELECT * FROM few").fetchall()


def test_a_dataset_that_is_no_file_is_read(opened: Opened) -> None:
    rows = ds.dataset(pa.table({"number": [1, 2]}))
    assert opened("spark", rows=rows).sql("SELECT sum(number) FROM rows").fetchall() == [(3,)]

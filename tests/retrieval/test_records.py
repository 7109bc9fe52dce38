"""Rows of a table read from its buffers are what Arrow says they are."""

from __future__ import annotations

import pyarrow as pa
import pytest

from graphrag_tasks.retrieval.view.arrays import Records

TABLE = pa.table(
    {
        "text": pa.array(["", "S/4HANA", "Señor — 東京", "end"]),
        "long": pa.array(["a", None, "ccc", ""], pa.large_string()),
        "label": pa.array([None, "ORG", None, "GPE"]),
        "page": pa.array([None, 2, None, 4], pa.int32()),
        "weight": pa.array([0.1, 2.0, None, 3.5], pa.float32()),
        "unknown": pa.array([None] * 4, pa.int32()),
        "negated": pa.array([True, False, None, True]),
        "path": pa.array([["A", "B"], [], None, ["C"]]),
    }
)
ROWS = [3, 0, 0, 2, 1]


def as_arrow_says(table: pa.Table, rows: list[int]) -> list[dict[str, object]]:
    return table.take(pa.array(rows, pa.int64())).to_pylist()


def test_rows_are_given_in_the_order_asked_for() -> None:
    assert Records(TABLE).at(ROWS) == as_arrow_says(TABLE, ROWS)
    assert list(Records(TABLE).at([1])[0]) == TABLE.column_names


@pytest.mark.parametrize("start", [1, 2, 3])
def test_a_part_of_a_table_is_read_from_where_it_begins(start: int) -> None:
    part = TABLE.slice(start)
    rows = list(range(len(part)))
    assert Records(part).at(rows) == as_arrow_says(part, rows)


def test_a_table_in_several_pieces_is_read_as_one() -> None:
    table = pa.concat_tables([TABLE, TABLE.slice(2)])
    assert Records(table).at([5, 1]) == as_arrow_says(table, [5, 1])


def test_an_empty_table_has_no_rows() -> None:
    assert Records(TABLE.schema.empty_table()).at([]) == []
    assert Records(TABLE).at([]) == []

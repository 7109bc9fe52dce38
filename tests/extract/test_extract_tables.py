"""Rows of tables: which column names the rows, what the others say, and what is left out."""

from typing import Any

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.extract.tables import TableCounts, row_facts


def cells(header: list[str] | None, *rows: list[str | int | None]) -> tuple[pa.Table, str]:
    """Return a table's cells, and the document text, whose lines are its rows."""
    text, found = "", []
    base: dict[str, Any] = dict.fromkeys(schemas.CELLS.names)
    base |= {"document_id": "d", "ordinal": 0, "row_span": 1, "col_span": 1, "is_row_header": False}
    for number, row in enumerate(rows):
        for column, value in enumerate(row):
            if value is None:
                continue
            start = len(text)
            text += f"{value} | "
            found.append(
                base | {
                    "row": number, "column": column, "is_header": False,
                    "header": header[column] if header else None, "text": str(value),
                    "value_type": "text" if isinstance(value, str) else "integer",
                    "number": None if isinstance(value, str) else float(value),
                    "char_start": start, "char_end": start + len(str(value)),
                }
            )  # fmt: skip
        text += "\n"
    return pa.Table.from_pylist(found, schema=schemas.CELLS), text


def facts(table: tuple[pa.Table, str], max_rows: int = 100) -> tuple[list[str], TableCounts]:
    counts = TableCounts()
    found = []
    for frame in row_facts(table[0], max_rows=max_rows, counts=counts):
        head, tail = frame.arguments
        assert table[1][head.start : head.end] == head.text
        assert table[1][tail.start : tail.end] == tail.text
        assert frame.start == tail.start
        found.append(f"{head.text} | {frame.predicate_lemma} | {tail.text}")
    return found, counts


def test_a_row_is_its_key_and_what_the_other_columns_say() -> None:
    found, counts = facts(
        cells(["Table", "Component", "Used in", "Rows"], ["VBBS", "Sales", "Planning", 7], ["VBBE", "Sales", None, 9])
    )
    assert found == [
        "VBBS | component | Sales", "VBBS | be used in | Planning", "VBBS | rows | 7",
        "VBBE | component | Sales", "VBBE | rows | 9",
    ]  # fmt: skip
    assert (counts.table_rows, counts.table_numbers) == (2, 2)


def test_words_that_tell_kinds_of_rows_apart_are_values_and_no_things() -> None:
    table, _ = cells(
        ["Job", "Status", "Late", "By"], *([f"J-{n}", "paid", "No", "Roe"] for n in range(3)), ["K", "sent", "y"]
    )
    values = [frame.arguments[1] for frame in row_facts(table, max_rows=100, counts=TableCounts())]
    assert {one.text for one in values if one.entity_type == "CATEGORY"} == {"paid", "No", "y"}


def test_old_and_new_columns_say_what_replaces_what() -> None:
    assert facts(cells(["Old table", "New table"], ["VBBS", "VBBE"]))[0] == ["VBBS | be replaced by | VBBE"]
    assert facts(cells(["New field", "Obsolete field"], ["A1", "B1"]))[0] == ["A1 | replace | B1"]
    assert facts(cells(["Object", "Replaced by"], ["A1", "B1"]))[0] == ["A1 | be replaced by | B1"]


def test_a_cell_over_several_rows_is_said_of_each() -> None:
    table, text = cells(["Plant", "Machine"], ["Lyon", "Boiler"], [None, "Chiller"], ["Turin", "Press"], ["Closed"])
    rows = table.to_pylist()
    rows[0]["row_span"], rows[-1]["col_span"] = 2, 2
    merged = pa.Table.from_pylist(rows, schema=schemas.CELLS)
    found = list(row_facts(merged, max_rows=100, counts=TableCounts()))
    assert [[argument.text for argument in frame.arguments] for frame in found] == [
        ["Boiler", "Lyon"], ["Chiller", "Lyon"], ["Press", "Turin"]
    ]  # fmt: skip
    assert text[found[1].start : found[1].end] == "Chiller"  # in the line that it is about


def test_tables_without_names_for_rows_or_columns_say_nothing() -> None:
    same = cells(["State", "Remark"], ["ok", "ok"], ["ok", "ok"], ["ok", "ok"], ["ok", "ok"])
    assert facts(same)[0] == []
    assert facts(cells(None, ["A1", "B1"], ["A2", "B2"]))[0] == []
    assert facts(cells(["Text"], ["A1"], ["A2"]))[0] == []


def test_rows_over_the_limit_are_counted() -> None:
    table = cells(["Name", "Kind"], *([f"A{n}", "final"] for n in range(10)))
    found, counts = facts(table, max_rows=3)
    assert len(found) == 3
    assert (counts.table_rows, counts.table_rows_over_limit) == (3, 7)

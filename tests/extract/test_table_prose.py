"""Prose in cells of tables: sentences of their own, about the key of their row."""

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.parse.tables import Cell, lay_out_table

Read = Callable[[Sequence[str], Sequence[Sequence[str]]], StageResult]


@pytest.fixture(name="read_table")
def read_table_fixture(
    blocks_of: Callable[..., list[dict[str, Any]]], read_documents: Callable[..., StageResult]
) -> Read:
    """Return what reads a document of a sentence and a table."""

    def read(header: Sequence[str], rows: Sequence[Sequence[str]]) -> StageResult:
        found = [Cell(0, column, text, is_header=True) for column, text in enumerate(header)]
        found += [
            Cell(number, column, text) for number, row in enumerate(rows, start=1) for column, text in enumerate(row)
        ]
        text, table = lay_out_table(found)
        blocks = blocks_of("d", ["The report reads table MKPF.", text])
        blocks[1]["kind"] = "table"
        at = blocks[1]["char_start"]
        columns = [dict(zip(table.cells, one, strict=True)) for one in zip(*table.cells.values(), strict=True)]
        cells = [
            dict.fromkeys(schemas.CELLS.names) | {
                "document_id": "d", "ordinal": 1,
                **{name: value for name, value in row.items() if name in schemas.CELLS.names},
                "header": None if row["is_header"] else table.headers.get(row["column"]),
                "char_start": None if row["start"] is None else row["start"] + at,
                "char_end": None if row["end"] is None else row["end"] + at,
            }
            for row in columns
        ]  # fmt: skip
        return read_documents(blocks, pa.Table.from_pylist(cells, schema=schemas.CELLS))

    return read


def facts(result: StageResult) -> list[str]:
    return [
        f"{row['head_resolved'] or row['head']} | {row['relation']} | {row['tail']}"
        for row in result.tables["triples"].to_pylist()
    ]


HEADER = ("Field", "Description", "Type")


def test_sentences_of_a_cell_are_rows_at_their_places(read_table: Read) -> None:
    prose = "The field holds the open quantity. It is filled by the planning run every night."
    result = read_table(HEADER, [["OMENG", prose, "Quantity"], ["WERKS", "Plant", "Text"]])
    rows = [(row["text"], row["has_verb"]) for row in result.tables["sentences"].to_pylist()]
    assert rows == [
        ("The report reads table MKPF.", True),
        ("Field: OMENG | Description:", False),
        ("The field holds the open quantity.", True),
        ("It is filled by the planning run every night.", True),
        ("Type: Quantity", False),
        ("Field: WERKS | Description: Plant | Type: Text", False),
    ]
    starts = [row["char_start"] for row in result.tables["sentences"].to_pylist()]
    assert starts == sorted(starts)


def test_a_clause_without_a_subject_is_about_the_key(read_table: Read) -> None:
    result = read_table(
        HEADER,
        [
            ["OMENG", "Contains the open quantity of a plant.", "Quantity"],
            ["WERKS", "Used to store the plant.", "Text"],
            ["LGORT", "Can hold storage locations.", "Text"],
            ["CHARG", "Specifies batches", "Text"],
        ],
    )
    found = facts(result)
    assert "OMENG | contain | open quantity of a plant" in found
    assert "WERKS | be used to store | plant" in found
    assert "LGORT | hold | storage locations" in found
    assert "CHARG | specify | batches" in found
    assert "OMENG | type | Quantity" in found
    assert not any("Specifies" in fact for fact in found)


def test_a_phrase_is_what_the_key_is_or_what_the_header_says(read_table: Read) -> None:
    result = read_table(
        ("Field", "Description", "Limits"),
        [
            [
                "OMENG",
                "The open quantity that is left of an order at the end of the day.",
                "Plants of other company codes that are not active in the current planning run.",
            ]
        ],
    )
    found = facts(result)
    assert "OMENG | be | open quantity" in found
    assert any(fact.startswith("OMENG | limits | Plants") for fact in found)


def test_a_command_at_the_start_of_a_cell_is_about_the_key(read_table: Read) -> None:
    found = facts(read_table(HEADER, [["URL", "Enter the address of the system.", "Text"]]))
    assert "URL | enter | address of the system" in found
    found = facts(read_table(HEADER, [["URL", "Using the address, you can find it.", "Text"]]))
    assert not any(fact.startswith("URL | use") for fact in found)

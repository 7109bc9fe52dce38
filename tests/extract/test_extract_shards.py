"""The same rows whatever the shards, the batches and the order of the documents."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks.core.stage import StageResult

Row = dict[str, Any]
Blocks = Callable[[str, list[str]], list[Row]]
Read = Callable[..., StageResult]

TABLES = {"frames": "frame_id", "triples": "triple_id", "coreferences": "start"}
"""What is compared, and a column that orders rows of one sentence."""

DOCUMENTS = {
    "guide": [
        "# Migration report",
        "The migration report lists all objects of table VBBS. It replaces transaction SE38.",
        "Use transaction VA01 to create orders. It does not support pool tables.",
        "* Optional: it reads the report.",
        "* adjust_numbers: Provides final numbers for the report.",
        "# Service plans",
        "The tool (TCT) supports:",
        "* Full copies",
        "* Shell copies of systems, which hold no data",
    ],
    "copy": [
        "The migration report lists all objects of table VBBS. It replaces transaction SE38.",
        "it reads the report. Reads the report",
        "* it reads the report.",
    ],
    "life": [
        "# Mary Jones",
        "John Smith met Mary Jones in Berlin in 1990. She told him that she had left SAP SE. "
        "He wrote her letters. They say that his sister Ann knew it.",
        "Mary Jones, who was an engineer, said her work at Siemens had ended before he came.",
    ],
    "odd": [
        "§ … ?! 🙂", "word", "( ) " * 600, "да нет 表", "a" * 3_000, "It reads\tKONV \n it ends.",
        "/SCMB/TOOL reads --foo-bar; <host> is the name of the server that runs it.",
    ],
    "twin": ["The report ends.", "The report ends.", "The migration report ends. The report ends."],
}  # fmt: skip


def rows_of(result: StageResult, name: str) -> list[Row]:
    order = ("document_id", "chunk_id", "sentence_id", TABLES[name])
    return sorted(result.tables[name].to_pylist(), key=lambda row: tuple(str(row[one]) for one in order))


def joined(parts: Sequence[StageResult]) -> dict[str, list[Row]]:
    tables = {name: pa.concat_tables([one.tables[name] for one in parts]) for name in TABLES}
    return {name: rows_of(StageResult(tables, {}), name) for name in TABLES}


@pytest.fixture(name="rows", scope="module")
def rows_fixture(blocks_of: Blocks) -> list[Row]:
    """Blocks of all documents, each twice, so that sentences of several share a batch."""
    names = [*DOCUMENTS, *(f"{name}-again" for name in DOCUMENTS)]
    return [row for name in names for row in blocks_of(name, DOCUMENTS[name.removesuffix("-again")])]


@pytest.fixture(name="expected", scope="module")
def expected_fixture(rows: list[Row], read_documents: Read) -> dict[str, list[Row]]:
    found = joined([read_documents(rows)])
    assert all(found.values())
    return found


@pytest.mark.parametrize(("shards", "seed"), [(1, 1), (3, 2), (10, 3)])
def test_rows_depend_on_their_document_alone(
    rows: list[Row], expected: dict[str, list[Row]], shards: int, seed: int, read_documents: Read
) -> None:
    names = sorted({row["document_id"] for row in rows})
    random.Random(seed).shuffle(names)
    parts = []
    for number in range(shards):
        shard = [row for row in rows if row["document_id"] in names[number::shards]]
        random.Random(seed).shuffle(shard)
        parts.append(read_documents(shard))
    assert joined(parts) == expected

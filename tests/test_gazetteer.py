"""Gazetteer: titles and headings are names, headings that name nothing are not."""

from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks import schemas
from graphrag_tasks.config import GazetteerConfig, SqlConfig
from graphrag_tasks.gazetteer import gazetteer, name_forms, plain_heading


def run(*documents: tuple[str, list[list[str]]], source: str = "heading") -> list[dict[str, Any]]:
    """List the names of documents, each a title and the heading path of each of its chunks."""
    titles = [
        {"document_id": f"d{number}", "title": title, "title_source": source}
        for number, (title, _) in enumerate(documents)
    ]
    chunks = [
        {"chunk_id": f"d{number}c{place}", "document_id": f"d{number}", "heading_path": path}
        for number, (_, paths) in enumerate(documents)
        for place, path in enumerate(paths)
    ]
    schema = pa.schema(
        [schemas.CHUNKS.field(name) for name in ("chunk_id", "document_id", "heading_path")]
    )
    fields = [schemas.DOCUMENTS.field(name) for name in ("document_id", "title", "title_source")]
    result = gazetteer(
        pa.Table.from_pylist(titles, schema=pa.schema(fields)),
        pa.Table.from_pylist(chunks, schema=schema),
        config=GazetteerConfig(repeated_documents=3),
        sql=SqlConfig(),
    )
    found: list[dict[str, Any]] = result.tables["gazetteer"].to_pylist()
    return found


def test_a_title_names_all_chunks_and_a_heading_those_below_it() -> None:
    rows = run(("Stock", [["Stock"], ["Stock", "Lot sizes"]]))
    assert {(row["name"], row["source"], row["chunk_id"]) for row in rows} == {
        ("Stock", "title", "d0c0"), ("Stock", "title", "d0c1"), ("Stock", "heading", "d0c0"),
        ("Stock", "heading", "d0c1"), ("Lot sizes", "heading", "d0c1"),
    }  # fmt: skip


def test_headings_that_say_what_a_section_is_for_are_no_names() -> None:
    documents = [(f"Thing {n}", [["Prerequisites"], ["2.1 Key Points"], [f"Part {n}"]])
                 for n in range(3)]  # fmt: skip
    problems = {row["name"]: row["problem"] for row in run(*documents)}
    assert problems["Prerequisites"] == "generic"
    assert problems["Key Points"] == "repeated"
    assert problems["Part 1"] is problems["Thing 1"] is None


def test_a_title_that_is_repeated_stays_a_name() -> None:
    rows = run(*[("Paris", [["Paris"]])] * 3)
    assert {row["problem"] for row in rows if row["source"] == "title"} == {None}


def test_the_name_of_a_file_is_a_title_only_if_it_reads_like_one() -> None:
    rows = run(("scan_0815", [[]]), ("Zugspitze", [[]]), source="file_name")
    assert {row["name"]: row["problem"] for row in rows} == {
        "scan_0815": "file_name", "Zugspitze": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("surface", "names"),
    [
        ("Casablanca (film)", ["Casablanca (film)", "Casablanca"]),
        ("Paris, Texas", ["Paris, Texas", "Paris"]),
        ("Springfield, Ohio (city)", ["Springfield, Ohio (city)", "Springfield, Ohio",
                                      "Springfield"]),
        ("ABAP Dictionary (AD)", ["ABAP Dictionary", "AD"]),
        ("Date, Time, and Time Stamp", ["Date, Time, and Time Stamp"]),
        ("Develop, deploy and run", ["Develop, deploy and run"]),
        ("(Optional) Code Migration", ["(Optional) Code Migration", "Code Migration"]),
    ],
)  # fmt: skip
def test_names_that_a_title_gives(surface: str, names: list[str]) -> None:
    assert [name for name, _ in name_forms(surface)] == names


@pytest.mark.parametrize(
    ("heading", "plain"),
    [
        ("4.4. Git and packages", "Git and packages"),
        ("Step 2: Map messages", "Map messages"),
        ("📤Package", "Package"),
        ("3D view", "3D view"),
        ("2001: A Space Odyssey", "2001: A Space Odyssey"),
        ("<edit>", "<edit>"),
    ],
)
def test_numbers_and_ornaments_go(heading: str, plain: str) -> None:
    assert plain_heading(heading) == plain


def test_no_documents_give_an_empty_table() -> None:
    assert run() == []

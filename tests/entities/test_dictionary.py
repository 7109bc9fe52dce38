"""Entity dictionary: titles and headings are names, headings that name nothing are not."""

from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.entities.dictionary import entity_dictionary, is_term, name_forms

_CHUNKS = pa.schema(
    [schemas.CHUNKS.field(name) for name in ("chunk_id", "document_id", "heading_path", "char_start", "char_end")]
)


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
    fields = [schemas.DOCUMENTS.field(name) for name in ("document_id", "title", "title_source")]
    result = entity_dictionary(
        pa.Table.from_pylist(titles, schema=pa.schema(fields)),
        schemas.empty("blocks"),
        schemas.empty("cells"),
        pa.Table.from_pylist(chunks, schema=_CHUNKS),
    )
    found: list[dict[str, Any]] = result.tables["entity_dictionary"].to_pylist()
    return found


def test_a_title_names_all_chunks_and_a_heading_those_below_it() -> None:
    rows = run(("Stock", [["Stock"], ["Stock", "Lot sizes"]]))
    assert {(row["name"], row["source"], row["chunk_id"]) for row in rows} == {
        ("Stock", "title", "d0c0"), ("Stock", "title", "d0c1"), ("Stock", "heading", "d0c0"),
        ("Stock", "heading", "d0c1"), ("Lot sizes", "heading", "d0c1"),
    }  # fmt: skip


def test_headings_that_say_what_a_section_is_for_are_no_names() -> None:
    documents = [(f"Thing {n}", [["Prerequisites"], ["2.1 Key Points"], [f"Part {n}"]]) for n in range(5)]
    problems = {row["name"]: row["problem"] for row in run(*documents)}
    assert problems["Prerequisites"] == "generic"
    assert problems["Key Points"] == "repeated"
    assert problems["Part 1"] is problems["Thing 1"] is None


def test_the_name_of_a_file_is_a_title_only_if_it_reads_like_one() -> None:
    rows = run(("scan_0815", [[]]), ("Zugspitze", [[]]), source="file_name")
    assert {row["name"]: row["problem"] for row in rows} == {"scan_0815": "file_name", "Zugspitze": None}


@pytest.mark.parametrize(
    ("surface", "names"),
    [
        ("Casablanca (film)", ["Casablanca (film)", "Casablanca"]),
        ("Paris, Texas", ["Paris, Texas", "Paris"]),
        ("Springfield, Ohio (city)", ["Springfield, Ohio (city)", "Springfield, Ohio", "Springfield"]),
        ("ABAP Dictionary (AD)", ["ABAP Dictionary", "AD"]),
        ("Date, Time, and Time Stamp", ["Date, Time, and Time Stamp"]),
        ("Develop, deploy and run", ["Develop, deploy and run"]),
        ("What is AML?", ["AML"]),
        ("What are the stages of lymphoma", ["stages of lymphoma"]),
        ("How do I install it?", []),
        ("(Optional) Code Migration", ["(Optional) Code Migration", "Code Migration"]),
    ],
)
def test_names_that_a_title_gives(surface: str, names: list[str]) -> None:
    assert [name for name, _ in name_forms(surface)] == names


def defined(
    items: list[str], column: list[str], header: str | None = "Name", title: str = "Overview"
) -> set[tuple[str, str, str]]:
    """List the terms of a list and the keys of a table: name, source and chunk.

    The list is the document's first chunk, ten characters an item, the table its second.
    """
    blocks: list[dict[str, Any]] = [
        {"document_id": "d", "ordinal": -1, "kind": "title", "text": title, "char_start": 0}
    ]
    blocks += [
        {"document_id": "d", "ordinal": number, "kind": "list_item", "text": text,
         "char_start": 10 * number, "char_end": 10 * number + 9}
        for number, text in enumerate(items)
    ]  # fmt: skip
    cells = [
        {"document_id": "d", "ordinal": 99, "row": row, "column": 0, "row_span": 1, "col_span": 1,
         "is_header": False, "is_row_header": False, "header": header, "text": text,
         "value_type": "text", "char_start": 1000 + row}
        for row, text in enumerate(column, start=1)
    ]  # fmt: skip
    chunks = [
        {"chunk_id": chunk, "document_id": "d", "heading_path": [], "char_start": start, "char_end": start + 1000}
        for chunk, start in (("list", 0), ("table", 1000))
    ]
    result = entity_dictionary(
        pa.table({"document_id": ["d"], "title": [title], "title_source": ["heading"]}),
        pa.Table.from_pylist(blocks, schema=schemas.BLOCKS),
        pa.Table.from_pylist(cells, schema=schemas.CELLS),
        pa.Table.from_pylist(chunks, schema=_CHUNKS),
    )
    rows = result.tables["entity_dictionary"].to_pylist()
    return {(row["name"], row["source"], row["chunk_id"]) for row in rows if row["source"] != "title"}


def test_keys_of_a_table_are_names_where_they_are_written_as_such() -> None:
    keys = [
        "CL_ABAP_TSTMP", "PGP Secret Keyring", "getItem()", "VBBE_2", "readInboundQueue", "HTML5.Timeout",
        "OAuth2 Client Credentials", "ORDER BY", "Name of Destination Configuration",
    ]  # fmt: skip
    others = [
        "", "adding a row", "Type", "CLEANUP", "42", "4.2", "... a > b ...", "Reading rows by index",
        "Use Scripting Appropriately", "Logging and Tracing", "Use the Partner Directory", "CL_A1 CL_B1",
        "CLASS unit_tests", "What Happens Next?", "Getting Started", "(?:...)", "One Two Three Four Five",
    ]  # fmt: skip
    found = {(key, "key", "table") for key in [*keys, "as_geo_json"]}
    for other in others:
        assert defined([], [*keys, "as_geo_json( ... )", other]) == found, other


def test_terms_that_a_list_defines_are_names_with_their_abbreviation() -> None:
    found = defined(
        ["Storage bin: The smallest space of a warehouse.",
         "Handling Unit (HU) – is a pallet with what lies on it.",
         "Remember: The scanner must be charged at night."], [],
    )  # fmt: skip
    assert found == {("Storage bin", "term", "list"), ("Handling Unit", "term", "list"), ("HU", "term", "list")}


@pytest.mark.parametrize(
    ("text", "explanation", "is_name"),
    [
        ("Late numbering", "The key is assigned when it is saved", True),
        ("Audit Log", "Stores what was changed", True),
        ("System Directory (SD)", "With the system directory you find systems", True),
        ("get_tag", "whatever follows an identifier", True),
        ("Note", "The table is empty", False),
        ("Secure the Cloud", "The cloud needs care", False),
        ("For event handlers", "The statement SET HANDLER", False),
        ("Demo examples", "Import the objects of this folder", False),
    ],
)
def test_terms_are_names_that_are_explained(text: str, explanation: str, is_name: bool) -> None:
    assert is_term(text, explanation) is is_name

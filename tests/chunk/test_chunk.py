"""Chunks: spans are exact, sections stay whole, and long ones are split with an overlap."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from graphrag_tasks.chunk import chunk
from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ChunkConfig
from graphrag_tasks.storage.artifacts import conform

Spec = tuple[str, int | None, str]  # Kind, level and text of a block.


def block_rows(document_id: str, specs: Sequence[Spec], pages: Sequence[int] = ()) -> list[Any]:
    rows, start = [], 0
    for ordinal, (kind, level, text) in enumerate(specs):
        rows.append(
            {
                "document_id": document_id,
                "ordinal": ordinal,
                "kind": kind,
                "level": level,
                "text": text,
                "char_start": start,
                "char_end": start + len(text),
                "page": pages[ordinal] if pages else None,
                "bbox": None,
                "has_link": False,
            }
        )
        start += len(text) + len(schemas.BLOCK_SEPARATOR)
    return rows


def chunks_of(rows: list[Any], **config: int) -> list[dict[str, Any]]:
    table = pa.Table.from_pylist(rows, schema=schemas.BLOCKS)
    ids = sorted({row["document_id"] for row in rows})
    documents = pa.Table.from_pylist(
        [{"document_id": one, "uri": f"s/{one}", "source": "s", "path": one} for one in ids],
        schema=pa.schema([(name, pa.string()) for name in ("document_id", "uri", "source", "path")]),
    )
    result = chunk(documents, table, config=ChunkConfig(**config)).tables["chunks"]
    return list(conform("chunks", result).to_pylist())


def paragraph(text: str) -> Spec:
    return ("paragraph", None, text)


def test_sections_are_chunks_with_their_headings() -> None:
    rows = block_rows(
        "d",
        [
            paragraph("Before."),
            ("title", None, "Title"),
            ("heading", 1, "First\nhalf"),
            paragraph("One."),
            ("list_item", None, "Two."),
            ("heading", 2, "Sub"),
            paragraph("Three."),
            ("heading", 1, "Second"),
            paragraph("Four."),
            ("heading", 1, "Last"),
        ],
        pages=[1, 1, 1, 1, 2, 2, 2, 3, 3, 4],
    )
    chunks = chunks_of(rows)
    assert [(c["heading_path"], c["text"]) for c in chunks] == [
        ([], "Before."),
        (["Title", "First half"], "Title\n\nFirst\nhalf\n\nOne.\n\nTwo."),
        (["Title", "First half", "Sub"], "Sub\n\nThree."),
        (["Title", "Second"], "Second\n\nFour."),
        (["Title", "Last"], "Last"),
    ]
    assert [(c["page_start"], c["page_end"]) for c in chunks] == [(1, 1), (1, 2), (2, 2), (3, 3), (4, 4)]


def test_chunks_know_their_neighbours() -> None:
    rows = block_rows("d", [("heading", 1, letter) for letter in "a"] + [paragraph("x" * 50)])
    chunks = chunks_of(rows, max_characters=20, overlap_characters=0)
    ids = [c["chunk_id"] for c in chunks]
    assert len(set(ids)) == len(ids) == 3
    assert [c["previous_id"] for c in chunks] == [None, *ids[:-1]]
    assert [c["next_id"] for c in chunks] == [*ids[1:], None]
    assert [c["ordinal"] for c in chunks] == [0, 1, 2]


def test_a_heading_is_not_cut_from_its_text() -> None:
    rows = block_rows("d", [("heading", 1, "Heading"), paragraph("word " * 20)])
    first = chunks_of(rows, max_characters=40, overlap_characters=0)[0]
    assert first["text"] == "Heading\n\nword word word word word word"


def test_cuts_prefer_paragraphs_lines_sentences_and_words() -> None:
    text = "Aaa bbb. Ccc ddd eee"
    rows = block_rows("d", [paragraph("One."), paragraph("Two\nthree"), paragraph(text)])
    cut = [c["text"] for c in chunks_of(rows, max_characters=12, overlap_characters=0)]
    assert cut == ["One.", "Two\nthree", "Aaa bbb.", "Ccc ddd eee"]
    assert chunks_of(rows, max_characters=10, overlap_characters=0)[-1]["text"] == "eee"


def long_section(*specs: Spec) -> list[str]:
    """Return the texts of chunks of 100 characters without overlap."""
    rows = block_rows("d", [("heading", 1, "Head"), *specs])
    return [row["text"] for row in chunks_of(rows, max_characters=100, overlap_characters=0)]


def test_a_list_stays_with_its_lead_sentence() -> None:
    items: list[Spec] = [("list_item", None, f"{n} " + "i" * 38) for n in range(3)]
    texts = long_section(paragraph("p" * 50), paragraph("Do this"), *items)
    assert texts[0] == "Head\n\n" + "p" * 50
    assert texts[1].startswith("Do this\n\n0 iii")


def test_a_caption_stays_with_its_table() -> None:
    table = "Code: a | Name: b\nCode: c | Name: d"
    texts = long_section(paragraph("p" * 60), ("caption", None, "Table 1"), ("table", None, table))
    assert texts[1] == f"Table 1\n\n{table}"


def test_a_table_is_split_between_its_rows() -> None:
    rows = [f"Table: T{n} | Successor: S{n} and more words" for n in range(9)]
    for text in long_section(("table", None, "\n".join(rows))):
        assert set(text.removeprefix("Head\n\n").split("\n")) <= set(rows)


def test_the_overlap_begins_at_a_sentence_else_at_a_word() -> None:
    rows = block_rows("d", [paragraph("Aaaa bbbb cccc. Dddd eeee. Ffff gggg hhhh.")])
    sentences = [c["text"] for c in chunks_of(rows, max_characters=30, overlap_characters=14)]
    assert sentences == ["Aaaa bbbb cccc. Dddd eeee.", "Dddd eeee. Ffff gggg hhhh."]
    words = [c["text"] for c in chunks_of(rows, max_characters=30, overlap_characters=7)]
    assert words == ["Aaaa bbbb cccc. Dddd eeee.", "eeee. Ffff gggg hhhh."]


def test_a_huge_block_is_split_in_linear_time() -> None:
    for text in ("x" * 5_000_000, "word " * 1_000_000, " " * 2_000_000 + "x"):
        started = time.process_time()
        chunks = chunks_of(block_rows("d", [paragraph(text)]))
        assert time.process_time() - started < 3
        assert max(len(c["text"]) for c in chunks) <= 2048


TEXT = st.text(st.sampled_from("ab .!?\n\t\u00e9\u3002"), min_size=1, max_size=120)
SPECS = st.lists(
    st.one_of(
        st.tuples(st.just("heading"), st.integers(1, 3), TEXT),
        st.tuples(st.sampled_from(["paragraph", "code", "title"]), st.none(), TEXT),
    ),
    max_size=8,
)


@given(st.lists(SPECS, min_size=1, max_size=3), st.integers(1, 60), st.data())
def test_properties(documents: list[list[Spec]], most: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, most // 2))
    rows = [row for i, specs in enumerate(documents) for row in block_rows(f"d{i}", specs)]
    chunks = chunks_of(rows, max_characters=most, overlap_characters=overlap)
    for number, specs in enumerate(documents):
        text = schemas.BLOCK_SEPARATOR.join(spec[2] for spec in specs)
        own = [c for c in chunks if c["document_id"] == f"d{number}"]
        covered: set[int] = set()
        for c in own:
            assert c["text"] == text[c["char_start"] : c["char_end"]] == c["text"].strip() != ""
            assert len(c["text"]) <= most
            covered.update(range(c["char_start"], c["char_end"]))
        for before, after in pairwise(own):
            assert before["char_start"] < after["char_start"]
            assert before["char_end"] < after["char_end"]
            assert before["char_end"] - after["char_start"] <= overlap
        assert all(i in covered for i, c in enumerate(text) if not c.isspace())
    shuffled = data.draw(st.permutations(rows))
    assert chunks_of(shuffled, max_characters=most, overlap_characters=overlap) == chunks

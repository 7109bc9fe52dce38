"""The extract stage: what is read, what rows come out, and that ids come from content."""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ExtractConfig, LanguageConfig
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.extract import extract_facts, make_extractor
from graphrag_tasks.extract.frames import Argument, Frame
from graphrag_tasks.extract.triples import merged


def argument(role: str, text: str, start: int) -> Argument:
    end = start + len(text)
    return Argument(
        role=role, text=text, start=start, end=end, preposition=None, entity_type=None,
        head_start=start, head_end=end, core_text=text, core_start=start, core_end=end,
    )  # fmt: skip


class TwoWords:
    """Reads "HEAD TAIL" as one frame and remembers what it was asked."""

    name = "two-words"
    fingerprint = "1"

    def __init__(self) -> None:
        self.read: list[str] = []
        self.oversized_sentences = 0

    def extract(self, sentences: Sequence[str]) -> Iterator[list[Frame]]:
        for sentence in sentences:
            self.read.append(sentence)
            head, _, tail = sentence.partition(" ")
            frame = Frame(
                predicate="sees", predicate_lemma="see", start=0, end=1,
                arguments=(argument("subject", head, 0), argument("object", tail, len(head) + 1)),
                negated=False, modality=None, passive=False, rule="svo", extractor=self.name,
                confidence=0.5,
            )  # fmt: skip
            yield [frame] if tail else []


def sentences(*texts: str) -> pa.Table:
    rows: list[dict[str, Any]] = [
        {"sentence_id": f"s{place}", "chunk_id": "c", "document_id": "d", "ordinal": place,
         "text": text.removeprefix("!"), "char_start": 0, "char_end": len(text), "page": None,
         "has_verb": not text.startswith("!")}
        for place, text in enumerate(texts)
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=schemas.SENTENCES)


def run(table: pa.Table, extractor: TwoWords, **settings: Any) -> StageResult:
    return extract_facts(
        *map(schemas.empty, ("documents", "blocks", "cells")), table, extractor=extractor, language=LanguageConfig(),
    )  # fmt: skip


def test_only_sentences_with_a_verb_are_read() -> None:
    extractor = TwoWords()
    result = run(sentences("A b", "!C d", "E"), extractor)
    assert extractor.read == ["A b", "E"]
    assert result.stats == {
        "sentences_read": 2, "sentences_without_facts": 0, "sentences_oversized": 0,
        "table_rows": 0, "table_rows_over_limit": 0, "table_numbers": 0, "frames": 1, "triples": 1,
    }  # fmt: skip


def test_an_unknown_extractor_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"no extractor 'magic'.*Known: dependency"):
        make_extractor(ExtractConfig(extractor="magic"), LanguageConfig())


def block(kind: str, text: str, start: int, ordinal: int) -> dict[str, Any]:
    return dict.fromkeys(schemas.BLOCKS.names) | {
        "document_id": "d", "ordinal": ordinal, "kind": kind, "text": text,
        "char_start": start, "char_end": start + len(text),
    }  # fmt: skip


def test_patterns_read_lines_without_a_verb_but_no_code() -> None:
    lines = [("paragraph", "A b", True), ("list_item", "Service Plan (SP)", False),
             ("paragraph", "\ufffd Trunk Pool (TP)", False),
             ("code", "Type Pool (TP)", False)]  # fmt: skip
    rows, blocks, start = [], [], 0
    for place, (kind, text, has_verb) in enumerate(lines):
        blocks.append(block(kind, text, start, place))
        rows.append({"sentence_id": f"s{place}", "chunk_id": "c", "document_id": "d", "ordinal": place, "text": text,
                     "char_start": start, "char_end": start + len(text), "has_verb": has_verb})  # fmt: skip
        start += len(text) + 2
    tables = (
        schemas.empty("documents"), pa.Table.from_pylist(blocks, schema=schemas.BLOCKS), schemas.empty("cells"),
        pa.Table.from_pylist(rows, schema=schemas.SENTENCES),
    )  # fmt: skip
    both = extract_facts(*tables, extractor=TwoWords(), language=LanguageConfig()).tables["triples"]
    assert both["extractor"].to_pylist() == ["two-words", "linear"]
    assert both["tail"].to_pylist() == ["b", "SP"]


def test_rows_of_tables_are_evidence_of_their_triples() -> None:
    text = "Old: VBBS | New: VBBE"
    base = dict.fromkeys(schemas.CELLS.names)
    cells = [
        base | {"document_id": "d", "ordinal": 0, "row": 1, "column": column, "row_span": 1,
                "col_span": 1, "is_header": False, "is_row_header": False, "header": header,
                "text": value, "value_type": "text", "char_start": text.index(value),
                "char_end": text.index(value) + 4}
        for column, (header, value) in enumerate([("Old", "VBBS"), ("New", "VBBE")])
    ]  # fmt: skip
    tables = (
        schemas.empty("documents"), pa.Table.from_pylist([block("table", text, 0, 0)], schema=schemas.BLOCKS),
        pa.Table.from_pylist(cells, schema=schemas.CELLS),
        sentences(f"!{text}").set_column(6, "char_end", pa.array([len(text)], pa.int32())),
    )  # fmt: skip
    result = extract_facts(*tables, extractor=TwoWords(), language=LanguageConfig())
    (triple,) = result.tables["triples"].to_pylist()
    assert (triple["head"], triple["relation"], triple["tail"]) == ("VBBS", "be replaced by", "VBBE")
    assert text[triple["head_start"] : triple["head_end"]] == "VBBS"
    assert (triple["sentence_id"], triple["extractor"]) == ("s0", "table")


def test_a_fact_that_two_extractors_find_is_one_triple() -> None:
    row = {
        "head": "A", "relation": "be", "tail": "B", "negated": False, "rule": "svo",
        "confidence": 0.5, "head_start": 0, "head_end": 1, "tail_start": 2, "tail_end": 3,
    }  # fmt: skip
    assert merged([row, row | {"head": "a", "confidence": 0.7}], "A B") == [row | {"head": "a", "confidence": 0.7}]
    alias = row | {"relation": "be known as", "rule": "alias"}
    assert merged([row, alias], "A B") == [alias]
    assert len(merged([row, alias | {"tail_start": 9, "tail_end": 10}], "A B")) == 2


@pytest.mark.parametrize(
    ("head", "tail", "text", "is_kept"),
    [
        ("guide", "topics", "The guide covers the following topics:", False),
        ("guide", "topics", "The guide covers the following topics", True),
        ("guide", "etc", "The guide covers etc", False),
        ("following", "topics", "The following are topics", False),
        ("example", "topics", "The example covers topics", True),
    ],
)
def test_names_that_say_nothing_are_dropped(head: str, tail: str, text: str, *, is_kept: bool) -> None:
    row = {"head": head, "relation": "cover", "tail": tail, "negated": False, "rule": "svo",
           "confidence": 0.5, "head_start": text.index(head), "head_end": 0,
           "tail_start": text.index(tail), "tail_end": 0}  # fmt: skip
    assert bool(merged([row], text)) == is_kept


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("The A, a B for items, holds items", True),
        ("Codes of A (journals and B, say)", True),
        ("The A (B)", True),
        ("Plants of A, B, and areas", False),
        ("The A, the B, and the areas", False),
        ("Members are A , Jan , Tom and B", False),
        ("To ensure A, the B of a page is logged", False),
        ("The A, the B of a page, is logged", True),
        ("Size; A; B; Angle", False),
        ("The A (first), the B", False),
        ("The A (B, width, ... )", False),
        ('Modes: "A", "B", "C"', False),
        ("The areas A using B", False),
    ],
)
def test_appositions_that_are_none(text: str, *, is_kept: bool) -> None:
    head, tail = text.index("A"), text.rindex("B")
    row = {"head": "A", "relation": "be", "tail": "B_", "negated": False, "rule": "apposition",
           "confidence": 0.5, "head_start": head, "head_end": head + 1, "tail_start": tail,
           "tail_end": tail + 1, "head_type": None, "tail_type": None}  # fmt: skip
    assert bool(merged([row], text)) == is_kept


@pytest.mark.parametrize(
    ("text", "head", "tail", "types", "is_kept"),
    [
        ("WHERE clause (Tom Lane)", "WHERE clause", "Tom Lane", (None, "PERSON"), False),
        ("the founder (Tom Lane)", "founder", "Tom Lane", ("PERSON", "PERSON"), True),
        ("rows of partitions (Amit Roe, Jo Li) §", "partitions", "Amit Roe", (None, None), False),
        ("WHERE clause (Jo Li, Ál Roe)", "WHERE clause", "Ál Roe", (None, None), False),
        ("the app (Manage Banks) opens it", "app", "Manage Banks", (None, None), True),
        ("rank ( args ) ranks", "rank", "args", (None, None), False),
    ],
)
def test_who_did_it_and_what_a_function_takes_are_no_other_names(
    text: str, head: str, tail: str, types: tuple[str | None, str | None], *, is_kept: bool
) -> None:
    start, end = text.index(head), text.index(tail)
    row = {"head": head, "relation": "be", "tail": tail, "negated": False, "rule": "apposition",
           "confidence": 0.5, "head_start": start, "head_end": start + len(head),
           "tail_start": end, "tail_end": end + len(tail), "head_type": types[0],
           "tail_type": types[1]}  # fmt: skip
    assert bool(merged([row], text)) == is_kept

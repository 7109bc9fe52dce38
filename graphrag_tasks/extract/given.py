"""Facts that people gave in files: each row is a triple as it stands, read by no parser."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core import schemas
from graphrag_tasks.core.schemas import FACT_CELL, GIVEN
from graphrag_tasks.extract.context import PLACE
from graphrag_tasks.extract.frames import Span
from graphrag_tasks.extract.linear.names import LinearRule, pair
from graphrag_tasks.extract.rows import frame_row, said, triple_id

CONFIDENCE = 1.0
"""A person says so."""
_AT_ONCE = 10_000
"""Rows that are Python objects at a time; bounds memory."""
_COLUMNS = ["document_id", "row", "column", "text", "char_start"]

_Row = Mapping[str, Any]


def documents_of_facts(cells: pa.Table) -> pa.ChunkedArray:
    """Return the ids of the documents that are files of facts."""
    return cells.filter(pc.equal(cells["value_type"], FACT_CELL))["document_id"].unique()


def given_facts(cells: pa.Table, sentences: pa.Table) -> dict[str, pa.Table]:
    """Return `frames` and `triples`, one for each row of the files of facts, in their order."""
    found = {"frames": [schemas.empty("frames")], "triples": [schemas.empty("triples")]}
    for document_id in documents_of_facts(cells).to_pylist():
        own = (table.filter(pc.equal(table["document_id"], document_id))
               for table in (cells, sentences))  # fmt: skip
        facts = _facts(*own)
        while rows := list(islice(facts, _AT_ONCE)):
            for name, of_rows in zip(found, zip(*rows, strict=True), strict=True):
                schema = schemas.SCHEMAS[name]
                found[name].append(pa.Table.from_pylist(list(of_rows), schema=schema))
    return {name: pa.concat_tables(tables) for name, tables in found.items()}


def _facts(cells: pa.Table, sentences: pa.Table) -> Iterator[tuple[_Row, _Row]]:
    sentences = sentences.sort_by("char_start")
    starts, ends = (sentences[name].to_numpy() for name in ("char_start", "char_end"))
    batches = cells.select(_COLUMNS).to_batches(max_chunksize=_AT_ONCE)
    of_all = (cell for batch in batches for cell in batch.to_pylist())
    for _, row in groupby(of_all, key=itemgetter("row")):
        of_row = {cell["column"]: cell for cell in row}
        at = max(0, bisect_right(starts, of_row[0]["char_start"]) - 1)
        at += int(ends[at] <= of_row[0]["char_start"] and at + 1 < len(ends))
        yield _fact(of_row, sentences.slice(at, 1).to_pylist()[0])


def _fact(cells: Mapping[int, _Row], sentence: _Row) -> tuple[_Row, _Row]:
    head, tail = _span(cells[0], sentence), _span(cells[2], sentence)
    types = [cells[at]["text"] if at in cells else None for at in (3, 4)]
    relation = cells[1]["text"]
    frame = replace(
        pair(LinearRule.LABEL, head, relation, tail),
        negated=5 in cells, rule=GIVEN, extractor=GIVEN, confidence=CONFIDENCE,
    )  # fmt: skip
    origin = {name: getattr(frame, name) for name in ("rule", "extractor", "confidence", "negated")}
    place = {name: sentence[name] for name in PLACE}
    of_frame = place | frame_row(frame, sentence["sentence_id"])
    phrase = sentence["text"][head.end : tail.start].strip()
    triple = place | origin | {
        "frame_id": of_frame["frame_id"], "relation": relation, "phrase": phrase or relation,
        "head": head.text, "head_start": head.start, "head_end": head.end, "head_type": types[0],
        "tail": tail.text, "tail_start": tail.start, "tail_end": tail.end, "tail_type": types[1],
        "conditional": False, "said": said(sentence["text"]),
    }  # fmt: skip
    return of_frame, triple | {"triple_id": triple_id(triple)}


def _span(cell: _Row, sentence: _Row) -> Span:
    """Return a name with its place in its sentence; an empty one if the chunk's end cuts it off."""
    start = cell["char_start"] - sentence["char_start"]
    is_there = sentence["text"].startswith(cell["text"], start) and start >= 0
    return (
        Span(cell["text"], start, start + len(cell["text"]))
        if is_there
        else Span(cell["text"], 0, 0)
    )

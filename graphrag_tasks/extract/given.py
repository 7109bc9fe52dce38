"""Facts that people gave in files: each row is a triple as it stands, read by no parser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.schemas import FACT_CELL, GIVEN
from graphrag_tasks.extract.context import PLACE
from graphrag_tasks.extract.tables import said, triple_id

_HEAD, _RELATION, _TAIL, _HEAD_TYPE, _TAIL_TYPE, _NEGATED, _FROM, _TO = range(8)  # Columns of their cells.
_ORIGIN = {  # A person says so.
    "rule": GIVEN, "extractor": GIVEN, "confidence": 1.0, "worth": 1.0, "conditional": False,
}  # fmt: skip
_KINDS = {(True, True): "range", (True, False): "from", (False, True): "until",
          (False, False): None}  # fmt: skip
_OF_SENTENCES = [*PLACE, "text", "char_start", "char_end"]
_OF_CELLS = ["row", "column", "text", "char_start"]

_Row = Mapping[str, Any]


def documents_of_facts(cells: pa.Table) -> pa.Array:
    """Return the ids of the documents that are files of facts."""
    return cells.filter(pc.equal(cells["value_type"], FACT_CELL))["document_id"].unique()


def given_facts(cells: pa.Table, sentences: pa.Table) -> Iterator[_Row]:
    """Yield the triple of each row of the files of facts, in their order."""
    for document_id in documents_of_facts(cells):
        of_text, of_table = (
            one.select(columns).filter(pc.equal(one["document_id"], document_id))
            for one, columns in ((sentences, _OF_SENTENCES), (cells, _OF_CELLS))
        )
        lines = _rows(of_text.sort_by("char_start"))
        line = next(lines)
        for _, row in groupby(_rows(of_table), key=itemgetter("row")):
            of_row = {cell["column"]: cell for cell in row}
            start = of_row[_HEAD]["char_start"]
            while line["char_end"] <= start and (following := next(lines, None)):
                line = following
            if _TAIL in of_row:  # else the end of the text that is kept is within this row
                yield _triple(of_row, line)


def _rows(table: pa.Table) -> Iterator[_Row]:
    for batch in table.to_batches(max_chunksize=1000):
        yield from batch.to_pylist()


def _triple(cells: Mapping[int, _Row], sentence: _Row) -> _Row:
    relation, text = cells[_RELATION]["text"], sentence["text"]
    row = {name: sentence[name] for name in PLACE} | _ORIGIN
    row |= {"frame_id": row["sentence_id"], "relation": relation, "said": said(text)}
    row["negated"] = _NEGATED in cells
    for end, at, of_type in (("head", _HEAD, _HEAD_TYPE), ("tail", _TAIL, _TAIL_TYPE)):
        name, start = cells[at]["text"], cells[at]["char_start"] - sentence["char_start"]
        is_there = start >= 0 and text.startswith(name, start)  # not cut off by a chunk's end
        row |= {
            end: name,
            f"{end}_start": start if is_there else 0,
            f"{end}_end": start + len(name) if is_there else 0,
            f"{end}_type": cells[of_type]["text"] if of_type in cells else None,
        }
    since, until = (cells[at]["text"] if at in cells else None for at in (_FROM, _TO))
    row |= {"valid_kind": _KINDS[bool(since), bool(until)], "valid_from": since, "valid_to": until}
    row["phrase"] = text[row["head_end"] : row["tail_start"]].strip() or relation
    return row | {"triple_id": triple_id(row)}

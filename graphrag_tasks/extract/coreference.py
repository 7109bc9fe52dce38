"""Coreference in the extract stage: resolves the mentions in triples to names.

The extractor's parses are reused. Antecedents are searched below one heading at a time, in whole documents, so that
rows do not depend on sharding. A triple keeps the text and position of its head and tail; their antecedents are
separate columns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.extract.certainty import worth_of
from graphrag_tasks.extract.context import PLACE, CellPlaces
from graphrag_tasks.extract.coref.protocol import Coreference, CorefText, Parse, Topic, joined, parse_of
from graphrag_tasks.extract.coref.ranking import resolve
from graphrag_tasks.extract.reading import readings_of

_SENTENCE_COLUMNS = [*PLACE, "text", "char_start", "has_verb"]
_ENDS = ("head", "tail")

LEAST_CONFIDENCE = 0.7
"""Least confidence of a resolution that names a node: chosen by the precision that `benchmarks.training.coref`
prints."""

_Row = Mapping[str, Any]


class ParseRecorder:
    """Records light parses of the sentences that an extractor reads."""

    def __init__(self) -> None:
        self.parses: dict[str, Parse] = {}  # by text, as equal texts have equal parses

    def record(self, text: str, tokens: Iterable[Any]) -> None:
        """Record the parse of a text; extractors call this for each sentence."""
        self.parses[text] = parse_of(tokens, text)


def resolve_mentions(
    found: StageResult,
    documents: pa.Table,
    chunks: pa.Table,
    sentences: pa.Table,
    *,
    cells: pa.Table,
    parses: Mapping[str, Parse],
) -> StageResult:
    """Return `found` with `coreferences`, and with resolved heads and tails in its `triples`.

    Antecedents are looked for in whole documents: `sentences` are all, in reading order. Cells of prose are passages of
    their own. `parses` are by text; a sentence without one is passed over. Only resolutions of at least
    `LEAST_CONFIDENCE` go into `head_resolved` and `tail_resolved`.
    """
    titles = _mapping(documents, "document_id", "title")
    headings = _mapping(chunks, "chunk_id", "heading_path")
    places = CellPlaces(cells)
    rows = []
    for together in _passages(sentences, headings):
        inside = [places.of(row) for row in together]
        outside = CorefText(
            parses=[_parse_of_row(row, {} if cell else parses) for row, cell in zip(together, inside, strict=True)],
            title=titles.get(together[0]["document_id"], ""),
            headings=headings.get(together[0]["chunk_id"], ()),
        )
        rows += [_row(coreference, together) for coreference in resolve(outside)]
        for cell, run in groupby(zip(inside, together, strict=True), key=itemgetter(0)):
            if cell:
                of_cell = [row for _, row in run]
                passage = CorefText(
                    parses=[_parse_of_row(row, parses) for row in of_cell],
                    topic=Topic(cell.key.name, cell.key.kind) if cell.key else None,
                )
                rows += [_row(coreference, of_cell) for coreference in resolve(passage)]
    sure = [row for row in rows if row["confidence"] >= LEAST_CONFIDENCE]
    triples = pa.Table.from_pylist(with_resolutions(found.tables["triples"].to_pylist(), sure), schema=schemas.TRIPLES)
    coreferences = pa.Table.from_pylist(rows, schema=schemas.COREFERENCES)
    tables = {**found.tables, "triples": triples, "coreferences": coreferences}
    ends = sum(len(triples) - triples[f"{end}_resolved"].null_count for end in _ENDS)
    stats = {"coreferences": len(rows), "triple_ends_resolved": ends}
    return StageResult(tables, {**found.stats, **stats})


def _mapping(table: pa.Table, key: str, value: str) -> dict[Any, Any]:
    return dict(zip(table[key].to_pylist(), table[value].to_pylist(), strict=True))


def _passages(sentences: pa.Table, headings: Mapping[str, Sequence[str]]) -> Iterator[list[_Row]]:
    """Yield groups of consecutive sentences below the same headings."""

    def place(row: _Row) -> tuple[str, Sequence[str]]:
        return row["document_id"], headings.get(row["chunk_id"], ())

    for _, together in groupby(sentences.select(_SENTENCE_COLUMNS).to_pylist(), key=place):
        yield list(together)


def _parse_of_row(row: _Row, parses: Mapping[str, Parse]) -> Parse:
    """Return the parse of a sentence, at its places in it; one without tokens if it was not read.

    A sentence that was not read has no tokens even if an equal one was read in another context.
    """
    text = row["text"]
    pieces = [(parses[reading.text], reading.shift) for reading in readings_of(text) if reading.text in parses]
    if not row["has_verb"] or not pieces:
        return parse_of((), text)
    return pieces[0][0] if pieces[0][0].text == text else joined(text, pieces)


def _row(one: Coreference, rows: Sequence[_Row]) -> dict[str, Any]:
    at = one.antecedent_sentence
    antecedent = {"antecedent_sentence_id": None if at is None else rows[at]["sentence_id"]}
    return {name: rows[one.sentence][name] for name in PLACE} | asdict(one) | antecedent


def with_resolutions(triples: Iterable[_Row], rows: Iterable[_Row]) -> list[dict[str, Any]]:
    """Return triples with the antecedents of their heads and tails, from rows of `coreferences`, and their worth."""
    mentions: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        mentions[row["sentence_id"]].append(row)
    resolved = (
        {**row, **{f"{end}_resolved": _name(mentions[row["sentence_id"]], row, end) for end in _ENDS}}
        for row in triples
    )
    return [row | {"worth": worth_of(row)} for row in resolved]


def _name(mentions: Iterable[_Row], triple: _Row, end: str) -> str | None:
    """Return the antecedent of a head or tail; definite mentions include their article."""
    start, stop = triple[f"{end}_start"], triple[f"{end}_end"]
    if start == stop:
        return None  # it stands in another sentence or row
    names = (mention["antecedent"] for mention in mentions if mention["end"] == stop and mention["start"] <= start)
    return next(names, None)

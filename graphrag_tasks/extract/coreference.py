"""Coreference in the extract stage: the names that pronouns and definite mentions stand for.

The extractor's parse is used a second time, so nothing is parsed twice. Antecedents are looked for
below one heading at a time, in whole documents, so rows do not depend on how shards are cut. A
triple keeps the surface and the place of its ends; what they stand for goes beside them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import pyarrow as pa

from graphrag_tasks import schemas
from graphrag_tasks.coref.parses import Parse, parse_of
from graphrag_tasks.coref.protocol import Coreference, CoreferenceResolver, Passage
from graphrag_tasks.stage import StageResult

_PLACE = ("sentence_id", "chunk_id", "document_id")
_SENTENCE_COLUMNS = [*_PLACE, "text"]
_ENDS = ("head", "tail")

_Row = Mapping[str, Any]


class ParseRecorder:
    """Keeps the light parses of the sentences that an extractor reads.

    Attributes:
        parses: Parses by text: equal sentences have equal parses.
    """

    def __init__(self) -> None:
        self.parses: dict[str, Parse] = {}

    def record(self, text: str, tokens: Iterable[Any]) -> None:
        """Keep the parse of a sentence: what an extractor calls for each one it has parsed."""
        self.parses[text] = parse_of(tokens, text)


def resolve_mentions(
    found: StageResult,
    documents: pa.Table,
    chunks: pa.Table,
    sentences: pa.Table,
    *,
    parses: Mapping[str, Parse],
    resolver: CoreferenceResolver,
    min_confidence: float,
) -> StageResult:
    """Resolve the mentions of all documents, and tell triples what their ends stand for.

    Args:
        found: Tables of extraction, among them `triples`.
        documents: Titles (`schemas.DOCUMENTS`: document_id, title).
        chunks: Headings (`schemas.CHUNKS`: chunk_id, heading_path).
        sentences: All sentences in reading order (`schemas.SENTENCES`).
        parses: Parses by sentence text; a sentence that has none is passed over.
        resolver: What resolves.
        min_confidence: Least confidence of what triples are told.

    Returns:
        The tables of `found`, with `coreferences`, and `triples` with `head_resolved` and
        `tail_resolved`.
    """
    titles = dict(_pairs(documents, "document_id", "title"))
    headings = dict(_pairs(chunks, "chunk_id", "heading_path"))
    rows = [
        row
        for passage_rows in _passages(sentences, headings)
        for row in _resolve(passage_rows, titles, headings, parses, resolver)
    ]
    told = [row for row in rows if row["confidence"] >= min_confidence]
    triples = _tell(found.tables["triples"], told)
    tables = {
        **found.tables,
        "triples": triples,
        "coreferences": pa.Table.from_pylist(rows, schema=schemas.COREFERENCES),
    }
    ends = sum(len(triples) - triples[f"{end}_resolved"].null_count for end in _ENDS)
    stats = {"coreferences": len(rows), "triple_ends_resolved": ends}
    return StageResult(tables, {**found.stats, **stats})


def _pairs(table: pa.Table, key: str, value: str) -> Iterator[tuple[Any, Any]]:
    return zip(table[key].to_pylist(), table[value].to_pylist(), strict=True)


def _passages(sentences: pa.Table, headings: Mapping[str, Sequence[str]]) -> Iterator[list[_Row]]:
    """Yield the sentences that stand together below the same headings of a document."""

    def place(row: _Row) -> tuple[str, Sequence[str]]:
        return row["document_id"], headings.get(row["chunk_id"], ())

    for _, together in groupby(sentences.select(_SENTENCE_COLUMNS).to_pylist(), key=place):
        yield list(together)


def _resolve(
    rows: Sequence[_Row],
    titles: Mapping[str, str],
    headings: Mapping[str, Sequence[str]],
    parses: Mapping[str, Parse],
    resolver: CoreferenceResolver,
) -> Iterator[dict[str, Any]]:
    passage = Passage(
        parses=[parses.get(row["text"]) or parse_of((), row["text"]) for row in rows],
        title=titles.get(rows[0]["document_id"], ""),
        headings=headings.get(rows[0]["chunk_id"], ()),
    )
    for one in resolver.resolve(passage):
        yield _row(one, rows)


def _row(one: Coreference, rows: Sequence[_Row]) -> dict[str, Any]:
    place = one.antecedent_sentence
    return {name: rows[one.sentence][name] for name in _PLACE} | {
        "start": one.start,
        "end": one.end,
        "surface": one.surface,
        "antecedent": one.antecedent,
        "source": one.source,
        "antecedent_sentence_id": None if place is None else rows[place]["sentence_id"],
        "antecedent_start": one.antecedent_start,
        "antecedent_end": one.antecedent_end,
        "kind": one.kind,
        "rule": one.rule,
        "confidence": one.confidence,
    }


def _tell(triples: pa.Table, rows: Iterable[_Row]) -> pa.Table:
    mentions: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        mentions[row["sentence_id"]].append(row)
    told = [
        row | {f"{end}_resolved": _name(mentions[row["sentence_id"]], row, end) for end in _ENDS}
        for row in triples.to_pylist()
    ]
    return pa.Table.from_pylist(told, schema=schemas.TRIPLES)


def _name(mentions: Iterable[_Row], triple: _Row, end: str) -> str | None:
    """Return what an end stands for; a definite mention has its article before the end's core."""
    start, stop = triple[f"{end}_start"], triple[f"{end}_end"]
    if start == stop:
        return None  # it stands in another sentence or row
    names = (one["antecedent"] for one in mentions if one["end"] == stop and one["start"] <= start)
    return next(names, None)

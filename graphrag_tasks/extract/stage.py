"""The extract stage: derives n-ary frames and triples from sentences and tables.

Triples come from the configured extractor, from the patterns of `linear`, and from table rows (paper, section 3.1:
dependency triples ∪ linear heuristics). A fact found more than once is one triple. Rows of files of facts are triples
as they stand.
"""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import HYBRID, LLM, ExtractConfig, LanguageConfig
from graphrag_tasks.core.progress import Progress
from graphrag_tasks.core.registry import Registry
from graphrag_tasks.core.stage import StageResult, stage, table
from graphrag_tasks.extract.certainty import Validity, certainty_of, validities
from graphrag_tasks.extract.context import CELL, LINE_KINDS, PLACE, Place, Places
from graphrag_tasks.extract.coreference import ParseRecorder, resolve_mentions
from graphrag_tasks.extract.frames import Extractor, Frame, ParseListener
from graphrag_tasks.extract.given import documents_of_facts, given_facts
from graphrag_tasks.extract.linear.patterns import roles, states_no_fact
from graphrag_tasks.extract.reading import ProseLine, is_phrase, read_lines, shifted
from graphrag_tasks.extract.tables import TableCounts, columns_of, frame_row, row_facts, said, triple_id
from graphrag_tasks.extract.triples import derive_triples, merged
from graphrag_tasks.language.cells import is_code
from graphrag_tasks.language.dictionary import known_words
from graphrag_tasks.language.glyphs import unreadable
from graphrag_tasks.language.languages import are_in

log = logging.getLogger(__name__)

EXTRACTORS: Registry[Extractor] = Registry(
    "extractor",
    "graphrag_tasks.extractors",
    "extract.extractor",
    dict.fromkeys(("dependency", LLM, HYBRID), "graphrag_tasks.extract.dependency.extractor:make_dependency_extractor"),
)
"""Factories take the settings, the language and, as `on_parse`, what hears of each parsed sentence.

With `llm` and `hybrid` too, the rules read every sentence; `adopt` merges the model's facts later,
so nothing is lost if a model says nothing.
"""


_Row = dict[str, Any]
_MOST_TABLE_ROWS = 2000  # Read of a table; others are counted: no list of parts is to fill the graph. Chosen.


@stage(
    per="shard",
    reads=(
        table("documents", "document_id", "title", "path"),
        table("blocks"),
        table("cells"),
        table("chunks", "chunk_id", "heading_path"),
        table("sentences"),
    ),
    makes=("frames", "triples", "coreferences"),
    settings={"config": "extract", "language": "language"},
    libraries=("spacy",),
)
def extract(
    documents: pa.Table,
    blocks: pa.Table,
    cells: pa.Table,
    chunks: pa.Table,
    sentences: pa.Table,
    *,
    config: ExtractConfig,
    language: LanguageConfig,
) -> StageResult:
    """Read sentences and tables into frames and triples, and resolve their mentions.

    `sentences` are all of them, in reading order. The configured extractor reads those with a verb.

    Returns:
        `frames`; `triples`, with resolved heads and tails; and `coreferences`.
    """
    given = schemas.table_of("triples", given_facts(cells, sentences))
    of_facts = documents_of_facts(cells)
    blocks, cells, sentences = (
        one.filter(pc.invert(pc.is_in(one["document_id"], value_set=of_facts))) for one in (blocks, cells, sentences)
    )
    recorder = ParseRecorder()
    reader = make_extractor(config, language, on_parse=recorder.record)
    found = resolve_mentions(
        extract_facts(documents, blocks, cells, sentences, extractor=reader, language=language),
        documents,
        chunks,
        sentences,
        cells=cells,
        parses=recorder.parses,
    )
    triples = pa.concat_tables([found.tables["triples"], given])
    stats = {**found.stats, "triples": len(triples), "facts_given": len(given)}
    return StageResult({**found.tables, "triples": triples}, stats)


def make_extractor(
    config: ExtractConfig, language: LanguageConfig, *, on_parse: ParseListener | None = None
) -> Extractor:
    """Return the configured extractor of sentences."""
    return EXTRACTORS.factory(config.extractor)(config, language, on_parse=on_parse)


def extract_facts(
    documents: pa.Table,
    blocks: pa.Table,
    cells: pa.Table,
    sentences: pa.Table,
    *,
    extractor: Extractor,
    language: LanguageConfig,
) -> StageResult:
    """Extract frames from sentences and tables, and derive triples.

    Returns:
        `frames` and `triples`, in sentence order; those of tables come last.
    """
    columns = [*PLACE, "char_start", "text", "has_verb"]
    places = Places(blocks, cells)
    placed = [(row, places.of(row)) for row in sentences.select(columns).to_pylist()]
    prose, stats = _prose(placed, language)
    oversized = extractor.oversized_sentences
    collected = _Rows(validities(placed))
    progress = Progress(log, "extract", len(prose), "sentences")
    for done, ((row, _), found) in enumerate(zip(prose, _read(prose, extractor), strict=True), start=1):
        collected.add(row, found)
        progress.reach(done)
    titles = dict(zip(*(documents[name].to_pylist() for name in ("document_id", "title")), strict=True))
    for row, _ in placed:  # also lines without a verb, as those of a mail
        if of_people := list(roles(row["text"], titles.get(row["document_id"]))):
            collected.add(row, of_people)
    stats["sentences_oversized"] = extractor.oversized_sentences - oversized
    stats |= _add_tables(collected, cells, sentences, language)
    tables = {
        "frames": pa.Table.from_pylist([*collected.frames.values()], schema=schemas.FRAMES),
        "triples": pa.Table.from_pylist([*collected.triples.values()], schema=schemas.TRIPLES),
    }
    stats |= {name: table.num_rows for name, table in tables.items()}
    return StageResult(tables, stats)


def _prose(
    placed: Iterable[tuple[_Row, Place]], language: LanguageConfig
) -> tuple[list[tuple[_Row, Place]], dict[str, int | float]]:
    """Return the sentences with a verb and the lines for patterns, with their contexts.

    A line without a verb may be in another language than the model's.
    """
    lines = [(row, place) for row, place in placed if place.kind not in LINE_KINDS]
    prose, empty = [], 0
    for (row, place), is_read in zip(lines, _are_read(lines, language), strict=True):
        if not (row["has_verb"] or is_read):
            continue
        if unreadable(row["text"]):
            continue
        if place.is_pointer or states_no_fact(row["text"]):
            empty += 1
        elif place.kind != CELL or not is_code(row["text"]):
            prose.append((row, place))
    read = sum(row["has_verb"] for row, _ in prose)
    return prose, {"sentences_read": read, "sentences_without_facts": empty}


def _are_read(lines: Sequence[tuple[_Row, Place]], language: LanguageConfig) -> Iterator[bool]:
    """Tell of each line whether the patterns read it: whether it is in the language."""
    is_known = known_words(language.model)
    for _, of_document in groupby(lines, lambda line: line[0]["document_id"]):
        texts = [row["text"] for row, _ in of_document]
        yield from are_in(language.name, texts, is_known)


def _read(prose: Sequence[tuple[_Row, Place]], extractor: Extractor) -> Iterator[list[Frame]]:
    lines = []
    for row, place in prose:
        is_parsed = row["has_verb"] or is_phrase(row["text"])
        lines.append(ProseLine(row["text"], is_parsed, place.key, place.opens))
    return read_lines(lines, extractor)


class _Rows:
    def __init__(self, times: Mapping[str, Validity]) -> None:
        self._times = times
        self.frames: dict[str, _Row] = {}
        self.triples: dict[str, _Row] = {}

    def add(self, sentence: Mapping[str, Any], found: Iterable[Frame]) -> None:
        place = {name: sentence[name] for name in PLACE}
        text = sentence.get("text", "")
        of_triple = place | {"said": said(text)}
        time = self._times.get(sentence["sentence_id"])
        triples: list[_Row] = []
        for frame in found:
            of_frame = place | frame_row(frame, sentence["sentence_id"])
            self.frames[of_frame["frame_id"]] = of_frame
            origin = {"frame_id": of_frame["frame_id"], "extractor": frame.extractor}
            derived = map(columns_of, derive_triples(frame))
            triples.extend(of_triple | triple | origin for triple in derived)
        for row in merged(triples, text):
            row["triple_id"] = triple_id(row)
            arguments = self.frames[row["frame_id"]]["arguments"]
            row["confidence"] = certainty_of(row, text, len(arguments))
            row |= time.columns(row, text) if time else {}
            self.triples[row["triple_id"]] = row


def _add_tables(rows: _Rows, cells: pa.Table, sentences: pa.Table, language: LanguageConfig) -> dict[str, int | float]:
    """Add the frames of tables to the sentences that are their rows, and return counts."""
    counts = TableCounts()
    with_cells = cells["document_id"].unique()
    columns = [*PLACE, "char_start", "char_end", "text"]
    wanted = sentences.filter(pc.is_in(sentences["document_id"], value_set=with_cells))
    by_document: dict[str, list[_Row]] = defaultdict(list)
    for row in wanted.select(columns).sort_by("char_start").to_pylist():
        by_document[row["document_id"]].append(row)
    is_known = known_words(language.model)
    for document_id, lines in sorted(by_document.items()):
        are_read = are_in(language.name, [line["text"] for line in lines], is_known)
        table = cells.filter(pc.equal(cells["document_id"], document_id))
        for frame in row_facts(table, max_rows=_MOST_TABLE_ROWS, counts=counts):
            before = bisect_right(lines, frame.start, key=itemgetter("char_start"))
            line = lines[max(0, before - 1)]
            is_read = are_read[max(0, before - 1)]
            if is_read and line["char_start"] <= frame.start < line["char_end"]:
                rows.add(line, [_in_line(frame, line)])
    return asdict(counts)


def _in_line(frame: Frame, line: Mapping[str, Any]) -> Frame:
    """Return a frame with offsets in its line; names from other lines get an empty span."""
    start, end = line["char_start"], line["char_end"]
    moved = shifted(frame, -start)
    at = moved.arguments[-1].end
    arguments = tuple(
        argument
        if start <= original.start and original.end <= end
        else replace(argument, start=at, end=at, head_start=at, head_end=at, core_start=at, core_end=at)
        for argument, original in zip(moved.arguments, frame.arguments, strict=True)
    )
    return replace(moved, arguments=arguments)

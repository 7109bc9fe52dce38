"""Quality of extraction: are the facts of labelled sentences found, and is what is found right?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.scoring.triple_gold import NO_FACT, Fact, GoldSentence, facts_of, locate, read_gold
from benchmarks.scoring.triple_match import Found, matches
from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.extract.tables import EXTRACTOR_NAME as TABLE


@dataclass(frozen=True)
class JudgedSentence:
    """A labelled sentence, what was extracted from it, and what of that is right.

    Attributes:
        id: Id of the gold line.
        kind: Its kind.
        facts: Its facts.
        found: Extracted triples, without repetitions.
        facts_found: Whether each fact is stated by an extracted triple.
        right: Whether each extracted triple states a fact.
    """

    id: str
    kind: str
    facts: tuple[Fact, ...]
    found: tuple[Found, ...]
    facts_found: tuple[bool, ...]
    right: tuple[bool, ...]


@dataclass(frozen=True)
class TripleScores:
    """Figures of a group of sentences.

    Attributes:
        sentences: How many there are.
        facts: Facts labelled in them.
        triples: Triples extracted from them.
        recall: Share of the facts that were found; 0 where there are none.
        precision: Share of the triples that are right; 0 where there are none.
    """

    sentences: int
    facts: int
    triples: int
    recall: float
    precision: float

    @classmethod
    def of(cls, judged: Sequence[JudgedSentence]) -> TripleScores:
        """Sum over sentences, so that each fact and each triple weighs the same."""
        found = [one for sentence in judged for one in sentence.facts_found]
        right = [one for sentence in judged for one in sentence.right]
        return cls(
            sentences=len(judged),
            facts=len(found),
            triples=len(right),
            recall=sum(found) / len(found) if found else 0.0,
            precision=sum(right) / len(right) if right else 0.0,
        )


@dataclass(frozen=True)
class TripleReport:
    """Figures of one extraction.

    Attributes:
        overall: All sentences; triples of sentences without facts count as wrong.
        no_fact_share: Share of the sentences without facts that yielded a triple.
        by_kind: Figures of each kind.
        not_located: Ids of sentences that no longer occur in their documents; they are not counted anywhere.
        judged: Every sentence.
    """

    overall: TripleScores
    no_fact_share: float
    by_kind: dict[str, TripleScores]
    not_located: tuple[str, ...]
    judged: tuple[JudgedSentence, ...]

    @classmethod
    def of(cls, judged: Sequence[JudgedSentence], not_located: Iterable[str] = ()) -> TripleReport:
        """Summarise sentences."""
        empty = [one for one in judged if one.kind == NO_FACT]
        kinds = sorted({one.kind for one in judged})
        return cls(
            overall=TripleScores.of(judged),
            no_fact_share=sum(bool(one.found) for one in empty) / len(empty) if empty else 0.0,
            by_kind={kind: TripleScores.of([one for one in judged if one.kind == kind]) for kind in kinds},
            not_located=tuple(not_located),
            judged=tuple(judged),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain dicts, lists, texts and numbers: what JSON can carry."""
        return asdict(self)


def judge(sentence: GoldSentence, facts: Sequence[Fact], found: Iterable[Found]) -> JudgedSentence:
    """Compare the extracted triples of one sentence with its facts."""
    found = tuple(dict.fromkeys(found))
    return JudgedSentence(
        id=sentence.id,
        kind=sentence.kind,
        facts=tuple(facts),
        found=found,
        facts_found=tuple(any(matches(one, fact) for one in found) for fact in facts),
        right=tuple(any(matches(one, fact) for fact in facts) for one in found),
    )


def evaluate_triples(
    gold: str | Path, sources: str, *, config: Config, split: str | Collection[str] | None = None
) -> TripleReport:
    """Extract from the documents of labelled sentences and compare.

    The documents go through the stages of a run up to the extraction, so a sentence is read with what stands around it.

    Args:
        gold: JSON lines of `triple_gold.GoldSentence`.
        sources: Folder of the documents.
        config: Settings of all stages.
        split: Only the sentences of this split, or of these; None takes all.
    """
    splits = {split} if isinstance(split, str) else split
    wanted = [one for one in read_gold(gold) if splits is None or one.split in splits]
    if not wanted:
        raise ConfigError(f"has no sentences of the split {split!r}", str(gold))
    return report_of(wanted, extracted(sources, sorted({one.path for one in wanted}), config))


def report_of(wanted: Sequence[GoldSentence], tables: Mapping[str, pa.Table]) -> TripleReport:
    """Compare the triples in the tables of a run's shards with the facts of labelled sentences."""
    ids = dict(
        zip(*(tables["documents"][name].to_pylist() for name in ("path", "document_id")),
            strict=True)
    )  # fmt: skip
    texts = texts_of(tables["blocks"])
    found = _found_by_document(tables["sentences"], tables["triples"])
    judged, not_located = [], []
    for sentence in wanted:
        document_id = ids[sentence.path]
        text = texts.get(document_id, "")
        start = locate(sentence, text)
        if start is None:
            not_located.append(sentence.id)
            continue
        end = start + sentence.end - sentence.start
        inside = [one for place, one in found[document_id] if _mostly_inside(place, (start, end))]
        judged.append(judge(sentence, facts_of(sentence, text, start), inside))
    return TripleReport.of(judged, not_located)


def extracted(sources: str, paths: Sequence[str], config: Config) -> Mapping[str, pa.Table]:
    """Return the tables that the stages up to the extraction make of some documents."""
    from graphrag_tasks.chunk import chunk
    from graphrag_tasks.chunk.filter_sentences import filter_sentences
    from graphrag_tasks.extract import extract
    from graphrag_tasks.parse import parse
    from graphrag_tasks.pipeline.plan import plan
    from graphrag_tasks.sources.listing import SourceReader, list_sources, source_roots

    roots = source_roots([sources])
    listed = list_sources(roots)
    missing = set(paths) - set(listed["path"].to_pylist())
    if missing:
        what = f"{len(missing)} documents of the gold set are missing, such as {min(missing)}"
        raise ConfigError(what, sources, "Name the folder that the gold set was labelled on")
    listed = listed.filter(pc.is_in(listed["path"], value_set=pa.array(paths)))
    planned = plan(listed, schemas.empty("documents"), config=config.plan).tables["sources"]
    fetch = SourceReader(roots, planned).fetch
    tables = dict(parse(planned, config=config.parse, fetch=fetch).tables)
    tables |= chunk(tables["documents"], tables["blocks"], config=config.chunk).tables
    read = (tables[name] for name in ("blocks", "cells", "chunks"))
    tables |= filter_sentences(*read, language=config.language).tables
    read = (tables[name] for name in ("documents", "blocks", "cells", "chunks", "sentences"))
    found = extract(*read, config=config.extract, language=config.language)
    return tables | dict(found.tables)


def texts_of(blocks: pa.Table) -> dict[str, str]:
    """Return the texts of documents by their ids."""
    parts: dict[str, list[str]] = defaultdict(list)
    ordered = blocks.sort_by([("document_id", "ascending"), ("ordinal", "ascending")])
    for document_id, text in zip(ordered["document_id"].to_pylist(), ordered["text"].to_pylist(), strict=True):
        parts[document_id].append(text)
    return {one: schemas.BLOCK_SEPARATOR.join(texts) for one, texts in parts.items()}


def _found_by_document(sentences: pa.Table, triples: pa.Table) -> Mapping[str, list[tuple[tuple[int, int], Found]]]:
    places = {
        row["sentence_id"]: (row["char_start"], row["char_end"])
        for row in sentences.select(["sentence_id", "char_start", "char_end"]).to_pylist()
    }
    found: dict[str, list[tuple[tuple[int, int], Found]]] = defaultdict(list)
    for row in triples.to_pylist():
        one = Found(*(row[name] for name in ("head", "relation", "tail", "rule", "confidence")))
        start, end = places[row["sentence_id"]]
        if row["extractor"] == TABLE:  # of the whole row, only this cell states it
            start, end = start + row["tail_start"], start + row["tail_end"]
        found[row["document_id"]].append(((start, end), one))
    return found


def _mostly_inside(place: tuple[int, int], span: tuple[int, int]) -> bool:
    common = min(place[1], span[1]) - max(place[0], span[0])
    return 2 * common > min(place[1] - place[0], span[1] - span[0])

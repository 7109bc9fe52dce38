"""What a run would ask a language model, and what that costs, before it is asked.

The documents are parsed, chunked and read by the rules as a run does it, in the store: the run
finds that work done. Prompts are counted as they would be sent; how long answers are is assumed, or
learned from a sample that is asked for real (a probe), whose answers are kept for the run.
"""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from graphrag_tasks.core.config import HYBRID, LLM, Config
from graphrag_tasks.embed.protocol import ENDPOINT
from graphrag_tasks.llm.answers import Usage
from graphrag_tasks.llm.forecast import Forecast, Range, Rates
from graphrag_tasks.llm.prices import price
from graphrag_tasks.llm_extract import LlmReader
from graphrag_tasks.llm_extract.requests import Pack, packs_of
from graphrag_tasks.llm_extract.windows import gains_of, windows_of
from graphrag_tasks.operations.runner import process_shards
from graphrag_tasks.pipeline import SHARD_STAGES, Run, check
from graphrag_tasks.pipeline.inputs import make_reader
from graphrag_tasks.pipeline.llm_requests import tables_of_shard
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.locks import sole_run

log = logging.getLogger(__name__)

_SECONDS_OF_REQUEST: Range = (1.0, 4.0, 20.0)
"""Assumed seconds of one request."""
_RULES = "dependency"
_ASIDE_IN_BATCH = Decimal("1.3")
"""What a batch sets aside beside the high end of a forecast: the margin of `llm.lengths`."""


@dataclass(frozen=True)
class Reading:
    """What an extractor asks of a part of the documents.

    Attributes:
        forecast: What it takes.
        missed: Words that the rules may have missed in what it reads, as a share of all.
    """

    forecast: Forecast = field(default_factory=Forecast)
    missed: float = 0.0


@dataclass(frozen=True)
class Part:
    """A collection: the documents below one folder of a source.

    Attributes:
        name: The source and the folder.
        glob: Pattern of its paths, as settings take it.
        documents: How many are read.
        by_extractor: What `hybrid` and `llm` would ask.
        advised: The extractor that is worth its money, within the budget.
    """

    name: str
    glob: str
    documents: int
    by_extractor: dict[str, Reading]
    advised: str = _RULES


@dataclass(frozen=True)
class Estimate:
    """What a run would cost.

    Attributes:
        extractor: The one of the settings; `total` is its.
        parts: By collection.
        total: What its requests take that have no answer yet.
        spent: USD that the run spent already, as by a probe; None where the price is not known.
        stages: Roughly, what other stages that ask would take.
        minutes: Of asking: low, expected, high.
        in_batches: Whether batches answer, which takes up to a day.
        learned_from: Number of answers that lengths are learned from; 0: they are assumed.
    """

    extractor: str
    parts: tuple[Part, ...]
    total: Forecast
    spent: Decimal | None
    stages: dict[str, Forecast]
    minutes: Range
    in_batches: bool
    learned_from: int

    @property
    def one_batch_usd(self) -> Decimal | None:
        """The cap from which on one batch holds all; below it, several follow each other."""
        return self.total.usd and self.total.usd[2] * _ASIDE_IN_BATCH


@dataclass
class _Collected:
    """The packs of a collection, by extractor, with the words that each of its reads may gain."""

    glob: str
    documents: set[str] = field(default_factory=set)
    packs: dict[str, list[Pack]] = field(default_factory=lambda: {HYBRID: [], LLM: []})
    missed: dict[str, float] = field(default_factory=lambda: {HYBRID: 0.0, LLM: 0.0})


def estimate(config: Config, *, probe: int = 0, workers: int | None = None) -> Estimate:
    """Say what the next run would ask, without asking; with a `probe` of so many requests.

    Where the settings ask no model, the figures are those of `hybrid`.

    Raises:
        GraphragError: As a run does: a source, a setting, or the endpoint that is probed.
    """
    if not config.extract.asks:
        extract = config.extract.model_copy(update={"extractor": HYBRID})
        config = config.model_copy(update={"extract": extract})
    spends = probe > 0
    check(config, spends=spends)
    with sole_run(Folder(config.store)):
        run, _ = Run.start(config, spends=spends)
        process_shards(run, tuple(SHARD_STAGES), workers or os.cpu_count() or 1)
        found = _collect(run, config)
        reader = make_reader(run.state)
        own = config.extract.extractor
        seconds = None
        if probe:
            sample = _sample(
                {name: collected.packs[own] for name, collected in found.items()}, probe
            )
            seconds = _probed(reader, sample) if sample else None
        rates = reader.rates(pack for collected in found.values() for pack in collected.packs[own])
        batched = frozenset(
            extractor
            for extractor in (HYBRID, LLM)
            if sum(len(collected.packs[extractor]) for collected in found.values())
            >= config.llm.batch_from
        )
        parts = [
            _part(name, collected, reader, rates, batched)
            for name, collected in sorted(found.items())
        ]
        total = sum((part.by_extractor[own].forecast for part in parts), Forecast())
        return Estimate(
            extractor=own,
            parts=tuple(_advised(parts, config.llm.budget.usd)),
            total=total,
            spent=reader.spent,
            stages=_other_stages(config, run),
            minutes=_minutes(config, total, seconds),
            in_batches=config.llm.batch != "off" and own in batched,
            learned_from=rates.learned_from,
        )


def _collect(run: Run, config: Config) -> dict[str, _Collected]:
    found: dict[str, _Collected] = {}
    for shard in run.shards:
        folder = run.state.shard_tables(shard)
        tables = tables_of_shard(run.state, shard)
        documents, chunks, sentences = (
            tables[name] for name in ("documents", "chunks", "sentences")
        )
        paths = folder.read_table("documents", ["document_id", "source", "path"]).to_pylist()
        place = {row["document_id"]: (row["source"], row["path"]) for row in paths}
        gains = gains_of(sentences, tables["triples"])
        for source, path in place.values():
            _of(found, source, path).documents.add(path)
        for extractor in (HYBRID, LLM):
            of_this = config.extract.model_copy(update={"extractor": extractor})
            windows = windows_of(**tables, config=of_this)
            for pack in packs_of(documents, chunks, sentences, windows, of_this.llm):
                one = _of(found, *place[pack.document_id])
                one.packs[extractor].append(pack)
                one.missed[extractor] += sum(gains.get(key, 0.0) for key in pack.sentence_ids)
    return found


def _of(found: dict[str, _Collected], source: str, path: str) -> _Collected:
    """Return what is collected for the folder of a document."""
    folder, has_folder, _ = path.partition("/")
    name = f"{source}/{folder}" if has_folder else source
    return found.setdefault(name, _Collected(f"{folder}/**" if has_folder else "*"))


def _sample(packs: dict[str, list[Pack]], size: int) -> list[Pack]:
    """Return requests of all collections, in proportion, evenly over each."""
    total = sum(map(len, packs.values()))
    chosen = []
    for _, of_part in sorted(packs.items()):
        wanted = min(len(of_part), math.ceil(size * len(of_part) / total)) if total else 0
        chosen += [of_part[len(of_part) * number // wanted] for number in range(wanted)]
    return chosen[:: max(1, len(chosen) // size)][:size] if len(chosen) > size else chosen


def _probed(reader: LlmReader, sample: Sequence[Pack]) -> float:
    """Ask about a sample; return the seconds of one request."""
    begin = time.perf_counter()
    reader.read(sample)
    return (time.perf_counter() - begin) * min(reader.concurrency, len(sample)) / len(sample)


def _part(
    name: str, found: _Collected, reader: LlmReader, rates: Rates, batched: frozenset[str]
) -> Part:
    all_missed = found.missed[LLM] or 1.0
    return Part(
        name=name,
        glob=found.glob,
        documents=len(found.documents),
        by_extractor={
            extractor: Reading(
                reader.forecast(packs.__iter__, rates, batched=extractor in batched),
                min(found.missed[extractor] / all_missed, 1.0),
            )
            for extractor, packs in found.packs.items()
        },
    )


def _advised(parts: Sequence[Part], budget: float) -> Iterator[Part]:
    """Yield the parts with the extractor that gains most for the money, within the budget."""
    chosen = {part.name: _RULES for part in parts}
    left = budget or math.inf
    while True:
        steps = [
            (gain / usd, part.name, extractor, usd)
            for part in parts
            for extractor, gain, usd in _steps(part, chosen[part.name])
            if usd <= left and gain > 0
        ]
        if not steps:
            break
        _, name, extractor, usd = max(steps)
        chosen[name] = extractor
        left -= usd
    for part in parts:
        yield replace(part, advised=chosen[part.name])


def _steps(part: Part, now: str) -> Iterator[tuple[str, float, float]]:
    """Yield the extractors that read more, with documents' worth of words and USD beside now."""
    before = part.by_extractor.get(now, Reading())
    for extractor in {_RULES: (HYBRID, LLM), HYBRID: (LLM,)}.get(now, ()):
        reading = part.by_extractor[extractor]
        usd = float(_usd(reading) - _usd(before))
        yield extractor, (reading.missed - before.missed) * part.documents, max(usd, 1e-9)


def _usd(reading: Reading) -> Decimal:
    return reading.forecast.usd[1] if reading.forecast.usd else Decimal(0)


def _minutes(config: Config, total: Forecast, seconds: float | None) -> Range:
    """Return the time of asking: by the requests at a time, and by the limits a minute."""
    each = (0.7 * seconds, seconds, 1.5 * seconds) if seconds else _SECONDS_OF_REQUEST
    llm = config.llm
    found = []
    for place in range(3):
        minutes = total.requests * each[place] / llm.concurrency / 60
        if llm.requests_per_minute:
            minutes = max(minutes, total.requests / llm.requests_per_minute)
        if llm.tokens_per_minute:
            count = total.prompt_tokens[place] + total.completion_tokens[place]
            minutes = max(minutes, count / llm.tokens_per_minute)
        found.append(minutes)
    return found[0], found[1], found[2]


_COMMUNITIES = (2.7, 4.4, 7.0)
"""Communities over triples to the power of .556: between those of two corpora of 1,450 and 61,600
triples (example documents, SAP documents of docs/results.md)."""
_PAIRS = (0.05, 0.26, 0.8)
"""Similar names over triples: 15,980 of the SAP documents' 61,600."""
_PAIRS_OF_REQUEST = 8.0
_USAGE_OF_SUMMARY, _USAGE_OF_PAIRS = Usage(450, 180), Usage(700, 100)
_TOKENS_OF_NAME = 6.0
"""Pairs of a request, tokens of a prompt and an answer, and tokens of a name: assumed, not
measured."""


def _other_stages(config: Config, run: Run) -> dict[str, Forecast]:
    """Return roughly what summaries, confirmations and vectors take, from the triples so far."""
    folders = [run.state.shard_tables(shard) for shard in run.shards]
    triples = sum(folder.scan_table("triples").count_rows() for folder in folders)
    found = {}
    if config.communities.summarizer == LLM:
        counts = [share * triples**0.556 for share in _COMMUNITIES]
        found["summarize"] = _rough(config, "summarize", counts, _USAGE_OF_SUMMARY)
    if config.resolve.confirm:
        counts = [share * triples / _PAIRS_OF_REQUEST for share in _PAIRS]
        found["confirm"] = _rough(config, "confirm", counts, _USAGE_OF_PAIRS)
    if config.embed.embedder == ENDPOINT:
        characters = sum(
            sum(map(len, folder.read_table("chunks", ["text"])["text"].to_pylist()))
            for folder in folders
        )
        count = characters / 4 + triples * _TOKENS_OF_NAME
        usd = price(config.llm, config.embed.model, Usage(round(count), 0))
        found["embed"] = Forecast(
            requests=0, prompt_tokens=(count * 0.8, count, count * 1.3),
            usd=None if usd is None else (usd * 8 / 10, usd, usd * 13 / 10),
        )  # fmt: skip
    return found


def _rough(config: Config, purpose: str, counts: Sequence[float], usage: Usage) -> Forecast:
    usd = price(config.llm, config.llm.model_for(purpose), usage)
    prompt = [count * usage.prompt_tokens for count in counts]
    completion = [count * usage.completion_tokens for count in counts]
    money = None if usd is None else [usd * round(count) for count in counts]
    return Forecast(
        requests=round(counts[1]),
        prompt_tokens=(prompt[0], prompt[1], prompt[2]),
        completion_tokens=(completion[0], completion[1], completion[2]),
        usd=None if money is None else (money[0], money[1], money[2]),
    )

"""Estimate what a run would ask a language model, and its cost, before asking.

The documents are parsed, chunked and read by the rules in the store, where the run reuses that work. Prompts are
counted as they would be sent; answer lengths are assumed, or learned from a real sample (a probe), whose answers the
run reuses.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from graphrag_tasks.core.config import HYBRID, LLM, Config
from graphrag_tasks.embed.protocol import ENDPOINT
from graphrag_tasks.extract.llm.requests import Pack, packs_of
from graphrag_tasks.extract.llm.windows import windows_of
from graphrag_tasks.llm.answers import Usage
from graphrag_tasks.llm.forecast import Forecast, Range
from graphrag_tasks.llm.prices import price
from graphrag_tasks.operations.runner import process_shards
from graphrag_tasks.pipeline import SHARD_STAGES, Run, check
from graphrag_tasks.pipeline.inputs import make_reader
from graphrag_tasks.pipeline.llm_requests import tables_of_shard
from graphrag_tasks.storage.artifacts import Folder
from graphrag_tasks.storage.locks import sole_run

_COMMUNITIES = (2.7, 4.4, 7.0)
"""Communities per triples to the power of .556: low, expected, high. Between two corpora of 1,450 and 61,600 triples
(example documents, SAP documents of docs/results.md)."""
_PAIRS = (0.05, 0.26, 0.8)  # Pairs of similar names per triple: 15,980 for the SAP documents' 61,600 triples.
_PAIRS_OF_REQUEST = 8.0
_USAGE_OF_SUMMARY, _USAGE_OF_PAIRS = Usage(450, 180), Usage(700, 100)
_TOKENS_OF_NAME = 6.0
_CHARACTERS_OF_TOKEN = (5.0, 4.0, 3.0)
"""Pairs per request, tokens of a prompt and an answer, tokens of a name, and characters per token: assumed, not
measured."""


@dataclass(frozen=True)
class Estimate:
    """Estimated cost of a run.

    Attributes:
        extractor: The configured extractor.
        by_extractor: Requests of `hybrid` and `llm` without an answer yet.
        stages: Rough forecasts for other stages that ask.
        spent: USD already spent by the run, as by a probe; None if the price is unknown.
        in_batches: Whether batches answer, which takes up to a day.
        learned_from: Number of answers that lengths are learned from; 0: they are assumed.
    """

    extractor: str
    by_extractor: dict[str, Forecast]
    stages: dict[str, Forecast]
    spent: Decimal | None
    in_batches: bool
    learned_from: int

    @property
    def total(self) -> Forecast:
        """Forecast for the configured extractor."""
        return self.by_extractor[self.extractor]


def estimate(config: Config, *, probe: int = 0, workers: int | None = None) -> Estimate:
    """Estimate what the next run would ask, without asking, except for `probe` requests.

    If no model is configured, the extractor is `hybrid`.
    """
    own = config.extract.extractor if config.extract.asks else HYBRID
    config = _with_extractor(config, own)
    spends = probe > 0
    check(config, spends=spends)
    with sole_run(Folder(config.store)):
        run, _ = Run.start(config, spends=spends)
        process_shards(run, tuple(SHARD_STAGES), workers or os.cpu_count() or 1)
        packs = {name: list(_packs(run, _with_extractor(config, name))) for name in (HYBRID, LLM)}
        reader = make_reader(run.state)
        if sample := packs[own][:: max(1, len(packs[own]) // probe)][:probe] if probe else []:
            reader.read(sample)
        rates = reader.rates(packs[own])
        is_batched = {name: len(some) >= config.llm.batch_from for name, some in packs.items()}
        return Estimate(
            extractor=own,
            by_extractor={
                name: reader.forecast(some.__iter__, rates, batched=is_batched[name]) for name, some in packs.items()
            },
            stages=_other_stages(config, run),
            spent=reader.spent,
            in_batches=config.llm.batch != "off" and is_batched[own],
            learned_from=rates.learned_from,
        )


def _with_extractor(config: Config, name: str) -> Config:
    extract = config.extract.model_copy(update={"extractor": name})
    return config.model_copy(update={"extract": extract})


def _packs(run: Run, config: Config) -> Iterator[Pack]:
    for shard in run.shards:
        tables = tables_of_shard(run.state, shard)
        windows = windows_of(**tables, config=config.extract)
        documents, chunks = tables["documents"], tables["chunks"]
        yield from packs_of(documents, chunks, tables["sentences"], windows, config.extract.llm)


def _other_stages(config: Config, run: Run) -> dict[str, Forecast]:
    """Return rough forecasts for summaries, confirmations and vectors, from the triple count."""
    folders = [run.state.shard_tables(shard) for shard in run.shards]
    triples = sum(folder.scan_table("triples").count_rows() for folder in folders)
    found = {}
    if config.communities.summarizer == LLM:
        low, expected, high = (share * triples**0.556 for share in _COMMUNITIES)
        found["summarize"] = _rough(config, "summarize", (low, expected, high), _USAGE_OF_SUMMARY)
    if config.resolve.confirm:
        low, expected, high = (share * triples / _PAIRS_OF_REQUEST for share in _PAIRS)
        found["confirm"] = _rough(config, "confirm", (low, expected, high), _USAGE_OF_PAIRS)
    if config.embed.embedder == ENDPOINT:
        tables = (folder.read_table("chunks", ["text"]) for folder in folders)
        characters = sum(len(text) for table in tables for text in table["text"].to_pylist())
        low, expected, high = (characters / of_token + triples * _TOKENS_OF_NAME for of_token in _CHARACTERS_OF_TOKEN)
        found["embed"] = _rough(config, "", (low, expected, high), Usage(1, 0))
    return found


def _rough(config: Config, purpose: str, counts: Range, usage: Usage) -> Forecast:
    """Return the forecast for a number of equal requests; without a purpose, of tokens to embed."""
    model = config.llm.model_for(purpose) if purpose else config.embed.model
    usd = price(config.llm, model, usage)
    low, expected, high = (Decimal(round(count)) for count in counts)
    return Forecast(
        requests=round(counts[1]) if purpose else 0,
        prompt_tokens=_times(counts, usage.prompt_tokens),
        completion_tokens=_times(counts, usage.completion_tokens),
        usd=None if usd is None else (usd * low, usd * expected, usd * high),
    )


def _times(counts: Range, tokens: int) -> Range:
    return counts[0] * tokens, counts[1] * tokens, counts[2] * tokens

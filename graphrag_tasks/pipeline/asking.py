"""Which requests the shards of a run make to a language model, before one is sent."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from graphrag_tasks.ask import LlmReader, ask
from graphrag_tasks.ask.packs import Pack, packs_of
from graphrag_tasks.llm.forecast import Forecast
from graphrag_tasks.pipeline.inputs import make_reader
from graphrag_tasks.pipeline.state import RunState

log = logging.getLogger(__name__)

_REQUESTS_AT_ONCE = 10_000
"""Requests whose texts are held in memory together."""


def packs_of_shard(state: RunState, shard: int) -> list[Pack]:
    """Return what is asked about a shard."""
    folder = state.shard_folder(shard)
    documents, chunks, sentences, windows = (
        folder.read_table(one.name, list(one.columns) or None) for one in ask.reads
    )
    return packs_of(documents, chunks, sentences, windows, state.config.extract.llm)


def ask_groups(state: RunState, wanted: Sequence[int]) -> Iterator[tuple[list[int], LlmReader]]:
    """Yield shards, with what has asked about all of them; the threads work on many at once.

    What it takes is told in the log before the first request leaves.
    """
    reader = make_reader(state)
    told = reader.forecast(pack for shard in wanted for pack in packs_of_shard(state, shard))
    log.info(
        "ask: %d requests to %s, %d more are answered; %s",
        told.requests, reader.identity.model, told.known, _price(told, state.config.llm.budget.usd),
    )  # fmt: skip
    shards: list[int] = []
    packs: list[Pack] = []
    for shard in wanted:
        shards.append(shard)
        packs += packs_of_shard(state, shard)
        if len(packs) >= _REQUESTS_AT_ONCE:
            reader.read(packs)
            yield shards, reader
            shards, packs = [], []
            reader = make_reader(state)
    if shards:
        reader.read(packs)
        yield shards, reader


def _price(told: Forecast, cap: float) -> str:
    """Return the expected price in words, with its range and the cap."""
    capped = f"at most {cap:g} USD" if cap else "no cap"
    if told.usd is None:
        return f"their price is not known ({capped})"
    low, expected, high = told.usd
    return f"about {expected:.2f} USD, from {low:.2f} to {high:.2f} ({capped})"

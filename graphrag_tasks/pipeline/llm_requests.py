"""The model requests of a run's shards, before any is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from decimal import Decimal
from typing import Any

from graphrag_tasks.extract.llm import LlmReader, ask
from graphrag_tasks.extract.llm.requests import Pack, packs_of
from graphrag_tasks.extract.llm.windows import windows_of
from graphrag_tasks.llm.journal import Journal, answers_file
from graphrag_tasks.llm.tokens import Forecast
from graphrag_tasks.pipeline.inputs import make_reader, run_name
from graphrag_tasks.pipeline.stages import MODEL_STAGES
from graphrag_tasks.pipeline.state import RunState
from graphrag_tasks.storage.artifacts import Receipt

_REQUESTS_AT_ONCE = 10_000  # Requests whose texts are in memory at a time.


def packs_of_shard(state: RunState, shard: int) -> list[Pack]:
    """Return the request packs of a shard."""
    config, folder = state.config.extract, state.shard_tables(shard)
    tables = {read.name: folder.read_table(read.name, list(read.columns) or None) for read in ask.reads}
    return packs_of(
        tables["documents"], tables["chunks"], tables["sentences"],
        windows_of(**tables, config=config), config.llm,
    )  # fmt: skip


def batch(state: RunState, wanted: Sequence[int]) -> int:
    """Submit the requests of shards as batches; return how many are pending."""
    return make_reader(state).batch(_packs(state, wanted))


def price(state: RunState, wanted: Sequence[int]) -> Forecast:
    """Return the forecast for asking about shards; nothing is sent."""
    return make_reader(state).forecast(_packs(state, wanted))


def ask_groups(
    state: RunState, wanted: Sequence[int], *, may_spend: bool = True
) -> Iterator[tuple[list[int], LlmReader]]:
    """Yield groups of shards with a reader that has asked about them, to keep its threads busy."""
    reader = make_reader(state, may_spend=may_spend)
    shards: list[int] = []
    packs: list[Pack] = []
    for shard in wanted:
        shards.append(shard)
        packs += packs_of_shard(state, shard)
        if len(packs) >= _REQUESTS_AT_ONCE:
            reader.read(packs)
            yield shards, reader
            shards, packs = [], []
            reader.forget()
    if shards:
        reader.read(packs)
        yield shards, reader


def what_was_asked(state: RunState, receipts: Iterable[Receipt]) -> dict[str, Any]:
    """Return counts of windows and facts of a run, and its spending for all purposes."""
    counts: Counter[str] = Counter({"windows": 0, "told": 0, "adopted": 0})
    for receipt in receipts:
        if receipt.stage in MODEL_STAGES:
            counts.update({name: int(count) for name, count in receipt.stats.items()})
    spent = spent_usd(state)
    usd = None if spent is None else f"{spent:f}"
    return {**counts, "usd": usd, "cap_usd": state.config.llm.budget.usd}


def spent_usd(state: RunState) -> Decimal | None:
    """Return what a run spent so far, for all purposes; None where a price is not known."""
    file = answers_file(state.config.llm, state.config.store)
    with closing(Journal(file)) as journal:
        return journal.spent(run_name(state)).usd


def _packs(state: RunState, wanted: Sequence[int]) -> Iterator[Pack]:
    return (pack for shard in wanted for pack in packs_of_shard(state, shard))

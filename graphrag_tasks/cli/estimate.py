"""`graphrag-tasks estimate`: what a run would ask a language model, and what that costs."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphrag_tasks.cli.index import with_sources
from graphrag_tasks.cli.options import (
    ConfigOption,
    ExtractorOption,
    JsonOption,
    SourcesArgument,
    StoreOption,
)
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.core.config import HYBRID, LLM, load_config

if TYPE_CHECKING:
    from graphrag_tasks.llm.forecast import Forecast, Range
    from graphrag_tasks.operations.estimate import Estimate


def estimate(
    sources: SourcesArgument = None,
    store: StoreOption = None,
    config: ConfigOption = None,
    extractor: ExtractorOption = None,
    probe: Annotated[
        int,
        typer.Option(min=0, help="Ask so many requests for real; their answers are kept."),
    ] = 0,
    full_refresh: Annotated[
        bool, typer.Option("--full-refresh", help="As if every document were processed again.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Worker processes.", show_default="cores")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Say what the next run would ask a language model, and what that costs.

    The documents are parsed and read by the rules in the store, where the run finds that work done.
    Nothing is published. Without a probe, lengths of answers are assumed, in a wide range.
    """
    from graphrag_tasks.operations.estimate import estimate as estimated

    overrides = {
        "store": store,
        "sources": sources or None,
        "extract": {"extractor": extractor},
        "plan": {"full_refresh": full_refresh or None},
    }
    settings = with_sources(load_config(config, overrides=overrides))
    found = estimated(settings, probe=probe, workers=workers)
    if json:
        print_json(asdict(found, dict_factory=_plain))
    else:
        _print(found, settings.llm.budget.usd, settings.llm.model_for("extract"))


def _print(found: Estimate, budget: float, model: str) -> None:
    if not found.parts:
        CONSOLE.print("Nothing to read: every document is as it was published.")
        return
    has_price = found.total.usd is not None
    rows = []
    for part in found.parts:
        hybrid, llm = (part.by_extractor[name] for name in (HYBRID, LLM))
        rows.append(
            (
                part.name, part.documents,
                hybrid.forecast.requests, _usd(hybrid.forecast), f"{hybrid.missed:.0%}",
                llm.forecast.requests, _usd(llm.forecast),
                part.advised if has_price else "",
            )
        )  # fmt: skip
    columns = ("collection", "documents", "hybrid", "USD", "reads", "llm", "USD", "advised")
    CONSOLE.print(table(f"What {model} would read", columns, rows))
    CONSOLE.print(
        "reads: of the words that the rules may have missed, those that hybrid has read; "
        f"advised: what gains most for {budget:g} USD."
        if has_price and budget
        else "The price of the model is not known."
        if not has_price
        else "No cap in money is set."
    )
    stages = [("extract", *_columns(found.total))]
    stages += [
        (f"{name} (roughly)", *_columns(forecast)) for name, forecast in found.stages.items()
    ]
    columns = ("stage", "requests", "known", "tokens in", "tokens out", "USD", "from", "to")
    CONSOLE.print(table(f"A run with the extractor {found.extractor}", columns, stages))
    low, expected, high = found.minutes
    time = f"About {expected:.0f} minutes of asking ({low:.0f} to {high:.0f})"
    if found.in_batches:
        time = "In batches, which are answered within a day"
        if found.one_batch_usd:
            time += (
                f"; a cap of {found.one_batch_usd:.2f} USD lets one hold all, a lower one several"
            )
    basis = (
        f"lengths are learned from {found.learned_from:,} answers"
        if found.learned_from
        else "lengths of answers are assumed: --probe 64 asks for some"
    )
    CONSOLE.print(f"{time}; {basis}.")
    if found.spent:
        CONSOLE.print(f"Spent so far, as part of the run: {found.spent:.4f} USD.")
    if has_price and (advice := _settings(found)):
        CONSOLE.print("As advised:\n")
        CONSOLE.print(advice, markup=False, highlight=False)


def _plain(items: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return values as JSON has them: money as digits."""
    return {
        name: [f"{one:f}" for one in value]
        if name == "usd" and value is not None
        else f"{value:f}"
        if isinstance(value, Decimal)
        else value
        for name, value in items
    }


def _columns(one: Forecast) -> tuple[object, ...]:
    usd = [f"{value:.4f}" for value in one.usd] if one.usd else ["unknown"] * 3
    return (
        one.requests, one.known, _middle(one.prompt_tokens), _middle(one.completion_tokens),
        usd[1], usd[0], usd[2],
    )  # fmt: skip


def _middle(of: Range) -> int:
    return round(of[1])


def _usd(one: Forecast) -> str:
    return f"{one.usd[1]:.4f}" if one.usd else "unknown"


def _settings(found: Estimate) -> str:
    """Return the advice as settings; "" where one extractor is best for all."""
    by_extractor = {part.advised for part in found.parts}
    if len(by_extractor) < 2:
        return ""
    critical = [part.glob for part in found.parts if part.advised == LLM]
    lines = ["[extract]", f'extractor = "{HYBRID}"', "[extract.llm]", f"critical = {critical}"]
    for part in found.parts:
        if part.advised not in (LLM, HYBRID):
            lines += ["[[extract.llm.shares]]", f'path = "{part.glob}"', "share = 0"]
    return "\n".join(lines).replace("'", '"')

"""`graphrag-tasks estimate`: what a run would ask a language model, and its cost."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphrag_tasks.cli.index import with_sources
from graphrag_tasks.cli.options import ConfigOption, ExtractorOption, JsonOption, SourcesArgument, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.core.config import load_config

if TYPE_CHECKING:
    from graphrag_tasks.llm.forecast import Forecast


def estimate(
    sources: SourcesArgument = None,
    store: StoreOption = None,
    config: ConfigOption = None,
    extractor: ExtractorOption = None,
    probe: Annotated[int, typer.Option(min=0, help="Ask so many requests for real; their answers are kept.")] = 0,
    full_refresh: Annotated[
        bool, typer.Option("--full-refresh", help="As if every document were processed again.")
    ] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Worker processes.", show_default="cores")] = None,
    json: JsonOption = False,
) -> None:
    """Say what the next run would ask a language model, and what that costs.

    The documents are parsed and read by the rules in the store, where the run finds that work done. Nothing is
    published. Without a probe, lengths of answers are assumed, in a wide range.
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
        print_json(asdict(found, dict_factory=_plain) | {"total": asdict(found.total, dict_factory=_plain)})
        return
    rows = [(f"extract ({name})", *_columns(found.by_extractor[name])) for name in found.by_extractor]
    rows += [(f"{name} (roughly)", *_columns(one)) for name, one in found.stages.items()]
    columns = ("stage", "requests", "known", "tokens in", "tokens out", "USD", "from", "to")
    model = settings.llm.model_for("extract")
    CONSOLE.print(table(f"What {model} would be asked", columns, rows))
    CONSOLE.print(f"The settings extract by {found.extractor}.")
    if found.in_batches:
        CONSOLE.print("In batches, which are answered within a day.")
    CONSOLE.print(
        f"Lengths are learned from {found.learned_from:,} answers."
        if found.learned_from
        else "Lengths of answers are assumed: --probe 64 asks for some."
    )
    if found.spent:
        CONSOLE.print(f"Spent so far, as part of the run: {found.spent:.4f} USD.")


def _plain(items: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return values for JSON: money as decimal strings."""
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
        one.requests, one.known, round(one.prompt_tokens[1]), round(one.completion_tokens[1]),
        usd[1], usd[0], usd[2],
    )  # fmt: skip

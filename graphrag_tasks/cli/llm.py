"""`graphrag-tasks spending`: what a language model was asked, and what it cost."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.ids import is_id
from graphrag_tasks.llm.journal import UNSURE, Attempt, StoreJournal

_SHOWN = {
    "requests": "requests", "prompt_tokens": "in", "completion_tokens": "out", "usd": "USD",
    "unsure_usd": "unsure",
}  # fmt: skip
"""Columns of the table; `--json` has all."""

By = StrEnum("By", ["RUN", "PURPOSE", "MODEL", "DOCUMENT"])


def spending(
    by: Annotated[
        list[By] | None,
        typer.Option(
            help="What is summed up by; several may be given.", show_default="purpose, model"
        ),
    ] = None,
    run: Annotated[str | None, typer.Option(help="Only one run.", show_default="all")] = None,
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Say what the language model was asked, and what it cost.

    Unsure is what was sent and never answered: a kill, a timeout, a cut line. It may have been
    billed, and counts against the budget in full.
    """
    settings = load_config(config, overrides={"store": store})
    columns = by or [By.PURPOSE, By.MODEL]
    groups: dict[tuple[str, ...], list[Attempt]] = defaultdict(list)
    for one in StoreJournal(settings.store).attempts(run):
        groups[tuple(_value(one, column) for column in columns)].append(one)
    rows = [
        dict(zip(columns, values, strict=True)) | _sums(groups[values]) for values in sorted(groups)
    ]
    if json:
        print_json(rows)
    elif not rows:
        CONSOLE.print("Nothing was asked.")
    else:
        if len(rows) > 1:
            every = [one for group in groups.values() for one in group]
            rows.append(dict.fromkeys(columns, "") | {columns[0]: "all"} | _sums(every))
        shown = [*columns, *_SHOWN]
        cells = [[_short(row[name]) for name in shown] for row in rows]
        CONSOLE.print(table("Spending", [_SHOWN.get(name, name) for name in shown], cells))


def _short(value: object) -> object:
    """Return a value, an id by its first digits."""
    return f"{value[:8]}…" if isinstance(value, str) and is_id(value) else value


def _value(attempt: Attempt, by: By) -> str:
    column = {By.RUN: attempt.run, By.PURPOSE: attempt.purpose, By.MODEL: attempt.model}
    return column.get(by, attempt.document_id or "several")


def _sums(attempts: list[Attempt]) -> dict[str, Any]:
    sure = [one for one in attempts if one.fate != UNSURE]
    unsure = [one for one in attempts if one.fate == UNSURE]
    return {
        "requests": len(attempts),
        "answered": sum(one.kind == "answered" for one in attempts),
        "prompt_tokens": sum(one.prompt_tokens for one in sure),
        "completion_tokens": sum(one.completion_tokens for one in sure),
        "usd": _usd(sure),
        "unsure": len(unsure),
        "unsure_usd": _usd(unsure),
    }


def _usd(attempts: list[Attempt]) -> str:
    """Return the money of attempts, or that it is unknown."""
    if any(one.usd is None for one in attempts):
        return "unknown"
    return f"{sum((Decimal(one.usd or 0) for one in attempts), Decimal(0)):.4f}"

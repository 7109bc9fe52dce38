"""`graphrag-tasks spending`: requests to language models, and their cost."""

from __future__ import annotations

from contextlib import closing
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.ids import is_id

_SHOWN = {
    "requests": "requests", "prompt_tokens": "in", "completion_tokens": "out", "usd": "USD",
    "unsure_usd": "unsure",
}  # fmt: skip
"""Columns of the table; `--json` has all."""

By = StrEnum("By", ["RUN", "PURPOSE", "MODEL", "DOCUMENT"])


def spending(
    by: Annotated[
        list[By] | None, typer.Option(help="What is summed up by; several may be given.", show_default="purpose, model")
    ] = None,
    run: Annotated[str | None, typer.Option(help="Only one run.", show_default="all")] = None,
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Say what the language model was asked, and what it cost.

    Unsure is what was sent and never answered: a kill, a timeout, a cut line. It may have been billed, and counts
    against the budget in full.
    """
    from graphrag_tasks.llm.journal import Journal, answers_file
    from graphrag_tasks.storage.snapshots.store import Store

    settings = load_config(config, overrides={"store": store})
    Store(settings.store).require()
    columns = by or [By.PURPOSE, By.MODEL]
    file = answers_file(settings.llm, settings.store)
    rows, every = list[dict[str, Any]](), list[dict[str, Any]]()
    if file.exists():
        with closing(Journal(file)) as journal:
            rows, every = journal.sums(columns, run), journal.sums([], run)
    for row in [*rows, *every]:
        row |= {name: _money(row[name]) for name in ("usd", "unsure_usd")}
    if json:
        print_json(rows)
    elif not rows:
        CONSOLE.print("Nothing was asked.")
    else:
        if len(rows) > 1:
            rows.append(dict.fromkeys(columns, "") | {columns[0]: "all"} | every[0])
        shown = [*columns, *_SHOWN]
        cells = [[_short(row[name]) for name in shown] for row in rows]
        CONSOLE.print(table("Spending", [_SHOWN.get(name, name) for name in shown], cells))


def _short(value: object) -> object:
    """Return a value; ids are shortened."""
    return f"{value[:8]}…" if isinstance(value, str) and is_id(value) else value


def _money(usd: Decimal | None) -> str:
    return "unknown" if usd is None else f"{usd:.4f}"

"""`graphrag-tasks spending`: what a language model was asked, and what it cost."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.ids import is_id

if TYPE_CHECKING:
    from graphrag_tasks.llm.records import Attempt


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
    from graphrag_tasks.llm.journal import StoreJournal
    from graphrag_tasks.snapshots.store import Store

    settings = load_config(config, overrides={"store": store})
    Store(settings.store).require()
    columns = by or [By.PURPOSE, By.MODEL]
    groups: dict[tuple[str, ...], _Sums] = defaultdict(_Sums)
    every = _Sums()
    for attempt, count in StoreJournal(settings.store).attempts(run):
        for sums in (every, groups[tuple(_value(attempt, column) for column in columns)]):
            sums.add(attempt, count)
    rows = [
        dict(zip(columns, values, strict=True)) | groups[values].shown()
        for values in sorted(groups)
    ]
    if json:
        print_json(rows)
    elif not rows:
        CONSOLE.print("Nothing was asked.")
    else:
        if len(rows) > 1:
            rows.append(dict.fromkeys(columns, "") | {columns[0]: "all"} | every.shown())
        shown = [*columns, *_SHOWN]
        cells = [[_short(row[name]) for name in shown] for row in rows]
        CONSOLE.print(table("Spending", [_SHOWN.get(name, name) for name in shown], cells))


def _short(value: object) -> object:
    """Return a value, an id by its first digits."""
    return f"{value[:8]}…" if isinstance(value, str) and is_id(value) else value


def _value(attempt: Attempt, by: By) -> str:
    column = {By.RUN: attempt.run, By.PURPOSE: attempt.purpose, By.MODEL: attempt.model}
    return column.get(by, attempt.document_id or "several")


@dataclass
class _Sums:
    """What attempts took; money is None where that of one is unknown."""

    requests: int = 0
    answered: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: Decimal | None = Decimal(0)
    unsure: int = 0
    unsure_usd: Decimal | None = Decimal(0)

    def add(self, attempt: Attempt, count: int) -> None:
        from graphrag_tasks.llm.records import UNSURE

        self.requests += count
        usd = None if attempt.usd is None else Decimal(attempt.usd) * count
        if attempt.fate == UNSURE:
            self.unsure += count
            self.unsure_usd = _added(self.unsure_usd, usd)
            return
        self.answered += count * (attempt.kind == "answered")
        self.prompt_tokens += count * attempt.prompt_tokens
        self.completion_tokens += count * attempt.completion_tokens
        self.usd = _added(self.usd, usd)

    def shown(self) -> dict[str, Any]:
        money = {"usd": self.usd, "unsure_usd": self.unsure_usd}
        told = {one: "unknown" if usd is None else f"{usd:.4f}" for one, usd in money.items()}
        return {**vars(self), **told}


def _added(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or other is None else one + other

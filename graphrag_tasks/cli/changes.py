"""`graphrag-tasks changes`: what changed between releases of documents, or between snapshots."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.visible import visible

if TYPE_CHECKING:
    from graphrag_tasks.versions.told import Change

_EVERY_KIND = ("number", "value", "name", "wording", "added", "removed")


def changes(
    part: Annotated[str, typer.Argument(help="Part of a path or title.", show_default="all")] = "",
    before: Annotated[str | None, typer.Option("--from", help="Snapshot before: compare files of one path.")] = None,
    after: Annotated[str | None, typer.Option("--to", help="Snapshot after.", show_default="current")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also other wordings, and sentences that came and went.")
    ] = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Tell which statements changed between releases of documents, or since a snapshot."""
    from graphrag_tasks.storage.snapshots.store import Store
    from graphrag_tasks.versions import told

    opened = Store(load_config(config, overrides={"store": store}).store)
    kinds = _EVERY_KIND if every else told.MEANT
    current = opened.open(after)
    if before:
        found = told.changes_between(opened.open(before), current, part, kinds)
    else:
        found = told.changes(current, part, kinds)
    if json:
        print_json([asdict(one) for one in found])
        return
    place = ""
    for one in found:
        if one.place != place:
            place = one.place
            CONSOLE.print(f"\n{place}", style="bold", markup=False, highlight=False)
        _print(one)
    count = sum(one.count for one in found)
    statements = "statement" if count == 1 else "statements"
    ways = "way" if len(found) == 1 else "ways"
    CONSOLE.print(f"\n{count:,} {statements} changed, in {len(found):,} {ways}.", highlight=False)


def _print(change: Change) -> None:
    for said, sign, style in ((change.older, "-", "red"), (change.newer, "+", "green")):
        if said:
            release = f"{said.release}: " if said.release else ""
            line = f"  {sign} {release}{' '.join(visible(said.text).split())}"
            CONSOLE.print(line, style=style, markup=False, highlight=False, soft_wrap=True)
    if change.count > 1:
        CONSOLE.print(f"    and {change.count - 1:,} more like it", highlight=False)

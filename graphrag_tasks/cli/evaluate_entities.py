"""`graphrag-tasks eval entities`: entity resolution measured on labelled pairs of names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.core.config import load_config
from graphrag_tasks.snapshots.store import Store


def entities(
    gold: Annotated[Path, typer.Option(help="JSONL: left, right, same, corpus, split.")],
    corpus: Annotated[
        str | None, typer.Option(help="Corpus of the pairs.", show_default="all of them")
    ] = None,
    split: Annotated[
        str | None, typer.Option(help="dev or test.", show_default="all pairs")
    ] = None,
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Report precision and recall of merges, and the share of different names kept apart."""
    from graphrag_tasks.evaluate.entities import evaluate_entities

    snapshot = Store(load_config(config, overrides={"store": store}).store).open()
    report = evaluate_entities(gold, snapshot, corpus=corpus, split=split)
    if json:
        print_json(report.to_dict())
        return
    figures = report.to_dict()
    pairs = [(name, figures.pop(name)) for name in ("wrong", "missed")]
    CONSOLE.print(table("Labelled pairs of names", ("measure", "value"), figures.items()))
    for name, found in pairs:
        if found:
            CONSOLE.print(table(name, ("left", "right"), found))

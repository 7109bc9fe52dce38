"""`graphrag-tasks eval triples`: extraction measured on hand-labelled sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.core.config import load_config


def triples(
    gold: Annotated[Path, typer.Option(help="JSONL of labelled sentences, as spans.")],
    sources: Annotated[str, typer.Option(help="Folder of the documents they stand in.")],
    split: Annotated[
        str | None, typer.Option(help="dev or test.", show_default="all sentences")
    ] = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Report the share of labelled facts that are found, and of found triples that are right."""
    from graphrag_tasks.evaluate.triples import evaluate_triples

    report = evaluate_triples(gold, sources, config=load_config(config), split=split)
    if json:
        print_json(report.to_dict())
        return
    rows = [
        (name, one.sentences, one.facts, one.triples, one.recall, one.precision)
        for name, one in [("all", report.overall), *report.by_kind.items()]
    ]
    columns = ("kind", "sentences", "facts", "triples", "facts found", "triples right")
    CONSOLE.print(table("Triples of labelled sentences", columns, rows))
    typer.echo(f"Sentences without a fact that yield a triple: {report.no_fact_share:.2f}")
    if report.not_located:
        typer.echo(f"Not found in the documents any more: {', '.join(report.not_located)}")

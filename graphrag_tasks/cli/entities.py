"""`graphrag-tasks entities`: explain an entity, and override decisions on it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, StoreOption, WithDefault
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.core.config import load_config

app = typer.Typer(cls=WithDefault, help="Explain entities and override what was merged.", no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(help="A name of the entity, in any spelling.")]
Change = StrEnum("Change", ["MERGE", "SPLIT", "RENAME"])
Section = Literal["same", "different", "rename"]
_SECTIONS: dict[Change, Section] = {Change.MERGE: "same", Change.SPLIT: "different", Change.RENAME: "rename"}
"""Sections of the overrides file."""


@app.command()
def explain(
    name: NameArgument, store: StoreOption = None, config: ConfigOption = None, json: JsonOption = False
) -> None:
    """Show an entity's names, the decisions behind them, relations and documents."""
    from graphrag_tasks.entities.resolve.explain import explain_entity
    from graphrag_tasks.storage.snapshots.store import Store

    snapshot = Store(load_config(config, overrides={"store": store}).store).open()
    found = explain_entity(snapshot, name)
    if json:
        print_json(found.to_dict())
        return
    label = f" [{found.type}, told by {found.type_source}]" if found.type else ""
    CONSOLE.print(f"{found.name}{label}, {found.mentions} mentions, id {found.entity_id}", markup=False)
    CONSOLE.print(table("Aliases", ("alias", "mentions"), found.aliases))
    if found.decisions:
        columns = ("left", "right", "verdict", "rules", "guard", "score", "by")
        rows = [[", ".join(row[name]) if name == "rules" else row[name] for name in columns] for row in found.decisions]
        CONSOLE.print(table("Decisions", columns, rows))
    CONSOLE.print(table("Strongest relations", ("relation", "triples"), found.relations))
    CONSOLE.print(table("Documents", ("document", "mentions"), found.documents))


@app.command()
def override(
    change: Annotated[Change, typer.Argument(help="What is to be done with the names.")],
    name: NameArgument,
    other: Annotated[str, typer.Argument(help="The other name; the new one of rename.")],
    overrides: Annotated[
        Path | None, typer.Option(help="YAML file to write to.", show_default="resolve.overrides of the config")
    ] = None,
    config: ConfigOption = None,
) -> None:
    """Write that two names are one entity, are not, or what one is called; the next run does so."""
    from graphrag_tasks.operations.overrides import Override, add_override, overrides_file

    file = overrides or overrides_file(load_config(config).resolve.overrides)
    written = Override(_SECTIONS[change], name, other)
    add_override(file, written)
    CONSOLE.print(f"{file}: {written.section} {written}. The next run applies it.", markup=False)

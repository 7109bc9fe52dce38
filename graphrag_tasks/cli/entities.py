"""`graphrag-tasks entities`: why an entity is what it is, and how to have it otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.core.config import load_config

if TYPE_CHECKING:
    from graphrag_tasks.operations.overrides import Override


app = typer.Typer(help="Explain entities and override what was merged.", no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(help="A name of the entity, in any spelling.")]
OverridesOption = Annotated[
    Path | None,
    typer.Option(
        "--overrides", help="YAML file to write to.", show_default="resolve.overrides of the config"
    ),
]


@app.command()
def explain(
    name: NameArgument,
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Show an entity's names, the decisions behind them, relations and documents."""
    from graphrag_tasks.entities.resolve.explain import explain_entity
    from graphrag_tasks.snapshots.store import Store

    snapshot = Store(load_config(config, overrides={"store": store}).store).open()
    found = explain_entity(snapshot, name)
    if json:
        print_json(found.to_dict())
        return
    label = f" [{found.type}, told by {found.type_source}]" if found.type else ""
    CONSOLE.print(
        f"{found.name}{label}, {found.mentions} mentions, id {found.entity_id}", markup=False
    )
    if found.senses:
        CONSOLE.print(
            f"The name means {len(found.senses)} things: {', '.join(found.senses)}", markup=False
        )
    CONSOLE.print(table("Aliases", ("alias", "mentions"), found.aliases))
    if found.decisions:
        columns = ("left", "right", "verdict", "rules", "guard", "score", "by")
        rows = [
            [", ".join(row[name]) if name == "rules" else row[name] for name in columns]
            for row in found.decisions
        ]
        CONSOLE.print(table("Decisions", columns, rows))
    CONSOLE.print(table("Strongest relations", ("relation", "triples"), found.relations))
    CONSOLE.print(table("Documents", ("document", "mentions"), found.documents))


@app.command()
def merge(
    name: NameArgument,
    other: NameArgument,
    overrides: OverridesOption = None,
    config: ConfigOption = None,
) -> None:
    """Write that two names are one entity; the next run merges them."""
    from graphrag_tasks.operations.overrides import Override

    _write(Override("same", name, other), overrides, config)


@app.command()
def split(
    name: NameArgument,
    other: NameArgument,
    overrides: OverridesOption = None,
    config: ConfigOption = None,
) -> None:
    """Write that two names are not one entity; the next run keeps them apart."""
    from graphrag_tasks.operations.overrides import Override

    _write(Override("different", name, other), overrides, config)


@app.command()
def rename(
    name: NameArgument,
    new_name: Annotated[str, typer.Argument(help="What to call it.")],
    overrides: OverridesOption = None,
    config: ConfigOption = None,
) -> None:
    """Write what an entity is to be called; the next run calls it so."""
    from graphrag_tasks.operations.overrides import Override

    _write(Override("rename", name, new_name), overrides, config)


def _write(override: Override, overrides: Path | None, config: Path | None) -> None:
    from graphrag_tasks.operations.overrides import add_override, overrides_file

    file = overrides or overrides_file(load_config(config).resolve.overrides)
    add_override(file, override)
    CONSOLE.print(f"{file}: {override.section} {override}. The next run applies it.", markup=False)

"""`graphrag-tasks entities`: explain an entity, and override decisions on it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.core.config import load_config

Section = Literal["same", "different", "rename"]  # Sections of the overrides file.


def entities(
    name: Annotated[str, typer.Argument(help="A name of the entity, in any spelling.")],
    merge: Annotated[str | None, typer.Option(help="A name of the same entity.", metavar="OTHER")] = None,
    split: Annotated[str | None, typer.Option(help="A name of another entity.", metavar="OTHER")] = None,
    rename: Annotated[str | None, typer.Option(help="What the entity is to be called.", metavar="NEW")] = None,
    overrides: Annotated[
        Path | None, typer.Option(help="YAML file to write to.", show_default="resolve.overrides of the config")
    ] = None,
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Explain an entity: names, decisions, relations, documents; or merge, split, rename.

    What is written to the file of overrides is applied by the next run.
    """
    asked: dict[Section, str | None] = {"same": merge, "different": split, "rename": rename}
    written = {section: other for section, other in asked.items() if other is not None}
    if written:
        _override(name, written, overrides, config)
        return
    from graphrag_tasks.entities.resolve.explain import explain_entity
    from graphrag_tasks.storage.snapshots.store import Store

    snapshot = Store(load_config(config, overrides={"store": store}).store).open()
    entity = explain_entity(snapshot, name)
    if json:
        print_json(entity.to_dict())
        return
    label = f" [{entity.type}, told by {entity.type_source}]" if entity.type else ""
    CONSOLE.print(f"{entity.name}{label}, {entity.mentions} mentions, id {entity.entity_id}", markup=False)
    CONSOLE.print(table("Aliases", ("alias", "mentions"), entity.aliases))
    if entity.decisions:
        columns = ("left", "right", "verdict", "rules", "guard", "score", "by")
        rows = [
            [", ".join(row[name]) if name == "rules" else row[name] for name in columns] for row in entity.decisions
        ]
        CONSOLE.print(table("Decisions", columns, rows))
    CONSOLE.print(table("Strongest relations", ("relation", "triples"), entity.relations))
    CONSOLE.print(table("Documents", ("document", "mentions"), entity.documents))


def _override(name: str, written: dict[Section, str], overrides: Path | None, config: Path | None) -> None:
    from graphrag_tasks.operations.overrides import Override, add_override, overrides_file

    file = overrides or overrides_file(load_config(config).resolve.overrides)
    for section, other in written.items():
        override = Override(section, name, other)
        add_override(file, override)
        CONSOLE.print(f"{file}: {override.section} {override}. The next run applies it.", markup=False)

"""`graphrag-tasks export`: the graph, or a part of it, for other programs and for the eye."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag_tasks.cli.options import ConfigOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, writing
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.snapshots.store import Snapshot, Store

if TYPE_CHECKING:
    from graphrag_tasks.inspect.export import Selection

NODES_FILE, RELATIONSHIPS_FILE = "nodes.csv", "relationships.csv"


class ExportFormat(StrEnum):
    """What to write."""

    GRAPHML = "graphml"
    GEXF = "gexf"
    JSON = "json"
    CSV = "csv"
    SVG = "svg"


def export(
    target: Annotated[Path, typer.Argument(help="File to write; a folder for csv.")],
    format_: Annotated[
        ExportFormat | None,
        typer.Option("--format", help="What to write.", show_default="by the file's ending"),
    ] = None,
    entity: Annotated[
        str | None, typer.Option(help="Only what is around the entity of this name.")
    ] = None,
    hops: Annotated[int, typer.Option(min=0, help="Relations to follow from it.")] = 1,
    community: Annotated[
        str | None, typer.Option(help="Only the community of this id or title.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Largest number of entities of each.")] = 40,
    snapshot: Annotated[
        str | None, typer.Option(help="Snapshot id.", show_default="the current one")
    ] = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Write the graph of entities as GraphML, GEXF, node-link JSON, CSV or a picture (SVG)."""
    chosen = format_ or _by_ending(target)
    if entity is not None and community is not None:
        raise ConfigError("choose one part of the graph", "--entity, --community")
    if chosen is ExportFormat.SVG and entity is None and community is None:
        raise ConfigError(
            "a picture of a whole graph shows nothing",
            "--format svg",
            "Choose a part of it: --entity NAME or --community TITLE",
        )
    opened = Store(load_config(config, overrides={"store": store}).store).open(snapshot)
    selection = _select(opened, entity, community, hops=hops, limit=limit)
    with writing(target):
        _write(selection, target, chosen)
    CONSOLE.print(
        f"{target}: {selection.entities.num_rows:,} entities, "
        f"{selection.relations.num_rows:,} relations",
        markup=False,
    )


def _by_ending(target: Path) -> ExportFormat:
    try:
        return ExportFormat(target.suffix.removeprefix(".").lower())
    except ValueError as error:
        known = ", ".join(ExportFormat)
        raise ConfigError(
            "the file's ending names no format", str(target), f"Name one by --format: {known}"
        ) from error


def _select(
    snapshot: Snapshot, entity: str | None, community: str | None, *, hops: int, limit: int
) -> Selection:
    from graphrag_tasks.inspect import export as exporting

    if entity is not None:
        return exporting.neighbourhood(snapshot, entity, hops=hops, limit=limit)
    if community is not None:
        return exporting.community(snapshot, community, limit=limit)
    return exporting.whole_graph(snapshot)


def _write(selection: Selection, target: Path, chosen: ExportFormat) -> None:
    from graphrag_tasks.inspect import export as exporting

    writers = {
        ExportFormat.GRAPHML: exporting.write_graphml,
        ExportFormat.GEXF: exporting.write_gexf,
        ExportFormat.JSON: exporting.write_json,
    }
    if chosen is ExportFormat.CSV:
        target.mkdir(parents=True, exist_ok=True)
        with (
            (target / NODES_FILE).open("w", encoding="utf-8", newline="") as nodes,
            (target / RELATIONSHIPS_FILE).open("w", encoding="utf-8", newline="") as relationships,
        ):
            exporting.write_property_graph(selection, nodes, relationships)
    elif chosen is ExportFormat.SVG:
        target.write_text(exporting.draw(selection), encoding="utf-8")
    else:
        with target.open("w", encoding="utf-8", newline="\n") as file:
            writers[chosen](selection, file)

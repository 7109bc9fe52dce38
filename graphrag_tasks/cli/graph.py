"""`graphrag-tasks graph` shows figures of a snapshot's graph; `export` writes the graph."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, SnapshotOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table, writing
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import ConfigError

if TYPE_CHECKING:
    from graphrag_tasks.inspect.export import Selection

ExportFormat = StrEnum("ExportFormat", ["GRAPHML", "GEXF", "JSON", "CSV", "SVG"])
NODES_FILE, RELATIONSHIPS_FILE = "nodes.csv", "relationships.csv"

app = typer.Typer(help="Look at a snapshot's graph.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keep `stats` a command of its own, although it is the only one."""


@app.command()
def stats(
    snapshot: SnapshotOption = None,
    hubs: Annotated[int, typer.Option(min=0, help="Entities with most relations to list.")] = 10,
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Show size, degrees, components, orphans and hubs of a graph."""
    import pyarrow as pa

    from graphrag_tasks.graph import graph_statistics, top_hubs
    from graphrag_tasks.snapshots.store import Store

    opened = Store(load_config(config, overrides={"store": store}).store).open(snapshot)
    nodes, edges = opened.table("nodes"), opened.table("edges")
    figures = graph_statistics(nodes, edges)
    found = top_hubs(nodes, edges, hubs)
    rows = pa.array([hub.row for hub in found], pa.int64())  # entities come first in nodes
    names = opened.table("entities", ["name"])["name"].take(rows).to_pylist()
    listed = [(name, hub.degree) for name, hub in zip(names, found, strict=True)]
    if json:
        print_json(figures | {"hubs": [{"name": name, "degree": n} for name, n in listed]})
        return
    words = [(name.replace("_", " "), value) for name, value in figures.items()]
    CONSOLE.print(table(f"Graph of snapshot {opened.snapshot_id}", ("what", "value"), words))
    CONSOLE.print(table("Hubs", ("entity", "relations"), listed))


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
    all_relations: Annotated[
        bool, typer.Option(help="Also what only goes together (is in, has) or holds if.")
    ] = False,
    snapshot: SnapshotOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Write the graph of entities as GraphML, GEXF, node-link JSON, CSV or a picture (SVG)."""
    from graphrag_tasks.inspect import export as exporting
    from graphrag_tasks.snapshots.store import Store

    chosen = format_ or _by_ending(target)
    if entity is not None and community is not None:
        raise ConfigError("choose one part of the graph", "--entity, --community")
    if chosen is ExportFormat.SVG and entity is None and community is None:
        hint = "Choose a part of it: --entity NAME or --community TITLE"
        raise ConfigError("a picture of a whole graph shows nothing", "--format svg", hint)
    opened = Store(load_config(config, overrides={"store": store}).store).open(snapshot)
    if entity is not None:
        selection = exporting.neighbourhood(
            opened, entity, hops=hops, limit=limit, all_kinds=all_relations
        )
    elif community is not None:
        selection = exporting.community(opened, community, limit=limit, all_kinds=all_relations)
    else:
        selection = exporting.whole_graph(opened)
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

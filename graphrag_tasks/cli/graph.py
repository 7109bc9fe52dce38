"""`graphrag-tasks graph` shows figures of a snapshot's graph."""

from __future__ import annotations

from typing import Annotated

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, SnapshotOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.core.config import load_config

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

"""`graphrag-tasks snapshots`: what is published."""

from __future__ import annotations

from typing import Annotated

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, print_summary, table
from graphrag_tasks.config import load_config
from graphrag_tasks.snapshots import Store

app = typer.Typer(help="Look at published snapshots.", no_args_is_help=True)


@app.command("list")
def list_snapshots(
    store: StoreOption = None, config: ConfigOption = None, json: JsonOption = False
) -> None:
    """List the published snapshots, oldest first."""
    opened = Store(load_config(config, overrides={"store": store}).store)
    current = opened.current_id()
    rows = []
    for snapshot_id in opened.snapshot_ids():
        manifest = opened.open(snapshot_id).manifest
        rows.append(
            {
                "snapshot_id": snapshot_id,
                "current": snapshot_id == current,
                "created_at": manifest.created_at,
                **{name: manifest.tables[name].rows for name in _LISTED},
            }
        )
    if json:
        print_json(rows)
        return
    columns = ("snapshot_id", "current", "created_at", *_LISTED)
    CONSOLE.print(table("Snapshots", columns, [[row[name] for name in columns] for row in rows]))


_LISTED = ("documents", "chunks", "entities", "relations")


@app.command("show")
def show(
    snapshot: Annotated[
        str | None, typer.Argument(help="Snapshot id.", show_default="the current one")
    ] = None,
    store: StoreOption = None,
    config: ConfigOption = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Counts and costs instead of tables.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Show rows and sha256 of every table of a snapshot."""
    opened = Store(load_config(config, overrides={"store": store}).store).open(snapshot)
    if json:
        print_json(opened.manifest.as_dict())
    elif summary:
        print_summary(opened.manifest)
    else:
        rows = [
            (name, one.rows, one.sha256) for name, one in sorted(opened.manifest.tables.items())
        ]
        title = f"Snapshot {opened.snapshot_id}, published {opened.manifest.created_at}"
        CONSOLE.print(table(title, ("table", "rows", "sha256"), rows))

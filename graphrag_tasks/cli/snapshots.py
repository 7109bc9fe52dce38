"""`graphrag-tasks snapshots`: manage published snapshots."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, StoreOption, WithDefault
from graphrag_tasks.cli.output import CONSOLE, print_json, print_result, table
from graphrag_tasks.core.config import Config, load_config

if TYPE_CHECKING:
    from graphrag_tasks.storage.snapshots.manifests import Manifest
    from graphrag_tasks.storage.snapshots.store import Snapshot, Store

_SHOWN = 16  # Digits of a sha256 shown in tables; JSON has all.
_HUBS, _NAMED = 10, 10  # Most connected entities listed; names shown of each kind of change.

app = typer.Typer(cls=WithDefault, help="Look at published snapshots, go back, tidy up.", no_args_is_help=True)


def _store(settings: Config) -> Store:
    from graphrag_tasks.storage.snapshots.store import Store

    opened = Store(settings.store)
    opened.require()
    return opened


@app.command("show")
def show(
    snapshot: Annotated[str | None, typer.Argument(help="Snapshot id.", show_default="a list of all")] = None,
    store: StoreOption = None,
    config: ConfigOption = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Counts of the current or named one; with -v costs too.")
    ] = False,
    graph: Annotated[bool, typer.Option("--graph", help="Size, degrees, components and hubs of its graph.")] = False,
    since: Annotated[str | None, typer.Option(help="What it gained, lost and changed since another.")] = None,
    json: JsonOption = False,
) -> None:
    """List the snapshots, oldest first, or show one: tables, counts, its graph, what changed.

    * is the current one, damaged ones come last.
    """
    opened = _store(load_config(config, overrides={"store": store}))
    if snapshot is None and not (summary or graph or since):
        _print_list(opened, json)
        return
    shown = opened.open(snapshot)
    if graph:
        _print_graph(shown, json)
    elif since:
        _print_changes(opened.open(since), shown, json)
    elif json:
        print_json(shown.manifest.as_dict())
    elif summary:
        print_result(shown.manifest)
    else:
        tables = sorted(shown.manifest.tables.items())
        rows = [(name, manifest.rows, f"{manifest.sha256[:_SHOWN]}…") for name, manifest in tables]
        title = f"Snapshot {shown.snapshot_id}, published {shown.manifest.created_at}"
        CONSOLE.print(table(title, ("table", "rows", "sha256"), rows))


def _print_list(opened: Store, json: bool) -> None:
    current = opened.current_id()
    rows = [_line(manifest.snapshot_id, current, manifest) for manifest in opened.manifests()]
    rows += [_line(name, current, None) for name in opened.damaged()]
    if json:
        print_json(rows)
        return
    title = "Snapshots" if current or not rows else "Snapshots; CURRENT is lost or damaged"
    columns = ("", "snapshot", "published (UTC)", "documents", "entities", "relations")
    shown = [
        ("*" if row["current"] else "", row["snapshot_id"],
         row["created_at"][:16].replace("T", " "), row["documents"], row["entities"],
         row["relations"])
        for row in rows
    ]  # fmt: skip
    CONSOLE.print(table(title, columns, shown))


def _line(snapshot_id: str, current: str | None, manifest: Manifest | None) -> dict[str, Any]:
    rows = {name: table.rows for name, table in manifest.tables.items()} if manifest else {}
    return {
        "snapshot_id": snapshot_id,
        "current": snapshot_id == current,
        "created_at": manifest.created_at if manifest else "damaged",
        "schema_version": manifest.schema_version if manifest else None,
        **{name: rows.get(name) for name in ("documents", "chunks", "entities", "relations")},
    }


def _print_graph(opened: Snapshot, json: bool) -> None:
    import pyarrow as pa

    from graphrag_tasks.graph import graph_statistics, top_hubs

    nodes, edges = opened.table("nodes"), opened.table("edges")
    figures = graph_statistics(nodes, edges)
    found = top_hubs(nodes, edges, _HUBS)
    rows = pa.array([hub.row for hub in found], pa.int64())  # entities come first in nodes
    names = opened.table("entities", ["name"])["name"].take(rows).to_pylist()
    listed = [(name, hub.degree) for name, hub in zip(names, found, strict=True)]
    if json:
        print_json(figures | {"hubs": [{"name": name, "degree": n} for name, n in listed]})
        return
    words = [(name.replace("_", " "), value) for name, value in figures.items()]
    CONSOLE.print(table(f"Graph of snapshot {opened.snapshot_id}", ("what", "value"), words))
    CONSOLE.print(table("Hubs", ("entity", "relations"), listed))


def _print_changes(before: Snapshot, after: Snapshot, json: bool) -> None:
    from graphrag_tasks.operations.documents import difference

    changes = difference(before, after)
    if json:
        print_json({kind: asdict(change) for kind, change in changes.items()})
        return
    rows = [
        (kind, what, len(names), "\n".join(names[:_NAMED]))
        for kind, change in changes.items()
        for what, names in asdict(change).items()
        if names
    ]
    title = f"{before.snapshot_id} to {after.snapshot_id}"
    CONSOLE.print(table(title, ("what", "change", "rows", "the first of them"), rows))


@app.command("rollback")
def roll_back(
    snapshot: Annotated[str | None, typer.Argument(help="Snapshot id.", show_default="the one before")] = None,
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Make an older snapshot current again."""
    from graphrag_tasks.operations.retention import rollback

    opened = _store(load_config(config, overrides={"store": store}))
    done = rollback(opened, snapshot)
    if json:
        print_json(asdict(done))
    else:
        CONSOLE.print(f"Current is {done.after} now; it was {done.before or 'lost'}.")


@app.command("gc")
def gc(
    keep: Annotated[
        int | None, typer.Option(min=0, help="Snapshots kept beside the current one.", show_default="config")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Remove old snapshots, what killed runs left, and answers that nothing uses."""
    from graphrag_tasks.embed.vectors.vector_store import open_vector_store
    from graphrag_tasks.operations.retention import collect_garbage
    from graphrag_tasks.storage.locks import sole_run

    settings = load_config(config, overrides={"store": store, "retention": {"keep": keep}})
    opened = _store(settings)
    with sole_run(opened.folder), ExitStack() as stack:
        server = None if dry_run else open_vector_store(opened.folder, settings.load)
        if server is not None:
            stack.callback(server.close)
        removed = collect_garbage(
            opened, keep=settings.retention.keep, llm=settings.llm, server=server, dry_run=dry_run
        )
    if json:
        print_json(asdict(removed))
        return
    verb = "would be removed" if dry_run else "removed"
    CONSOLE.print(
        f"{len(removed.snapshots)} snapshots, {len(removed.staging)} folders of staged work, "
        f"{removed.vectors:,} rows of vectors and {removed.answers:,} answers of a model {verb}, "
        f"{removed.freed_bytes / 1e6:,.1f} MB freed."
    )
    for name in (*removed.snapshots, *removed.staging):
        CONSOLE.print(f"  {name}", highlight=False)

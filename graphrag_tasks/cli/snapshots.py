"""`graphrag-tasks snapshots`: what is published."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated, Any

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, print_summary, table
from graphrag_tasks.config import load_config
from graphrag_tasks.errors import SnapshotError
from graphrag_tasks.snapshots import Snapshot, Store

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


class Form(StrEnum):
    """What a document is printed as."""

    MARKDOWN = "markdown"
    DOCLING = "docling"
    BLOCKS = "blocks"
    LINKS = "links"


@app.command("document")
def document(
    uri: Annotated[str, typer.Argument(help="The document: source name and path in it.")],
    form: Annotated[
        Form, typer.Option("--as", help="Markdown, Docling's JSON, or rows as JSON.")
    ] = Form.MARKDOWN,
    snapshot: Annotated[
        str | None, typer.Option(help="Snapshot id.", show_default="the current one")
    ] = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Print what a snapshot holds of one document."""
    opened = Store(load_config(config, overrides={"store": store}).store).open(snapshot)
    row = opened.document(uri)
    if form in (Form.BLOCKS, Form.LINKS):
        print_json(opened.rows_of_document(form.value, row["document_id"]))
    else:
        column = "markdown" if form is Form.MARKDOWN else "docling_json"
        sys.stdout.write(_rendition(opened, row, column).rstrip("\n") + "\n")


def _rendition(snapshot: Snapshot, document: dict[str, Any], column: str) -> str:
    rows = snapshot.rows_of_document("renditions", document["document_id"])
    if rows and rows[0][column] is not None:
        return str(rows[0][column])
    if rows:
        what = "the document has no renditions: it is too long for them, or could not be rendered"
        hint = "Print its blocks: --as blocks. Or raise parse.max_rendition_characters"
    else:
        what = f"the document holds nothing to print: it is {document['status']}"
        hint = document["error_message"] or ""
    raise SnapshotError(what, document["uri"], hint)

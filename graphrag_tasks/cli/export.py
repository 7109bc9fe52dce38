"""`graphrag-tasks export`: write the graph for other programs, or as a page."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from graphrag_tasks.cli.options import ConfigOption, SnapshotOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, writing
from graphrag_tasks.core.commands import command, require
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import ConfigError, SnapshotError
from graphrag_tasks.core.visible import counted

if TYPE_CHECKING:
    from graphrag_tasks.inspect.export import Selection
    from graphrag_tasks.storage.snapshots.store import Snapshot

ExportFormat = StrEnum("ExportFormat", ["GRAPHML", "JSON", "TTL", "NT", "HTML", "CSV", "JSONL"])
_RDF = (ExportFormat.TTL, ExportFormat.NT)


def export(
    target: Annotated[Path, typer.Argument(help="File to write; a folder for csv.")],
    format_: Annotated[
        ExportFormat | None, typer.Option("--format", help="What to write.", show_default="by the file's ending")
    ] = None,
    entity: Annotated[str | None, typer.Option(help="Only what is around the entity of this name.")] = None,
    hops: Annotated[int, typer.Option(min=0, help="Relations to follow from it.")] = 1,
    community: Annotated[str | None, typer.Option(help="Only the community of this id or title.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Largest number of entities of each.")] = 40,
    all_relations: Annotated[bool, typer.Option(help="Also what only goes together (is in, has) or holds if.")] = False,
    base: Annotated[
        str | None, typer.Option(help="What the IRIs of ttl and nt begin with.", show_default="urn:graphrag-tasks:")
    ] = None,
    snapshot: SnapshotOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Write the graph of entities for other programs, or as a page.

    graphml and json (node-link) are for graph programs, csv for Neo4j, ttl and nt are RDF, html is a page that needs no
    server. A file facts.jsonl can be indexed again.
    """
    from graphrag_tasks.storage.snapshots.store import Store

    chosen = format_ or _by_ending(target)
    if entity is not None and community is not None:
        raise ConfigError("choose one part of the graph", "--entity, --community")
    if chosen in _RDF:
        require("rdf")
    elif base is not None:
        raise ConfigError(f"a file of the format {chosen} has no IRIs", "--base")
    with writing(target):
        _require_place(target, chosen)
    opened = Store(load_config(config, overrides={"store": store}).store).open(snapshot)
    selection = _selected(opened, entity, hops, community, limit, all_kinds=all_relations)
    with writing(target):
        if chosen is ExportFormat.CSV:
            _write_folder(opened, selection, target)
        else:
            _write_file(_writer(opened, selection, chosen, base), target)
    CONSOLE.print(
        f"{target}: {counted(selection.entities.num_rows, 'entities')}, "
        f"{counted(selection.relations.num_rows, 'relations')}",
        markup=False,
    )


def _require_place(target: Path, chosen: ExportFormat) -> None:
    """Check before reading the graph that the target can be written."""
    if chosen is ExportFormat.CSV:
        if target.exists() and not target.is_dir():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    elif target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    elif not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))


def _by_ending(target: Path) -> ExportFormat:
    try:
        return ExportFormat(target.suffix.removeprefix(".").lower())
    except ValueError as error:
        known = ", ".join(ExportFormat)
        raise ConfigError("the file's ending names no format", str(target), f"Name one by --format: {known}") from error


def _selected(
    snapshot: Snapshot, entity: str | None, hops: int, community: str | None, limit: int,
    *, all_kinds: bool,
) -> Selection:  # fmt: skip
    from graphrag_tasks.inspect import export as exporting

    if entity is not None:
        found = exporting.neighbourhood(snapshot, entity, hops=hops, limit=limit, all_kinds=all_kinds)
    elif community is not None:
        found = exporting.community(snapshot, community, limit=limit, all_kinds=all_kinds)
    else:
        found = exporting.whole_graph(snapshot, all_kinds=all_kinds)
    if not found.entities.num_rows:
        hint = f"{command('documents', '--problems')} says what was not read"
        raise SnapshotError("the graph is empty: no document names a thing",
                            snapshot.folder.uri, hint)  # fmt: skip
    return found


def _writer(
    snapshot: Snapshot, selection: Selection, chosen: ExportFormat, base: str | None
) -> Callable[[TextIO], object]:
    from graphrag_tasks.inspect import export as exporting

    if chosen in _RDF:
        from graphrag_tasks.inspect.export.rdf import BASE, rdf_text

        sources = exporting.provenance(snapshot, selection)
        form = "turtle" if chosen is ExportFormat.TTL else "nt"
        rdf = rdf_text(selection, sources, snapshot.manifest, form, base or BASE)
        return lambda file: file.write(rdf)
    if chosen is ExportFormat.HTML:
        from graphrag_tasks.inspect.pages.graph_file import graph_page

        page = graph_page(snapshot, selection)
        return lambda file: file.write(page)
    if chosen is ExportFormat.JSONL:
        return lambda file: exporting.write_facts(snapshot, selection, file)
    writers = {ExportFormat.GRAPHML: exporting.write_graphml, ExportFormat.JSON: exporting.write_json}
    return lambda file: writers[chosen](selection, file)


def _write_file(write: Callable[[TextIO], object], target: Path) -> None:
    with target.open("w", encoding="utf-8", newline="\n") as file:
        write(file)


def _write_folder(snapshot: Snapshot, selection: Selection, target: Path) -> None:
    """Write the CSV files into a folder, unless it holds other files."""
    from graphrag_tasks.inspect import export as exporting

    target.mkdir(parents=True, exist_ok=True)
    others = sorted(found.name for found in target.iterdir() if found.name not in exporting.NEO4J_FILES)
    if others:
        what = f"the folder holds other files, such as {others[0]}"
        raise ConfigError(what, str(target), "Name a folder that is empty or not there")
    exporting.write_property_graph(selection, exporting.provenance(snapshot, selection), target)

"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphrag_tasks.core.commands import note_config, note_store
from graphrag_tasks.core.search_modes import SearchMode

StoreOption = Annotated[
    str | None,
    typer.Option("--store", help="Store folder or URI.", show_default="store", callback=note_store),
]
SnapshotOption = Annotated[
    str | None, typer.Option(help="Snapshot id.", show_default="the current one")
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="FIELD=VALUE",
        help="Only documents like this: path=docs/*, release>=5.0, as_of=2024. Repeatable.",
    ),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config", help="TOML file; graphrag.toml is read where it exists.", callback=note_config
    ),
]
ExtractorOption = Annotated[
    str | None,
    typer.Option(
        "--extractor", help="What reads sentences: dependency (rules), llm or hybrid.",
        show_default="from config",
    ),
]  # fmt: skip
ModeOption = Annotated[
    SearchMode,
    typer.Option(
        "--mode", help="\n\n".join(f"{mode}: {mode.about}." for mode in SearchMode), metavar="MODE"
    ),
]
VectorsOption = Annotated[
    str | None,
    typer.Option(
        "--vectors", help="arrays (mapped from the snapshot), or a vector store, as milvus.",
        show_default="retrieval.vectors",
    ),
]  # fmt: skip
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
SourcesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        help="Folders, files or URIs; NAME=URI names one (a NAME has no '/'; ./A=B is a path).",
        show_default="from config",
    ),
]

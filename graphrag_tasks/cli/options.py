"""Options that several commands share."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from graphrag_tasks.core.commands import note_config, note_store
from graphrag_tasks.core.search_modes import SearchMode


class WithDefault(TyperGroup):
    """Commands of which the first is meant where none is named: `entities NAME`."""

    def parse_args(self, context: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - of typer
        """Name the first command, unless a word is one, nearly one, or asks for help."""
        known = list(self.commands)
        if args and args[0] != "--help" and not difflib.get_close_matches(args[0], known):
            args = [known[0], *args]
        return super().parse_args(context, args)


StoreOption = Annotated[
    str | None, typer.Option("--store", "-s", help="Store folder or URI.", show_default="store", callback=note_store)
]
SnapshotOption = Annotated[str | None, typer.Option(help="Snapshot id.", show_default="the current one")]
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="FIELD=VALUE",
        help="Only documents like this: path=docs/*, release>=5.0, as_of=2024. Repeatable.",
    ),
]
QuestionArgument = Annotated[list[str], typer.Argument(help="Any question, in quotes or not.", metavar="QUESTION")]
ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", help="TOML file; graphrag.toml is read where it exists.", callback=note_config),
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
    typer.Option("--mode", help="\n\n".join(f"{mode}: {mode.about}." for mode in SearchMode), metavar="MODE"),
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

"""`graphrag-tasks plan`: what a run would do, and why."""

from __future__ import annotations

from typing import Annotated

import pyarrow as pa
import pyarrow.compute as pc
import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, SourcesArgument, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.core.config import load_config
from graphrag_tasks.pipeline.plan import ADDED, CHANGED, REMOVED, UNCHANGED


def plan(
    sources: SourcesArgument = None,
    store: StoreOption = None,
    config: ConfigOption = None,
    full_refresh: Annotated[
        bool, typer.Option("--full-refresh", help="As if every document were processed again.")
    ] = False,
    names: Annotated[int, typer.Option(min=0, help="Documents named of each kind.")] = 10,
    json: JsonOption = False,
) -> None:
    """Say what an index run would do and why; change nothing."""
    from graphrag_tasks.pipeline import look_ahead

    outlook = look_ahead(
        load_config(
            config,
            overrides={
                "store": store,
                "sources": sources or None,
                "plan": {"full_refresh": full_refresh or None},
            },
        )
    )
    documents = {
        change: _uris(outlook.sources, change) for change in (ADDED, CHANGED, REMOVED, UNCHANGED)
    }
    if json:
        print_json(
            {
                "parent_id": outlook.parent_id,
                "up_to_date": outlook.up_to_date,
                "documents": documents,
                "shards": outlook.stats["shards"],
                "files_passed_over": outlook.stats["files_passed_over"],
                "stages": dict(outlook.stages),
            }
        )
        return
    rows = [
        (change, len(uris), "\n".join(uris[:names]) if change != UNCHANGED else "")
        for change, uris in documents.items()
    ]
    CONSOLE.print(table("Documents", ("change", "documents", "the first of them"), rows))
    if hidden := outlook.stats["files_passed_over"]:
        CONSOLE.print(f"Hidden files, which are passed over: {hidden}")
    if outlook.up_to_date:
        CONSOLE.print(f"Nothing to do: {outlook.parent_id} is what would be published.")
        return
    CONSOLE.print(f"Shards to parse, chunk, filter and extract: {outlook.stats['shards']}")
    stages = [(stage, why or "taken over") for stage, why in outlook.stages.items()]
    CONSOLE.print(table("The whole corpus", ("stage", "why it works"), stages))


def _uris(sources: pa.Table, change: str) -> list[str]:
    found: list[str] = sources.filter(pc.equal(sources["change"], change))["uri"].to_pylist()
    return found

"""`graphrag-tasks index`: the whole pipeline on this machine, without Airflow."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from graphrag_tasks.cli.options import ConfigOption, JsonOption, SourcesArgument, StoreOption
from graphrag_tasks.cli.output import CONSOLE, ERRORS, print_json, print_summary
from graphrag_tasks.core.config import load_config


def index(
    sources: SourcesArgument = None,
    store: StoreOption = None,
    config: ConfigOption = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Worker processes.", show_default="cores")
    ] = None,
    full_refresh: Annotated[
        bool, typer.Option("--full-refresh", help="Process every document again.")
    ] = False,
    allow_mass_delete: Annotated[
        bool,
        typer.Option("--allow-mass-delete", help="Publish although most documents are gone."),
    ] = False,
    allow_quality_drop: Annotated[
        bool,
        typer.Option("--allow-quality-drop", help="Publish although the snapshot is worse."),
    ] = False,
    allow_access_disable: Annotated[
        bool,
        typer.Option("--allow-access-disable", help="Show everybody what had access labels."),
    ] = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait where another run works on the store.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Index documents and publish a snapshot of them."""
    from graphrag_tasks.operations.runner import run_index

    settings = load_config(
        config,
        overrides={
            "store": store,
            "sources": sources or None,
            "plan": {
                "full_refresh": full_refresh or None,
                "allow_mass_delete": allow_mass_delete or None,
            },
            "quality": {"allow_drop": allow_quality_drop or None},
            "access": {"allow_disable": allow_access_disable or None},
        },
    )
    with _progress_bar() as bar:
        tasks = {}

        def tell(stage: str, done: int, steps: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=steps)
            bar.update(tasks[stage], completed=done)

        published = run_index(settings, workers=workers, progress=tell, wait=wait)
    if json:
        print_json({"changed": published.changed, **published.manifest.as_dict()})
        return
    print_summary(published.manifest)
    if not published.changed:
        CONSOLE.print("Nothing changed: this snapshot was current already.")


def _progress_bar() -> Progress:
    columns = (
        TextColumn("{task.description:>16}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=ERRORS, transient=True)

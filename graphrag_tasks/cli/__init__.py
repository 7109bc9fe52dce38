"""The `graphrag-tasks` command: index, query, extract, evaluate, and look after snapshots.

Errors of the project are printed as one line and end with exit code 1; usage errors with 2.
Heavy modules are imported by the command that needs them, so that `--help` answers at once.
"""

from __future__ import annotations

import logging

import typer
from rich.markup import escape

from graphrag_tasks.cli import (
    doctor,
    entities,
    evaluate,
    export,
    extract,
    graph,
    index,
    plan,
    query,
    snapshots,
)
from graphrag_tasks.cli.output import ERRORS
from graphrag_tasks.core.errors import GraphragError

log = logging.getLogger(__name__)

app = typer.Typer(
    name="graphrag-tasks",
    help="Index documents into a GraphRAG snapshot, and search it. No LLM needed.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(index.index)
app.command()(plan.plan)
app.command()(query.query)
app.command()(extract.extract)
app.add_typer(evaluate.app, name="eval")
app.add_typer(snapshots.app, name="snapshots")
app.add_typer(entities.app, name="entities")
app.add_typer(graph.app, name="graph")
app.command()(export.export)
app.command()(doctor.doctor)


@app.callback()
def _options(
    verbose: bool = typer.Option(False, "--verbose", "-v", help="Log what every stage does."),
) -> None:
    level = logging.INFO if verbose else logging.WARNING
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s")


def main() -> None:
    """Run the command; print an error of the project, or of the system, as one line."""
    try:
        app()
    except GraphragError as error:
        _print_error(str(error))
        raise SystemExit(1) from error
    except OSError as error:
        log.info("where it was raised", exc_info=error)
        _print_error(
            ": ".join(str(one) for one in (error.filename, error.strerror or error) if one)
        )
        raise SystemExit(1) from error


def _print_error(text: str) -> None:
    line = f"[bold red]error:[/] {escape(' '.join(text.split()))}"
    ERRORS.print(line, markup=True, highlight=False, soft_wrap=True)

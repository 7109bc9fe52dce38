"""The `graphrag-tasks` command: index, query, extract, evaluate, and manage snapshots.

In: arguments. Out: tables for people, JSON for programs. Errors of the package are printed as one line and end with
exit code 1; usage errors with 2. Heavy modules are imported by the command that needs them, so that `--help` is fast. A
module holds a command; start with `index.py`.
"""

from __future__ import annotations

import atexit
import logging
import os
import re
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

import typer

from graphrag_tasks import __version__
from graphrag_tasks.cli import documents, entities, evaluate, export, index, query, serve, snapshots
from graphrag_tasks.cli.output import print_text, report_errors
from graphrag_tasks.core.visible import log_visibly

app = typer.Typer(
    name="graphrag-tasks",
    help="Index documents into a GraphRAG snapshot, and search it. No LLM needed.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command("try")(serve.try_folder)
app.command()(index.index)
app.command()(query.query)
app.command()(query.answer)
app.command()(serve.serve)
app.command()(serve.mcp)
app.command()(documents.extract)
app.add_typer(evaluate.app, name="eval")
app.command()(evaluate.adapt)
app.add_typer(snapshots.app, name="snapshots")
app.command()(documents.documents)
app.command()(documents.changes)
app.command()(entities.entities)
app.command()(entities.ontology)
app.command()(export.export)
app.command()(index.spending)
app.command()(index.doctor)

_FORMER = {
    "eval make-questions": "eval retrieval --out FOLDER, without --questions",
    "snapshots list": "snapshots",
    "snapshots verify": "doctor",
    "snapshots diff": "snapshots show --since ID",
    "entities explain": "entities NAME",
    "entities override": "entities NAME --merge, --split or --rename OTHER",
    "ontology propose": "ontology --questions FILE",
    "ontology show": "ontology",
    "ontology approve": "ontology ID --approve",
}  # What earlier versions called a command.


def _print_version(value: bool) -> None:
    if value:
        print_text(f"graphrag-tasks {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    verbose: bool = typer.Option(False, "--verbose", "-v", help="Log what every stage does."),
    _version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    log_visibly(logging.INFO if verbose else logging.WARNING)


def main() -> None:
    """Run the command; print an error of the package or the system as one line."""
    arguments = [_from_home(one) for one in sys.argv[1:]]
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    if now := _FORMER.get(" ".join(arguments[:2])):
        print(f"error: `{' '.join(arguments[:2])}` is now `graphrag-tasks {now}`", file=sys.stderr)
        raise SystemExit(2)
    sys.argv[1:] = ["--version"] if arguments == ["version"] else arguments
    report_errors(partial(app, prog_name=app.info.name))


def run() -> None:
    """Run the command as a process of its own.

    The process ends without the destructors of native libraries: where a thread of pyarrow's is just being started
    then, they abort it (exit code 134) though all work is done.
    """
    ended = 1
    atexit.register(lambda: _leave(ended))  # first, so that it runs last
    try:
        main()
    except SystemExit as asked:
        ended = asked.code if isinstance(asked.code, int) else int(asked.code is not None)
        raise
    ended = 0


def _leave(code: int) -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _from_home(argument: str) -> str:
    """Expand `~/` in an argument, which a shell leaves unexpanded in quotes."""
    found = re.match(r"(--[\w-]+=)?~/", argument)
    return f"{found[1] or ''}{Path.home() / argument[found.end() :]}" if found else argument

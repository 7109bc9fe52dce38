"""`graphrag-tasks eval`: retrieval measured on questions with known sources."""

from __future__ import annotations

from typing import NoReturn

import typer

from graphrag_tasks.cli import evaluate_retrieval

app = typer.Typer(help="Measure retrieval on questions.", no_args_is_help=True)
app.command()(evaluate_retrieval.retrieval)
app.command()(evaluate_retrieval.locate)


_MOVED = {"allow_extra_args": True, "ignore_unknown_options": True}


def _moved(name: str) -> None:
    @app.command(name, hidden=True, context_settings=_MOVED, add_help_option=False)
    def _() -> NoReturn:
        raise typer.BadParameter(
            f"'eval {name}' is 'python -m benchmarks.scoring {name}' now, in a clone of the project"
        )


for _name in ("parse", "openie", "coref", "triples", "entities"):
    _moved(_name)

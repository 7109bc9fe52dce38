"""`graphrag-tasks adapt`: tune models on a corpus's own questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from graphrag_tasks.cli.options import ConfigOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE
from graphrag_tasks.core.commands import install_command
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.errors import MissingDependencyError


def adapt(
    questions: Annotated[Path, typer.Option(help="JSONL as in eval retrieval: id, question, gold or gold_ids.")],
    out: Annotated[Path, typer.Option(help="Folder that the models go to; it must be new.")],
    what: Annotated[Literal["both", "encoder", "reranker"], typer.Option(help="What is tuned.")] = "both",
    encoder: Annotated[str | None, typer.Option(help="Encoder to begin as.", show_default="the store's")] = None,
    reranker: Annotated[
        str | None, typer.Option(help="Reranker to begin as.", show_default="the configured one")
    ] = None,
    split: Annotated[str | None, typer.Option(help="Only questions of this split.", show_default="all of them")] = None,
    folds: Annotated[int, typer.Option(min=2, help="How often questions, and folders, are left out to judge.")] = 5,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Tune encoder and reranker on your own questions, judge them, write what is better.

    The expected time is said first: on a CPU hours, on a GPU minutes.
    """
    try:
        import jax  # noqa: F401
        import optax  # noqa: F401
    except ImportError as error:
        lacking = f"{error.name} is not installed"
        raise MissingDependencyError(lacking, "adapt", install_command("train")) from error
    from graphrag_tasks.retrieval import Index
    from graphrag_tasks.storage.snapshots.store import Store
    from graphrag_tasks.workbench import tuning
    from graphrag_tasks.workbench.evaluation.questions import read_questions

    settings = load_config(config, overrides={"store": store})
    index = Index(Store(settings.store).open(), config=settings.retrieval, language=settings.language)
    begun = {"encoder": encoder, "reranker": reranker}
    tuning.adapt(
        index,
        read_questions(questions, split=split),
        out,
        kinds=tuning.KINDS if what == "both" else (what,),
        models={kind: name for kind, name in begun.items() if name},
        folds=folds,
        tell=lambda line: CONSOLE.print(line, markup=False, highlight=False, soft_wrap=True),
    )

"""`graphrag-tasks eval`: retrieval and answers measured on questions with known sources."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from graphrag_tasks.cli.options import ConfigOption, JsonOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, ERRORS, print_json
from graphrag_tasks.core.commands import install_command
from graphrag_tasks.core.config import Config, load_config
from graphrag_tasks.core.errors import ConfigError, MissingDependencyError
from graphrag_tasks.storage.files import scratch

if TYPE_CHECKING:
    from graphrag_tasks.retrieval import Index


ALL = "all"
_WAIT_SECONDS = 3600.0  # An evaluation waits for answers as long as a run.

app = typer.Typer(help="Measure retrieval and answers on questions.", no_args_is_help=True)


@app.command()
def retrieval(
    questions: Annotated[
        Path | None,
        typer.Option(
            help="JSONL: id, question, type, and gold (spans) or gold_ids (documents).",
            show_default="60 made from headings",
        ),
    ] = None,
    passages: Annotated[
        list[str] | None,
        typer.Option(
            help="JSONL passages (id, title, text) or a folder of documents; several are merged.",
            show_default="what --store holds",
        ),
    ] = None,
    mode: Annotated[
        list[str] | None,
        typer.Option(
            help="How to search; several may be given, or all. auto+50 reranks 50 chunks.", show_default="paper"
        ),
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="Compare the other modes with this one, paired bootstrap.")
    ] = None,
    split: Annotated[str | None, typer.Option(help="Only questions of this split.", show_default="all of them")] = None,
    untitled: Annotated[bool, typer.Option("--untitled", help="Index the passages without their titles.")] = False,
    store: Annotated[
        str | None, typer.Option(help="Keep the index here and reuse it.", show_default="a temporary folder")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write results.parquet, results.md and made questions here.")] = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Report Recall@2/5/10, all-gold@8, MRR, and milliseconds per query.

    Where you have no questions they are made from headings: "Importing customers" becomes "How do I import customers?".
    Read some before you rely on them.
    """
    from graphrag_tasks.operations.runner import run_index
    from graphrag_tasks.retrieval import Index
    from graphrag_tasks.storage.snapshots.store import Store
    from graphrag_tasks.workbench.evaluation.gold import locate as locate_gold
    from graphrag_tasks.workbench.evaluation.made import make_questions
    from graphrag_tasks.workbench.evaluation.questions import UNTITLED, pool, read_questions
    from graphrag_tasks.workbench.evaluation.report import Comparison, evaluate_targets, write_files

    if not (passages or store):
        hint = "Give --passages or --store"
        raise ConfigError("there is nothing to search", "eval retrieval", hint)
    asked = read_questions(questions, split=split) if questions else None
    modes = _modes(mode, against)
    with scratch() as place:
        folder = store or f"{place}/store"
        if untitled:
            folder = f"{folder.rstrip('/')}/{UNTITLED}"
        if passages:
            sources = pool(passages, place / "passages", untitled=untitled)
            given = {"store": folder, "sources": sources, "load": {"vector_store": "none"}}
            run_index(load_config(config, overrides=given))
        settings = load_config(config, overrides={"store": folder})
        snapshot = Store(folder).open()
        index = Index(snapshot, config=settings.retrieval, language=settings.language)
        asked = make_questions(index.snapshot) if asked is None else asked
        gold = locate_gold(asked, index.snapshot)
        reports = [evaluate_targets(index, gold, mode=one) for one in modes]
        comparison = Comparison.of(reports, against)
    if out is not None:
        files = comparison.files()
        if questions is None:
            made = "".join(f"{question.model_dump_json(exclude_defaults=True)}\n" for question in asked)
            files["questions.jsonl"] = made.encode("utf-8")
        write_files(files, out)
    if json:
        print_json(comparison.to_dict())
    else:
        CONSOLE.print(comparison.to_markdown(), markup=False, soft_wrap=True)


@app.command()
def answers(
    questions: Annotated[Path, typer.Option(help="JSONL as for retrieval; a model also needs each one's answer.")],
    mode: Annotated[
        list[str] | None, typer.Option(help="How passages are found; several may be given.", show_default="auto")
    ] = None,
    against: Annotated[str | None, typer.Option(help="Compare the other modes with this one.")] = None,
    judge: Annotated[
        str | None, typer.Option(help="Model that judges, at llm.base_url.", show_default="gold and words")
    ] = None,
    votes: Annotated[int, typer.Option(min=1, max=15, help="Verdicts on each thing.")] = 3,
    by_hand: Annotated[
        Path | None, typer.Option(help="JSONL of answers that a person judged, to check the judge with.")
    ] = None,
    llm: Annotated[bool, typer.Option("--llm/--no-llm", help="Have llm.model write the answers.")] = False,
    split: Annotated[str | None, typer.Option(help="Only questions of this split.", show_default="all of them")] = None,
    store: StoreOption = None,
    out: Annotated[Path | None, typer.Option(help="Write answers.parquet and answers.md into this folder.")] = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Judge the answers to questions: by gold and words, or by a model that is judged first.

    What a model said is kept in the store: the same evaluation again asks nothing.
    """
    from graphrag_tasks.llm import Client
    from graphrag_tasks.workbench.evaluation.gold import locate as locate_gold
    from graphrag_tasks.workbench.evaluation.questions import read_lines, read_questions
    from graphrag_tasks.workbench.evaluation.report import write_files
    from graphrag_tasks.workbench.judges import Judge, JudgedByHand, evaluate_answers

    named = {"llm": {"models": {"judge": judge}}} if judge else {}
    settings = load_config(config, overrides={"store": store} | named)
    asked = read_questions(questions, split=split, unanswerable=True)
    judged = read_lines(by_hand, JudgedByHand) if by_hand else []
    index = _open(settings)
    today = f"{date.today():%Y-%m-%d}"
    client = Client(settings.llm, settings.store, f"judge-{today}") if judge else None
    modes = list(dict.fromkeys(mode or ["auto"]))
    report = evaluate_answers(
        index,
        locate_gold([question for question in asked if question.answerable], index.snapshot),
        modes if against is None or against in modes else [against, *modes],
        against=against,
        writer=Client(settings.llm, settings.store, f"answers-{today}", _WAIT_SECONDS) if llm else None,
        judge=Judge(client, votes) if client else None,
        by_hand=judged,
        exclude=settings.llm.exclude,
        unanswerable=[question for question in asked if not question.answerable],
        tell=_tell,
    )
    if out is not None:
        write_files(report.files(), out)
    if json:
        print_json(report.to_dict())
    else:
        CONSOLE.print(report.to_markdown(), markup=False, soft_wrap=True)


def _tell(line: str) -> None:
    ERRORS.print(line, markup=False, soft_wrap=True)


def _modes(asked: Sequence[str] | None, against: str | None) -> list[str]:
    from graphrag_tasks.retrieval import MODES

    modes = list(MODES) if asked and ALL in asked else list(dict.fromkeys(asked or ["paper"]))
    return modes if against is None or against in modes else [against, *modes]


def _open(settings: Config) -> Index:
    from graphrag_tasks.retrieval import open_index

    return open_index(settings.store, config=settings.retrieval, language=settings.language, load=settings.load)


# `graphrag-tasks adapt`: tune models on a corpus's own questions.


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

"""`graphrag-tasks answer`: answer a question, each sentence with its source."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.padding import Padding

from graphrag_tasks.cli.options import (
    ConfigOption,
    JsonOption,
    ModeOption,
    QuestionArgument,
    SnapshotOption,
    StoreOption,
    VectorsOption,
    WhereOption,
)
from graphrag_tasks.cli.output import CONSOLE, print_json
from graphrag_tasks.core.config import load_config
from graphrag_tasks.core.search_modes import SearchMode

if TYPE_CHECKING:
    from graphrag_tasks.answering import AnswerSentence, Reply

_STYLES = {"answered": "green", "uncertain": "yellow", "not in these documents": "red"}
_NEARBY = 5  # Items that are printed beside a list; `--json` has all.


def answer(
    question: QuestionArgument,
    store: StoreOption = None,
    snapshot: SnapshotOption = None,
    mode: ModeOption = SearchMode.AUTO,
    k: Annotated[
        int | None, typer.Option("-k", "--k", help="Chunks that are read for sentences.", show_default="5")
    ] = None,
    principals: Annotated[
        list[str] | None, typer.Option("--as", help="Access label that you hold; repeat it for several.")
    ] = None,
    llm: Annotated[
        bool,
        typer.Option("--llm/--no-llm", help="Have llm.model write the answer: question and passages are sent to it."),
    ] = False,
    max_usd: Annotated[
        float | None, typer.Option(min=0, help="Most that the model may cost.", show_default="llm.budget")
    ] = None,
    after: Annotated[
        str | None, typer.Option(metavar="QUESTION", help="Question before this one, from which a follow-up is filled.")
    ] = None,
    where: WhereOption = None,
    vectors: VectorsOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Answer a question with sentences of the documents, or say that none answers it.

    With --llm a language model writes the answer; what its sources do not say is marked.
    """
    from graphrag_tasks.answering import answer as make_answer
    from graphrag_tasks.llm import Client
    from graphrag_tasks.retrieval import open_index
    from graphrag_tasks.retrieval.graph.filters import read_filters

    settings = load_config(config, overrides={"store": store, "retrieval": {"vectors": vectors}})
    opened = open_index(
        settings.store, snapshot, principals or None,
        config=settings.retrieval, language=settings.language, load=settings.load,
    )  # fmt: skip
    client = None
    if llm:
        client = Client(settings.llm, settings.store, f"answers-{date.today():%Y-%m-%d}")
    reply = make_answer(
        opened, " ".join(question), client, mode,
        k=k, filters=read_filters(where or ()), max_usd=max_usd, after=after,
    )  # fmt: skip
    if json:
        print_json(reply.to_dict())
    else:
        _print_reply(reply)


def _problem(one: AnswerSentence) -> str:
    return f" [red](to be checked: {escape(one.problem)})[/]" if one.problem else ""


def _print_reply(reply: Reply) -> None:
    reply = replace(reply, nearby=reply.nearby[:_NEARBY])  # so that only what is shown is cited
    CONSOLE.print(f"[bold]{escape(reply.question)}[/]")
    if reply.asked_as:
        CONSOLE.print(escape(reply.asked_line), highlight=False)
    style = _STYLES[reply.verdict.state]
    CONSOLE.print(f"[{style}]{escape(reply.verdict.sentence)}[/]", highlight=False)
    if reply.form != "quotes" or reply.summary:
        CONSOLE.print(Padding(escape(reply.text), (1, 0, 0, 2)), highlight=False)
    for numbers, sentences in reply.paragraphs() if reply.form == "quotes" else ():
        marks = "".join(f"\\[{number}]" for number in numbers)
        words = " ".join(
            f"[{'bold' if said.is_best else 'dim'}]{escape(said.shown)}[/]{_problem(said)}" for said in sentences
        )
        CONSOLE.print(Padding(f"{words} {marks}", (1, 0, 0, 2)), highlight=False)
    if reply.nearby:
        near = "\n".join(["Also near:", *(sentence.line for sentence in reply.nearby)])
        CONSOLE.print(Padding(escape(near), (1, 0, 0, 2)), highlight=False, style="dim")
    if reply.sentences:
        CONSOLE.print()
    for line in reply.sources():
        CONSOLE.print(Padding(escape(line), (0, 0, 0, 2)), highlight=False, style="dim")
    if reply.model:
        cost = "at an unknown price" if reply.usd is None else f"for {reply.usd:.4f} USD"
        CONSOLE.print(f"Written by {escape(reply.model)} {cost}.", highlight=False, style="dim")
    for note in reply.notes:
        CONSOLE.print(f"note: {escape(note)}", highlight=False)

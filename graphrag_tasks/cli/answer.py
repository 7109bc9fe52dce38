"""`graphrag-tasks answer`: a question's answer, each sentence with its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.padding import Padding

from graphrag_tasks.cli.options import ConfigOption, JsonOption, SnapshotOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json
from graphrag_tasks.core.config import load_config

if TYPE_CHECKING:
    from graphrag_tasks.answer import Reply

_STYLES = {"answered": "green", "uncertain": "yellow", "not in these documents": "red"}


def answer(
    question: Annotated[str, typer.Argument(help="Any question.")],
    store: StoreOption = None,
    snapshot: SnapshotOption = None,
    mode: Annotated[str, typer.Option(help="How passages are found, as in query.")] = "auto",
    k: Annotated[
        int | None, typer.Option(help="Chunks that are read for sentences.", show_default="5")
    ] = None,
    principals: Annotated[
        list[str] | None,
        typer.Option("--as", help="Access label that you hold; repeat it for several."),
    ] = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Answer a question with sentences of the documents, or say that none answers it."""
    from graphrag_tasks.answer import answer as make_answer
    from graphrag_tasks.retrieval import open_index

    settings = load_config(config, overrides={"store": store})
    opened = open_index(settings.store, snapshot, principals or None, config=settings.retrieval)
    reply = make_answer(opened, question, mode, k=k)
    if json:
        print_json(reply.to_dict())
    else:
        _print_reply(reply)


def _print_reply(reply: Reply) -> None:
    CONSOLE.print(f"[bold]{escape(reply.question)}[/]")
    style = _STYLES[reply.verdict.state]
    CONSOLE.print(f"[{style}]{escape(reply.verdict.sentence)}[/]", highlight=False)
    if reply.form != "quotes" or reply.summary:
        CONSOLE.print(Padding(escape(reply.text), (1, 0, 0, 2)), highlight=False)
    for numbers, sentences in reply.paragraphs() if reply.form == "quotes" else ():
        marks = "".join(f"\\[{number}]" for number in numbers)
        words = " ".join(
            f"[{'bold' if one.is_best else 'dim'}]{escape(one.shown)}[/]" for one in sentences
        )
        CONSOLE.print(Padding(f"{words} {marks}", (1, 0, 0, 2)), highlight=False)
    if reply.sentences:
        CONSOLE.print()
    for line in reply.sources():
        CONSOLE.print(Padding(escape(line), (0, 0, 0, 2)), highlight=False, style="dim")
    for note in reply.notes:
        CONSOLE.print(f"note: {escape(note)}", highlight=False)

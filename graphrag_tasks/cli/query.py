"""`graphrag-tasks query`: what the index holds for a question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.padding import Padding
from rich.panel import Panel

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
    from graphrag_tasks.retrieval import ChunkHit, Context, FurtherHit, SourceSentence


_SHOWN_CHARACTERS = 400  # Characters shown of a passage, so that an answer fits a screen or two; chosen.
_WORD = re.compile(r"[\w/.-]*\w")
_BLANK_LINES = re.compile(r"\n\s*\n")


def query(
    question: QuestionArgument,
    store: StoreOption = None,
    snapshot: SnapshotOption = None,
    mode: ModeOption = SearchMode.AUTO,
    k: Annotated[int | None, typer.Option("-k", "--k", help="Chunks wanted.", show_default="5")] = None,
    rerank: Annotated[
        int | None,
        typer.Option(help="First chunks that are reranked; 0: none.", show_default="20, but those far behind"),
    ] = None,
    principals: Annotated[
        list[str] | None, typer.Option("--as", help="Access label that you hold; repeat it for several.")
    ] = None,
    where: WhereOption = None,
    vectors: VectorsOption = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Find the chunks, relations and entities that help to answer a question."""
    from graphrag_tasks.answering.reading import best_of_each_chunk
    from graphrag_tasks.retrieval import open_index
    from graphrag_tasks.retrieval.graph.filters import read_filters

    settings = load_config(config, overrides={"store": store, "retrieval": {"vectors": vectors}})
    opened = open_index(
        settings.store, snapshot, principals or None,
        config=settings.retrieval, language=settings.language, load=settings.load,
    )  # fmt: skip
    context = opened.search(" ".join(question), mode, k, read_filters(where or ()), rerank)
    if json:
        print_json(context.to_dict())
    else:
        _print_context(context, best_of_each_chunk(opened, context))


def _print_context(context: Context, best: Mapping[str, SourceSentence]) -> None:
    CONSOLE.print(f"[bold]{escape(context.question)}[/]  (mode {context.mode})")
    if context.route:
        CONSOLE.print(f"{context.route.kind}: {escape('; '.join(context.route.reasons))}")
    for found in context.further.values():
        _print_further(found)
    for hit in context.chunks:
        CONSOLE.print(_panel(hit, best.get(hit.chunk_id), context.question))
    if context.relations:
        CONSOLE.print("[bold]Relations[/]")
    for relation in context.relations:
        line = f"{relation.rank:>3}. {relation.text}  ({relation.score:.3f})"
        _print_cited(line, relation.evidence[:1])
    if context.entities:
        CONSOLE.print("[bold]Entities the search started from[/]")
    for entity in context.entities:
        line = f"{entity.rank:>3}. {entity.name}  ({entity.found_by})"
        _print_cited(line, [entity.example] if entity.example else [])
    for note in context.notes:
        CONSOLE.print(f"note: {escape(note)}")


def _print_further(found: Sequence[FurtherHit]) -> None:
    if found:
        CONSOLE.print(f"[bold]{found[0].heading.format(count=len(found))}[/]")
    for hit in found:
        name, _, note = hit.row()["text"].partition("\n")
        _print_cited(f"{hit.rank:>3}. {name}", hit.sources())
        if note:
            _print_dim(_cut(note))


def _print_cited(line: str, sentences: Iterable[SourceSentence]) -> None:
    CONSOLE.print(escape(line), highlight=False)
    for sentence in sentences:
        place = f"{sentence.title}{_pages(sentence.page, sentence.page)}"
        _print_dim(f"“{' '.join(sentence.text.split())}” {place}")


def _print_dim(text: str) -> None:
    CONSOLE.print(Padding(f"[dim]{escape(text)}[/]", (0, 0, 0, 5)), highlight=False)


def _panel(hit: ChunkHit, best: SourceSentence | None, question: str) -> Panel:
    text = escape(_cut(_BLANK_LINES.sub("\n", hit.text)))
    if best is not None:
        text = f"{_marked(best.text, question)}\n[dim]{text}[/]"
    notes = [f"{name} #{rank}" for name, rank in hit.ranks.items()]
    place = f"{hit.uri}, release {hit.release}" if hit.release else hit.uri
    title = f"{hit.rank}. {hit.title}{_pages(hit.page_start, hit.page_end)}"
    return Panel(
        f"{text}\n[dim]{escape(place)}[/]",
        title=CONSOLE.render_str(escape(title), highlight=False),
        title_align="left",
        subtitle=escape(f"score {hit.score:.2f} · {', '.join(notes)}"),
        subtitle_align="right",
    )


def _marked(sentence: str, question: str) -> str:
    """Return a sentence in bold, with words of the question underlined."""
    from graphrag_tasks.language.bm25 import terms

    asked = set(terms(question))
    marked = _WORD.sub(
        lambda word: f"[u]{word[0]}[/u]" if asked.intersection(terms(word[0])) else word[0],
        escape(" ".join(sentence.split())),
    )
    return f"[bold]{marked}[/]"


def _cut(text: str) -> str:
    if len(text) <= _SHOWN_CHARACTERS:
        return text
    return text[:_SHOWN_CHARACTERS].rsplit(" ", 1)[0] + " …"


def _pages(first: int | None, last: int | None) -> str:
    if first is None:
        return ""
    return f", page {first}" if first == last else f", pages {first}-{last}"


# `graphrag-tasks answer`: answer a question, each sentence with its source.

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


def _with_answer(one: AnswerSentence) -> str:
    before, answer, behind = map(escape, one.parts)
    return f"{before}[underline]{answer}[/]{behind}" if answer else before


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
    styles = (
        ("dim", "bold") if reply.verdict.state == "answered" else ("default", "default")
    )  # the unsure is not marked
    for numbers, sentences in reply.paragraphs() if reply.form == "quotes" else ():
        marks = "".join(f"\\[{number}]" for number in numbers)
        words = " ".join(f"[{styles[said.is_best]}]{_with_answer(said)}[/]{_problem(said)}" for said in sentences)
        CONSOLE.print(Padding(f"{words} {marks}", (1, 0, 0, 2)), highlight=False)
    if reply.nearby:
        near = "\n".join(["Also near:", *(sentence.line for sentence in reply.nearby)])
        CONSOLE.print(Padding(escape(near), (1, 0, 0, 2)), highlight=False, style="dim")
    if reply.sentences:
        CONSOLE.print()
    for line in reply.source_lines():
        CONSOLE.print(Padding(escape(line), (0, 0, 0, 2)), highlight=False, style="dim")
    if reply.model:
        cost = "at an unknown price" if reply.usd is None else f"for {reply.usd:.4f} USD"
        CONSOLE.print(f"Written by {escape(reply.model)} {cost}.", highlight=False, style="dim")
    for note in reply.notes:
        CONSOLE.print(f"note: {escape(note)}", highlight=False)

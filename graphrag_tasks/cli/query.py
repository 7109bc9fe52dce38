"""`graphrag-tasks query`: one question, answered with what the index holds on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.panel import Panel

from graphrag_tasks.cli.options import ConfigOption, JsonOption, StoreOption
from graphrag_tasks.cli.output import CONSOLE, print_json, table
from graphrag_tasks.config import load_config

if TYPE_CHECKING:
    from graphrag_tasks.retrieval import ChunkHit, Context, SourceSentence

_SHOWN_CHARACTERS = 600


def query(
    question: Annotated[str, typer.Argument(help="Any question.")],
    store: StoreOption = None,
    snapshot: Annotated[
        str | None, typer.Option(help="Snapshot id.", show_default="the current one")
    ] = None,
    mode: Annotated[str, typer.Option(help="How to search: paper or dense.")] = "paper",
    k: Annotated[int | None, typer.Option(help="Chunks wanted.", show_default="5")] = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> None:
    """Find the chunks, relations and entities that help to answer a question."""
    from graphrag_tasks.retrieval import open_index

    settings = load_config(config, overrides={"store": store})
    opened = open_index(settings.store, snapshot, config=settings.retrieval)
    context = opened.search(question, mode=mode, k=k)
    if json:
        print_json(context.to_dict())
    else:
        _print_context(context)


def _print_context(context: Context) -> None:
    CONSOLE.print(f"[bold]{escape(context.question)}[/]  (mode {context.mode})")
    for hit in context.chunks:
        CONSOLE.print(_panel(hit))
    relations = [
        (hit.rank, hit.text, hit.score, *_cited(hit.evidence[0] if hit.evidence else None))
        for hit in context.relations
    ]
    CONSOLE.print(
        table("Relations", ("#", "relation", "score", "sentence", "document"), relations)
    )
    entities = [
        (hit.rank, hit.name, hit.found_by, *_cited(hit.example)) for hit in context.entities
    ]
    columns = ("#", "entity", "found by", "sentence", "document")
    CONSOLE.print(table("Entities the search started from", columns, entities))
    for note in context.notes:
        CONSOLE.print(f"note: {escape(note)}")


def _panel(hit: ChunkHit) -> Panel:
    text = hit.text
    if len(text) > _SHOWN_CHARACTERS:
        text = text[:_SHOWN_CHARACTERS].rsplit(" ", 1)[0] + " …"
    lists = ", ".join(f"{name} #{rank}" for name, rank in hit.ranks.items())
    title = f"{hit.rank}. {hit.title}{_pages(hit.page_start, hit.page_end)}"
    return Panel(
        escape(text),
        title=escape(title),
        title_align="left",
        subtitle=escape(f"{hit.uri} · score {hit.score:.3f} · {lists}"),
        subtitle_align="right",
    )


def _pages(first: int | None, last: int | None) -> str:
    if first is None:
        return ""
    return f", page {first}" if first == last else f", pages {first}-{last}"


def _cited(sentence: SourceSentence | None) -> tuple[str, str]:
    if sentence is None:
        return "", ""
    return " ".join(sentence.text.split()), f"{sentence.title}{_pages(sentence.page, sentence.page)}"

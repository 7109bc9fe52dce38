"""A context as a data frame, and as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from graphrag_tasks.retrieval.prompt import chunk_place, one_line, place, relation_place

if TYPE_CHECKING:
    import pandas as pd

    from graphrag_tasks.retrieval.context import ChunkHit, Context, EntityHit, RelationHit

_SHOWN_CHARACTERS = 280
_TABLE_STYLE = "border-collapse:collapse;font-size:90%;text-align:left;margin:.3em 0"
_CELL_STYLE = (
    "border-bottom:1px solid rgba(128,128,128,.4);padding:.2em .6em;"
    "text-align:left;vertical-align:top;white-space:normal"
)
FRAME_COLUMNS = (
    "kind",
    "rank",
    "citation",
    "id",
    "text",
    "score",
    "title",
    "uri",
    "page",
    "found_by",
    "sentence",
)


def as_frame(context: Context) -> pd.DataFrame:
    """Return one row per item with the columns `FRAME_COLUMNS`.

    `citation` is the item's number in the prompt; seeds have none. `sentence` is the best
    supporting sentence of a relation, or the example sentence of a seed, whose title, uri and page
    stand beside it.
    """
    import pandas as pd

    rows = [_chunk_row(hit) for hit in context.chunks]
    rows += [_relation_row(hit, len(context.chunks)) for hit in context.relations]
    rows += [_entity_row(hit) for hit in context.entities]
    table = pd.DataFrame(rows, columns=list(FRAME_COLUMNS))
    return table.astype({"rank": "int64", "citation": "Int64", "page": "Int64", "score": "float64"})


def _chunk_row(hit: ChunkHit) -> dict[str, Any]:
    return {
        "kind": "chunk",
        "rank": hit.rank,
        "citation": hit.rank,
        "id": hit.chunk_id,
        "text": hit.text,
        "score": hit.score,
        "title": hit.title,
        "uri": hit.uri,
        "page": hit.page_start,
        "found_by": _lists(hit),
    }


def _relation_row(hit: RelationHit, chunks: int) -> dict[str, Any]:
    best = hit.evidence[0] if hit.evidence else None
    return {
        "kind": "relation",
        "rank": hit.rank,
        "citation": chunks + hit.rank,
        "id": hit.relation_id,
        "text": hit.text,
        "score": hit.score,
        "title": best and best.title,
        "uri": best and best.uri,
        "page": best and best.page,
        "sentence": best and best.text,
    }


def _entity_row(hit: EntityHit) -> dict[str, Any]:
    best = hit.example
    return {
        "kind": "entity",
        "rank": hit.rank,
        "id": hit.entity_id,
        "text": hit.name,
        "score": hit.score,
        "title": best and best.title,
        "uri": best and best.uri,
        "page": best and best.page,
        "found_by": hit.found_by,
        "sentence": best and best.text,
    }


def _lists(hit: ChunkHit) -> str:
    return ", ".join(f"{name} {rank}" for name, rank in hit.ranks.items())


def as_html(context: Context) -> str:
    """Return the context as compact HTML tables; colours are the notebook's own."""
    entities = [
        (
            hit.name, hit.type or "", hit.found_by, f"{hit.score:.3f}",
            hit.example.text if hit.example else "",
            place(hit.example.title, hit.example.page) if hit.example else "",
        )
        for hit in context.entities
    ]  # fmt: skip
    chunks = [
        (str(hit.rank), hit.text, chunk_place(hit), _lists(hit), f"{hit.score:.4f}")
        for hit in context.chunks
    ]
    relations = [
        (
            str(hit.rank), hit.text,
            hit.evidence[0].text if hit.evidence else "",
            relation_place(hit), f"{hit.score:.3f}", f"{hit.confidence:.2f}",
        )
        for hit in context.relations
    ]  # fmt: skip
    title = f"{context.question} (mode {context.mode}, snapshot {context.snapshot_id[:12]})"
    parts = [f"<p><b>{escape(title)}</b></p>"]
    parts += [f"<p><i>{escape(note)}</i></p>" for note in context.notes]
    parts.append(_table("Chunks", ("#", "text", "source", "lists", "score"), chunks))
    header = ("#", "relation", "sentence", "source", "score", "confidence")
    parts.append(_table("Relations", header, relations))
    header = ("entity", "type", "found by", "score", "sentence", "source")
    parts.append(_table("Seed entities", header, entities))
    return "".join(parts)


def _table(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    head = "".join(_cell("th", name) for name in header)
    body = "".join(f"<tr>{''.join(_cell('td', text) for text in row)}</tr>" for row in rows)
    title = f"<summary>{escape(caption)} ({len(rows)})</summary>"
    table = f'<table style="{_TABLE_STYLE}"><tr>{head}</tr>{body}</table>'
    return f"<details open>{title}{table}</details>"


def _cell(tag: str, text: str) -> str:
    text = one_line(text)
    cut = len(text) > _SHOWN_CHARACTERS
    shown = f"{text[:_SHOWN_CHARACTERS]}…" if cut else text
    title = f' title="{escape(text)}"' if cut else ""
    return f'<{tag} style="{_CELL_STYLE}"{title}>{escape(shown)}</{tag}>'

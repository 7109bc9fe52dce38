"""A context as a data frame, and as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from graphrag_tasks.retrieval.hits import ChunkHit, EntityHit, RelationHit
from graphrag_tasks.retrieval.prompt import chunk_place, one_line, place, relation_place

if TYPE_CHECKING:
    import pandas as pd


_SHOWN_CHARACTERS = 280
_TABLE_STYLE = "border-collapse:collapse;font-size:90%;text-align:left;margin:.3em 0"
_CELL_STYLE = (
    "border-bottom:1px solid rgba(128,128,128,.4);padding:.2em .6em;"
    "text-align:left;vertical-align:top;white-space:normal"
)
_CHUNK_HEADER = ("#", "text", "source", "lists", "score")
_RELATION_HEADER = ("#", "relation", "sentence", "source", "score", "confidence")
_ENTITY_HEADER = ("entity", "type", "found by", "score", "sentence", "source")

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


def as_frame(
    chunks: Sequence[ChunkHit], relations: Sequence[RelationHit], entities: Sequence[EntityHit]
) -> pd.DataFrame:
    """Return one row per item with the columns `FRAME_COLUMNS`.

    `citation` is the item's number in the prompt; seeds have none. `sentence` is the best
    supporting sentence of a relation, or the example sentence of a seed, whose title, uri and page
    stand beside it.
    """
    import pandas as pd

    rows = [_chunk_row(hit) for hit in chunks]
    rows += [_relation_row(hit, len(chunks)) for hit in relations]
    rows += [_entity_row(hit) for hit in entities]
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


def as_html(
    title: str,
    notes: Sequence[str],
    chunks: Sequence[ChunkHit],
    relations: Sequence[RelationHit],
    entities: Sequence[EntityHit],
) -> str:
    """Return hits as compact HTML tables; colours are the notebook's own."""
    parts = [f"<p><b>{escape(title)}</b></p>"]
    parts += [f"<p><i>{escape(note)}</i></p>" for note in notes]
    parts.append(_table("Chunks", _CHUNK_HEADER, [_chunk_cells(hit) for hit in chunks]))
    parts.append(_table("Relations", _RELATION_HEADER, [_relation_cells(hit) for hit in relations]))
    parts.append(_table("Seed entities", _ENTITY_HEADER, [_entity_cells(hit) for hit in entities]))
    return "".join(parts)


def _chunk_cells(hit: ChunkHit) -> tuple[str, ...]:
    return str(hit.rank), hit.text, chunk_place(hit), _lists(hit), f"{hit.score:.4f}"


def _relation_cells(hit: RelationHit) -> tuple[str, ...]:
    sentence = hit.evidence[0].text if hit.evidence else ""
    numbers = (f"{hit.score:.3f}", f"{hit.confidence:.2f}")
    return str(hit.rank), hit.text, sentence, relation_place(hit), *numbers


def _entity_cells(hit: EntityHit) -> tuple[str, ...]:
    sentence = hit.example.text if hit.example else ""
    source = place(hit.example.title, hit.example.page) if hit.example else ""
    return hit.name, hit.type or "", hit.found_by, f"{hit.score:.3f}", sentence, source


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

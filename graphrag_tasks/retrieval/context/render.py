"""A context as a data frame, and as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import count
from typing import TYPE_CHECKING, Any

from graphrag_tasks.retrieval.context.further import FURTHER, FurtherHit
from graphrag_tasks.retrieval.context.hits import (
    ChunkHit,
    EntityHit,
    RelationHit,
    SourceSentence,
)
from graphrag_tasks.retrieval.context.wording import chunk_place, one_line, place, relation_place

if TYPE_CHECKING:
    import pandas as pd

    from graphrag_tasks.retrieval.context.context import Context


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


def as_frame(context: Context) -> pd.DataFrame:
    """Return one row per item with the columns `FRAME_COLUMNS`.

    `kind` is chunk, relation, a further kind (path, listed, community) or entity (a seed).
    `citation` is the item's number in the prompt; seeds have none. `sentence` is the best
    supporting sentence of a relation or of a path's first step, or an example of what an entity is
    named in; its title, uri and page stand beside it.
    """
    import pandas as pd

    rows = [_chunk_row(hit) for hit in context.chunks]
    rows += [_relation_row(hit) for hit in context.relations]
    rows += [_further_row(hit) for name in FURTHER for hit in context.further.get(name, ())]
    for citation, row in zip(count(1), rows, strict=False):
        row["citation"] = citation
    rows += [_entity_row(hit) for hit in context.entities]
    table = pd.DataFrame(rows, columns=list(FRAME_COLUMNS))
    return table.astype({"rank": "int64", "citation": "Int64", "page": "Int64", "score": "float64"})


def _chunk_row(hit: ChunkHit) -> dict[str, Any]:
    return {
        "kind": "chunk",
        "rank": hit.rank,
        "id": hit.chunk_id,
        "text": hit.text,
        "score": hit.score,
        "title": hit.title,
        "uri": hit.uri,
        "page": hit.page_start,
        "found_by": _lists(hit),
    }


def _relation_row(hit: RelationHit) -> dict[str, Any]:
    row = {"kind": "relation", "rank": hit.rank, "id": hit.relation_id, "text": hit.text}
    return row | {"score": hit.score} | _sentence(hit.evidence[0] if hit.evidence else None)


def _further_row(hit: FurtherHit) -> dict[str, Any]:
    sources = hit.sources()
    row = {"kind": hit.kind, "rank": hit.rank} | hit.row()
    return row | _sentence(sources[0] if sources else None)


def _entity_row(hit: EntityHit) -> dict[str, Any]:
    row = {"kind": "entity", "rank": hit.rank, "id": hit.entity_id, "text": hit.name}
    return row | {"score": hit.score, "found_by": hit.found_by} | _sentence(hit.example)


def _sentence(found: SourceSentence | None) -> dict[str, Any]:
    if found is None:
        return {"title": None, "uri": None, "page": None, "sentence": None}
    return {
        "title": found.title,
        "uri": found.uri,
        "page": found.page,
        "sentence": found.text,
    }


def _lists(hit: ChunkHit) -> str:
    return ", ".join(f"{name} {rank}" for name, rank in hit.ranks.items())


def as_html(context: Context) -> str:
    """Return what was found as compact HTML tables; colours are the notebook's own."""
    title = f"{context.question} (mode {context.mode}, snapshot {context.snapshot_id[:12]})"
    parts = [f"<p><b>{escape(title)}</b></p>"]
    parts += [f"<p><i>{escape(note)}</i></p>" for note in context.notes]
    parts += [
        _table(kind.heading.partition(",")[0], kind.header, [hit.cells() for hit in found])
        for name, kind in FURTHER.items()
        if (found := context.further.get(name))
    ]
    parts += [
        _table("Chunks", _CHUNK_HEADER, map(_chunk_cells, context.chunks)),
        _table("Relations", _RELATION_HEADER, map(_relation_cells, context.relations)),
        _table("Seed entities", _ENTITY_HEADER, map(_entity_cells, context.entities)),
    ]
    return "".join(parts)


def _chunk_cells(hit: ChunkHit) -> tuple[str, ...]:
    return str(hit.rank), hit.text, chunk_place(hit), _lists(hit), f"{hit.score:.4f}"


def _relation_cells(hit: RelationHit) -> tuple[str, ...]:
    sentence = hit.evidence[0].text if hit.evidence else ""
    numbers = (f"{hit.score:.3f}", f"{hit.confidence:.2f}")
    return str(hit.rank), hit.text, sentence, relation_place(hit), *numbers


def _entity_cells(hit: EntityHit) -> tuple[str, ...]:
    return hit.name, hit.type or "", hit.found_by, f"{hit.score:.3f}", *_example_cells(hit)


def _example_cells(hit: EntityHit) -> tuple[str, str]:
    if hit.example is None:
        return "", ""
    return hit.example.text, place(hit.example.title, hit.example.page)


def _table(caption: str, header: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    rows = list(cells)
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

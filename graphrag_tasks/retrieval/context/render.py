"""A context as a data frame, and as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from graphrag_tasks.retrieval.context.further import FURTHER
from graphrag_tasks.retrieval.context.hits import (
    ChunkHit,
    EntityHit,
    RelationHit,
    SourceSentence,
    chunk_place,
    one_line,
    place,
    relation_place,
)

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
    "kind", "rank", "citation", "id", "text", "score", "title", "uri", "page", "found_by",
    "sentence",
)  # fmt: skip


def as_frame(context: Context) -> pd.DataFrame:
    """Return one row per item with the columns `FRAME_COLUMNS`.

    `kind` is chunk, relation, path, listed, community or entity (a seed). `citation` is the item's
    number in the prompt; seeds have none. `sentence`, with title, uri and page, is the best
    evidence of a relation or of a path's first step, or a sentence that mentions an entity.
    """
    import pandas as pd

    rows = [
        {
            "kind": "chunk", "rank": hit.rank, "id": hit.chunk_id, "text": hit.text,
            "score": hit.score, "title": hit.title, "uri": hit.uri, "page": hit.page_start,
            "found_by": _lists(hit),
        }
        for hit in context.chunks
    ]  # fmt: skip
    rows += [
        {
            "kind": "relation", "rank": one.rank, "id": one.relation_id, "text": one.text,
            "score": one.score, **_sentence(one.evidence),
        }
        for one in context.relations
    ]  # fmt: skip
    rows += [
        {"kind": one.kind, "rank": one.rank, **one.row(), **_sentence(one.sources())}
        for name in FURTHER
        for one in context.further.get(name, ())
    ]
    for citation, row in enumerate(rows, 1):
        row["citation"] = citation
    rows += [
        {
            "kind": "entity", "rank": seed.rank, "id": seed.entity_id, "text": seed.name,
            "score": seed.score, "found_by": seed.found_by,
            **_sentence([seed.example] if seed.example else ()),
        }
        for seed in context.entities
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=list(FRAME_COLUMNS))
    return table.astype({"rank": "int64", "citation": "Int64", "page": "Int64", "score": "float64"})


def _sentence(sources: Sequence[SourceSentence]) -> dict[str, Any]:
    if not sources:
        return {"title": None, "uri": None, "page": None, "sentence": None}
    best = sources[0]
    return {"title": best.title, "uri": best.uri, "page": best.page, "sentence": best.text}


def _lists(hit: ChunkHit) -> str:
    return ", ".join(f"{name} {rank}" for name, rank in hit.ranks.items())


def as_html(context: Context) -> str:
    """Return the items as compact HTML tables in the notebook's own colours."""
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
    found = hit.example
    source = (found.text, place(found.title, found.page)) if found else ("", "")
    return hit.name, hit.type or "", hit.found_by, f"{hit.score:.3f}", *source


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

"""Render a context as text, data frame, HTML and graph; HTML is without scripts, in a notebook's colours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape as escape_html
from itertools import groupby
from typing import TYPE_CHECKING, Any

from graphrag_tasks.core.commands import brought_by
from graphrag_tasks.core.visible import visible
from graphrag_tasks.retrieval.context.further import FURTHER
from graphrag_tasks.retrieval.context.hits import (
    ChunkHit,
    RelationHit,
    SourceSentence,
    chunk_place,
    one_line,
    relation_place,
)

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from graphrag_tasks.retrieval.context.context import Context


_SHOWN_CHARACTERS = 280  # Of a cell of a notebook's table; chosen, so that a row stays short. The cell's title has all.
_TABLE_STYLE = "border-collapse:collapse;font-size:90%;text-align:left;margin:.3em 0"
_CELL_STYLE = (
    "border-bottom:1px solid rgba(128,128,128,.4);padding:.2em .6em;text-align:left;vertical-align:top;white-space:"
)
_ON_ONE_LINE = 12  # Characters of a cell that is never broken, such as a number or a name.


def escape(text: str) -> str:
    """Return a text escaped for HTML and attributes, with control characters made visible."""
    return escape_html(visible(text))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table; long cells are cut, with the whole text as tooltip."""
    head = f"<tr>{''.join(_cell('th', name) for name in header)}</tr>" if header else ""
    body = "".join(f"<tr>{''.join(_cell('td', text) for text in row)}</tr>" for row in rows)
    return f'<table style="{_TABLE_STYLE}">{head}{body}</table>'


def folding_table(caption: str, header: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """Return a collapsible table below a caption with the number of rows; "" without rows."""
    rows = list(cells)
    if not rows:
        return ""
    title = f"<summary>{escape(caption)} ({len(rows)})</summary>"
    return f"<details open>{title}{table(header, rows)}</details>"


def paragraph(text: str, tag: str = "span") -> str:
    """Return a text as a paragraph in one HTML element, such as `b`."""
    return f"<p><{tag}>{escape(text)}</{tag}></p>"


def _cell(tag: str, text: str) -> str:
    text = " ".join(text.split())
    cut = len(text) > _SHOWN_CHARACTERS
    shown = f"{text[:_SHOWN_CHARACTERS]}…" if cut else text
    title = f' title="{escape(text)}"' if cut else ""
    wrap = "nowrap" if len(text) <= _ON_ONE_LINE else "normal"
    return f'<{tag} style="{_CELL_STYLE}{wrap}"{title}>{escape(shown)}</{tag}>'


FRAME_COLUMNS = (
    "kind", "rank", "citation", "id", "text", "score", "title", "uri", "page", "found_by",
    "sentence",
)  # fmt: skip

_TEXT_CHARACTERS = 100  # Of a chunk's text on a terminal, about one line; chosen.


def as_frame(context: Context) -> pd.DataFrame:
    """Return one row per item with the columns `FRAME_COLUMNS`.

    `kind` is chunk, relation, path, listed, community or entity (a seed). `citation` is the item's number in the
    prompt; seeds have none. `sentence`, with title, uri and page, is the best evidence of a relation or of a path's
    first step, or a sentence that mentions an entity.
    """
    with brought_by("notebook"):
        import pandas as pd

    table = pd.DataFrame(_rows(context), columns=list(FRAME_COLUMNS))
    return table.astype({"rank": "int64", "citation": "Int64", "page": "Int64", "score": "float64"})


def _rows(context: Context) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {
            "kind": "chunk", "rank": hit.rank, "id": hit.chunk_id, "text": hit.text,
            "score": hit.score, "title": hit.title, "uri": hit.uri, "page": hit.page_start,
            "found_by": _lists(hit),
        }
        for hit in context.chunks
    ]  # fmt: skip
    rows += [
        {
            "kind": "relation", "rank": relation.rank, "id": relation.relation_id,
            "text": relation.text, "score": relation.score, **_sentence(relation.evidence),
        }
        for relation in context.relations
    ]  # fmt: skip
    rows += [
        {"kind": further_hit.kind, "rank": further_hit.rank, **further_hit.row(), **_sentence(further_hit.sources())}
        for name in FURTHER
        for further_hit in context.further.get(name, ())
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
    return rows


def _sentence(sources: Sequence[SourceSentence]) -> dict[str, Any]:
    if not sources:
        return {"title": None, "uri": None, "page": None, "sentence": None}
    best = sources[0]
    return {"title": best.title, "uri": best.uri, "page": best.page, "sentence": best.text}


def _lists(hit: ChunkHit) -> str:
    return ", ".join(f"{name} {rank}" for name, rank in hit.ranks.items())


def as_text(context: Context) -> str:
    """Return a short text for the terminal: chunks with their places, then relations."""
    lines = [f"{context.question} (mode {context.mode}, snapshot {context.snapshot_id[:12]})"]
    lines += [f"Note: {note}" for note in context.notes]
    lines += [f"{hit.rank}. {chunk_place(hit)} ({hit.score:.2f}): {_begin(hit.text)}" for hit in context.chunks]
    texts = [hit.row()["text"] for found in context.further.values() for hit in found]
    lines += ["- " + text.partition("\n")[0] for text in texts]
    lines += [f"- {hit.text} ({relation_place(hit)})" for hit in context.relations]
    return "\n".join(lines)


def as_html(context: Context) -> str:
    """Return the items as HTML tables, one for each kind, in the notebook's own colours."""
    title = f"{context.question} (mode {context.mode}, snapshot {context.snapshot_id[:12]})"
    parts = [paragraph(title, "b"), *(paragraph(note, "i") for note in context.notes)]
    for kind, of_kind in groupby(_rows(context), key=lambda row: str(row["kind"])):
        rows = list(of_kind)
        names = [name for name in FRAME_COLUMNS[1:] if name != "id" and any(row.get(name) is not None for row in rows)]
        parts.append(folding_table(kind, names, [[_shown(row.get(name)) for name in names] for row in rows]))
    return "".join(parts)


def _shown(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def as_networkx(context: Context) -> nx.MultiDiGraph:
    """Return the graph of `Context.to_networkx`."""
    with brought_by("notebook"):
        import networkx as nx

    graph = nx.MultiDiGraph()
    chunks = {hit.chunk_id: hit for hit in context.chunks}
    for hit in context.chunks:
        graph.add_node(hit.chunk_id, kind="chunk", label=hit.title)
    for entity in (*context.entities, *context.listed):
        graph.add_node(entity.name, kind="entity", label=entity.name)
    for relation in _relations(context):
        for name in (relation.head, relation.tail):
            graph.add_node(name, kind="entity", label=name)
        graph.add_edge(
            relation.head, relation.tail, key=relation.relation_id,
            kind="relation", relation=relation.relation, phrase=relation.phrase,
            negated=relation.negated, score=relation.score,
        )  # fmt: skip
        for sentence in relation.evidence:
            if sentence.chunk_id in chunks:
                for name in (relation.head, relation.tail):
                    graph.add_edge(name, sentence.chunk_id, key=sentence.chunk_id, kind="evidence")
    return graph


def _relations(context: Context) -> Iterable[RelationHit]:
    steps = [step for path in context.paths for step in path.relations]
    return {hit.relation_id: hit for hit in (*context.relations, *steps)}.values()


def _begin(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _TEXT_CHARACTERS else f"{line[:_TEXT_CHARACTERS]}…"

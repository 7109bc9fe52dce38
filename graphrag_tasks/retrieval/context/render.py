"""Render a context as text, data frame, HTML, and graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from graphrag_tasks.core.commands import brought_by
from graphrag_tasks.retrieval.context.cells import folding_table, paragraph
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
    import networkx as nx
    import pandas as pd

    from graphrag_tasks.retrieval.context.context import Context

_CHUNK_HEADER = ("#", "text", "source", "lists", "score")
_RELATION_HEADER = ("#", "relation", "sentence", "source", "score", "confidence")
_ENTITY_HEADER = ("entity", "type", "found by", "score", "sentence", "source")

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
    table = pd.DataFrame(rows, columns=list(FRAME_COLUMNS))
    return table.astype({"rank": "int64", "citation": "Int64", "page": "Int64", "score": "float64"})


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
    lines += [f"- {hit.line()}" for found in context.further.values() for hit in found]
    lines += [f"- {hit.text} ({relation_place(hit)})" for hit in context.relations]
    return "\n".join(lines)


def as_html(context: Context) -> str:
    """Return the items as compact HTML tables in the notebook's own colours."""
    title = f"{context.question} (mode {context.mode}, snapshot {context.snapshot_id[:12]})"
    parts = [paragraph(title, "b")]
    parts += [paragraph(note, "i") for note in context.notes]
    parts += [
        folding_table(kind.heading.partition(",")[0], kind.header, [hit.cells() for hit in found])
        for name, kind in FURTHER.items()
        if (found := context.further.get(name))
    ]
    chunks = [(str(hit.rank), hit.text, chunk_place(hit), _lists(hit), f"{hit.score:.2f}") for hit in context.chunks]
    parts += [
        folding_table("Chunks", _CHUNK_HEADER, chunks),
        folding_table("Relations", _RELATION_HEADER, map(_relation_cells, context.relations)),
        folding_table("Seed entities", _ENTITY_HEADER, map(_entity_cells, context.entities)),
    ]
    return "".join(parts)


def _relation_cells(hit: RelationHit) -> tuple[str, ...]:
    sentence = hit.evidence[0].text if hit.evidence else ""
    numbers = (f"{hit.score:.3f}", f"{hit.confidence:.2f}")
    return str(hit.rank), hit.text, sentence, relation_place(hit), *numbers


def _entity_cells(hit: EntityHit) -> tuple[str, ...]:
    found = hit.example
    source = (found.text, place(found.title, found.page)) if found else ("", "")
    return hit.name, hit.type or "", hit.found_by, f"{hit.score:.3f}", *source


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

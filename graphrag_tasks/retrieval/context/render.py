"""Render a context as text, data frame, HTML, graph, and picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphrag_tasks.core.extras import brought_by
from graphrag_tasks.retrieval.context.cells import escape, folding_table, paragraph
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

    from graphrag_tasks.graph.drawing import Picture
    from graphrag_tasks.retrieval.context.context import Context

_CHUNK_HEADER = ("#", "text", "source", "lists", "score")
_RELATION_HEADER = ("#", "relation", "sentence", "source", "score", "confidence")
_ENTITY_HEADER = ("entity", "type", "found by", "score", "sentence", "source")

FRAME_COLUMNS = (
    "kind", "rank", "citation", "id", "text", "score", "title", "uri", "page", "found_by",
    "sentence",
)  # fmt: skip

_WIDTH, _HEIGHT, _MARGIN = 640, 360, 60  # Pixels; the picture fits the output of a notebook cell.
_MOST_NODES, _LONGEST_LABEL = 24, 24
"""Nodes, and characters of a label, in a picture without a script; more would overlap. Chosen."""
_MOST_DRAWN = 40  # Entities of a picture.
_TEXT_CHARACTERS = 100  # Of a chunk's text in a drawn graph, about one line; chosen.


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


def as_picture(context: Context) -> Picture:
    """Return the picture of `Context.picture`."""
    import pyarrow as pa

    from graphrag_tasks.graph.drawing import ENTITIES, RELATIONS, Picture, Selection

    relations = list(_relations(context))
    ends = [name for relation in relations for name in (relation.head, relation.tail)]
    names = list(dict.fromkeys(ends))
    drawn = set(names[:_MOST_DRAWN])
    seeds = {hit.name for hit in (*context.entities, *context.listed)}
    entities = [
        {"entity_id": name, "name": name, "type": "seed" if name in seeds else "found"} for name in sorted(drawn)
    ]
    rows = [
        {"relation_id": relation.relation_id, "head_id": relation.head, "tail_id": relation.tail,
         "relation": relation.relation, "phrase": relation.phrase, "kind": relation.kind,
         "negated": relation.negated, "support": relation.weight,
         "confidence": relation.confidence, "weight": relation.weight}
        for relation in relations
        if relation.head in drawn and relation.tail in drawn
    ]  # fmt: skip
    return Picture.of(
        Selection(
            context.question,
            pa.Table.from_pylist(entities, ENTITIES),
            pa.Table.from_pylist(rows, RELATIONS),
            omitted=len(names) - len(drawn),
        )
    )


def as_svg(graph: nx.MultiDiGraph) -> str:
    """Return the first entities of a context's graph with their relations as an SVG element.

    Empty without relations. The layout is deterministic.
    """
    with brought_by("notebook"):
        import networkx as nx

    relations = [(a, b, data) for a, b, data in graph.edges(data=True) if data["kind"] == "relation"]
    names = list(dict.fromkeys(name for a, b, _ in relations for name in (a, b)))[:_MOST_NODES]
    shown = [relation for relation in relations if relation[0] in names and relation[1] in names]
    if not shown:
        return ""
    drawn = nx.Graph((a, b) for a, b, _ in shown)
    places = {
        name: (_scaled(x, _WIDTH), _scaled(y, _HEIGHT)) for name, (x, y) in nx.spring_layout(drawn, seed=0).items()
    }
    parts = [_edge(places[a], places[b], data) for a, b, data in shown]
    parts += [_node(places[name], name) for name in names if name in places]
    size = f'width="{_WIDTH}" height="{_HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>'


def _scaled(place: float, length: int) -> float:
    return round(_MARGIN + (place + 1) / 2 * (length - 2 * _MARGIN), 1)


def _edge(start: tuple[float, float], end: tuple[float, float], data: Mapping[str, Any]) -> str:
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    return (
        f'<line x1="{start[0]}" y1="{start[1]}" x2="{end[0]}" y2="{end[1]}" stroke="#999"/>'
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="9" fill="#777" text-anchor="middle">'
        f"{escape(_short(data['phrase']))}</text>"
    )


def _node(place: tuple[float, float], name: str) -> str:
    x, y = place
    return (
        f'<circle cx="{x}" cy="{y}" r="4" fill="#37c"><title>{escape(name)}</title></circle>'
        f'<text x="{x}" y="{y - 7:.1f}" font-size="11" fill="currentColor" text-anchor="middle">'
        f"{escape(_short(name))}</text>"
    )


def _begin(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _TEXT_CHARACTERS else f"{line[:_TEXT_CHARACTERS]}…"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1]}…"

"""A context as a graph, and that graph as a small picture for a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import networkx as nx

    from graphrag_tasks.retrieval.context.context import Context

_WIDTH, _HEIGHT, _MARGIN = 640, 360, 60
_MOST_NODES = 24
_LONGEST_LABEL = 24


def as_networkx(context: Context) -> nx.MultiDiGraph:
    """Return the graph of `Context.to_networkx`."""
    import networkx as nx

    graph = nx.MultiDiGraph()
    chunks = {hit.chunk_id: hit for hit in context.chunks}
    for hit in context.chunks:
        graph.add_node(hit.chunk_id, kind="chunk", label=hit.title)
    for entity in (*context.entities, *context.listed):
        graph.add_node(entity.name, kind="entity", label=entity.name)
    steps = [step for path in context.paths for step in path.relations]
    for relation in {one.relation_id: one for one in (*context.relations, *steps)}.values():
        for name in (relation.head, relation.tail):
            graph.add_node(name, kind="entity", label=name)
        graph.add_edge(
            relation.head, relation.tail, key=relation.relation_id,
            kind="relation", relation=relation.relation, negated=relation.negated,
            score=relation.score,
        )  # fmt: skip
        for sentence in relation.evidence:
            if sentence.chunk_id in chunks:
                for name in (relation.head, relation.tail):
                    graph.add_edge(name, sentence.chunk_id, key=sentence.chunk_id, kind="evidence")
    return graph


def as_svg(graph: nx.MultiDiGraph) -> str:
    """Return the first entities of a context's graph with their relations as an SVG element.

    The text is empty if there is no relation. The layout is the same on each call.
    """
    import networkx as nx

    relations = [
        (a, b, data) for a, b, data in graph.edges(data=True) if data["kind"] == "relation"
    ]
    names = list(dict.fromkeys(name for a, b, _ in relations for name in (a, b)))[:_MOST_NODES]
    shown = [one for one in relations if one[0] in names and one[1] in names]
    if not shown:
        return ""
    drawn = nx.Graph((a, b) for a, b, _ in shown)
    places = {
        name: (_scaled(x, _WIDTH), _scaled(y, _HEIGHT))
        for name, (x, y) in nx.spring_layout(drawn, seed=0).items()
    }
    parts = [_edge(places[a], places[b], data) for a, b, data in shown]
    parts += [_node(places[name], name) for name in names if name in places]
    size = f'width="{_WIDTH}" height="{_HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>'


def _scaled(place: float, length: int) -> float:
    return round(_MARGIN + (place + 1) / 2 * (length - 2 * _MARGIN), 1)


def _edge(start: tuple[float, float], end: tuple[float, float], data: Mapping[str, Any]) -> str:
    relation = f"not {data['relation']}" if data["negated"] else str(data["relation"])
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    return (
        f'<line x1="{start[0]}" y1="{start[1]}" x2="{end[0]}" y2="{end[1]}" stroke="#999"/>'
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="9" fill="#777" text-anchor="middle">'
        f"{escape(_short(relation))}</text>"
    )


def _node(place: tuple[float, float], name: str) -> str:
    x, y = place
    return (
        f'<circle cx="{x}" cy="{y}" r="4" fill="#37c"><title>{escape(name)}</title></circle>'
        f'<text x="{x}" y="{y - 7:.1f}" font-size="11" fill="currentColor" text-anchor="middle">'
        f"{escape(_short(name))}</text>"
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1]}…"

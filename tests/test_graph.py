"""The graph: rows point at each other, igraph sees the same, and nothing is a special case."""

import pyarrow as pa
import pytest

from graphrag_tasks import schemas
from graphrag_tasks.config import LoadConfig
from graphrag_tasks.graph import to_igraph
from graphrag_tasks.load import load


def entity(name: str) -> dict[str, object]:
    return {"entity_id": name, "key": name, "name": name, "type": None, "mentions": 1, "chunks": 1}


def chunk(name: str, following: str | None) -> dict[str, object]:
    return {
        "chunk_id": name, "document_id": "d", "ordinal": 0, "heading_path": [], "text": "t",
        "char_start": 0, "char_end": 1, "page_start": None, "page_end": None,
        "previous_id": None, "next_id": following,
    }  # fmt: skip


def relation(head: str, tail: str) -> dict[str, object]:
    return {
        "relation_id": head + tail, "head_id": head, "relation": "see", "tail_id": tail,
        "text": "t", "negated": False, "weight": 2.0, "confidence": 0.5,
    }  # fmt: skip


def mention(entity_id: str, chunk_id: str, start: int) -> dict[str, object]:
    return {
        "entity_id": entity_id, "sentence_id": "s", "chunk_id": chunk_id, "document_id": "d",
        "start": start, "end": start + 1,
    }  # fmt: skip


def link(chunk_id: str, target: str | None) -> dict[str, object]:
    return {
        "chunk_id": chunk_id, "document_id": "d", "anchor": "t", "char_start": 0, "char_end": 1,
        "href": "h", "kind": "internal", "target": "u", "fragment": None,
        "target_document_id": target,
    }  # fmt: skip


def tables() -> dict[str, pa.Table]:
    rows = {
        "chunks": [
            chunk("c1", "c2"),
            chunk("c2", None) | {"ordinal": 1},
            chunk("c3", None) | {"document_id": "d3"},
        ],
        "entities": [entity("a"), entity("b"), entity("lonely")],
        "relations": [relation("a", "b")],
        "links": [link("c2", "d3"), link("c2", "d3"), link("c1", "gone"), link("c1", None)],
        "anchors": [],
        "mentions": [mention("a", "c1", 0), mention("a", "c1", 5), mention("b", "c2", 0)],
    }
    return {
        name: pa.Table.from_pylist(list(values), schema=schemas.SCHEMAS[name])
        for name, values in rows.items()
    }


def test_edges_join_the_right_nodes() -> None:
    result = load(**tables(), config=LoadConfig())
    ids = result.tables["nodes"]["id"].to_pylist()
    edges = [
        (ids[row["source"]], row["kind"], ids[row["target"]], row["weight"], row["row"])
        for row in result.tables["edges"].to_pylist()
    ]
    assert edges == [
        ("a", "relation", "b", 2.0, 0),
        ("a", "mention", "c1", 2.0, None),
        ("b", "mention", "c2", 1.0, None),
        ("c1", "next", "c2", 1.0, None),
        ("c2", "link", "c3", 2.0, None),
    ]


def test_statistics_are_those_the_paper_reports() -> None:
    stats = load(**tables(), config=LoadConfig()).stats
    assert stats == {
        "nodes": 3, "entity_relations": 1, "entity_chunk_relations": 2, "chunk_links": 1,
        "mean_degree": pytest.approx(0.6667), "highest_degree": 1,
        "components": 2, "largest_component": 2,
    }  # fmt: skip


def test_igraph_has_the_nodes_and_edges_with_their_names() -> None:
    result = load(**tables(), config=LoadConfig())
    graph = to_igraph(result.tables["nodes"], result.tables["edges"])
    assert (graph.vcount(), graph.ecount()) == (6, 5)
    assert graph.vs[graph.successors(graph.vs.find(id="c1").index)[0]]["id"] == "c2"


def test_an_empty_graph_is_valid() -> None:
    empty = {name: table.slice(0, 0) for name, table in tables().items()}
    result = load(**empty, config=LoadConfig())
    assert result.tables["edges"].num_rows == 0
    assert result.stats["components"] == 0
    assert to_igraph(result.tables["nodes"], result.tables["edges"]).vcount() == 0

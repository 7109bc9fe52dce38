"""The graph: rows point at each other, igraph sees the same, and nothing is a special case."""

import pyarrow as pa
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.graph.load import load


def entity(name: str) -> dict[str, object]:
    return {"entity_id": name, "key": name, "name": name, "type": None, "mentions": 1, "chunks": 1,
            "is_term": False, "is_named": True}  # fmt: skip


def chunk(name: str, following: str | None) -> dict[str, object]:
    return {
        "chunk_id": name, "document_id": "d", "ordinal": 0, "heading_path": [], "text": "t",
        "char_start": 0, "char_end": 1, "page_start": None, "page_end": None, "is_reference": False,
        "previous_id": None, "next_id": following,
    }  # fmt: skip


def relation(head: str, tail: str) -> dict[str, object]:
    return {
        "relation_id": head + tail, "head_id": head, "relation": "see", "tail_id": tail,
        "text": "t", "phrase": "sees", "kind": "fact", "negated": False,
        "weight": 2.0, "confidence": 0.5,
    }  # fmt: skip


def mention(entity_id: str, chunk_id: str, start: int) -> dict[str, object]:
    return {
        "entity_id": entity_id, "sentence_id": "s", "chunk_id": chunk_id, "document_id": "d",
        "start": start, "end": start + 1, "alias": "t", "type": None, "source": "extracted",
    }  # fmt: skip


def sentence() -> dict[str, object]:
    return {
        "sentence_id": "s", "chunk_id": "c1", "document_id": "d", "text": "the tables", "char_start": 0, "char_end": 10,
    }  # fmt: skip


def evidence(confidence: float) -> dict[str, object]:
    return dict.fromkeys(schemas.EVIDENCE.names) | {
        "relation_id": "ab", "sentence_id": "s", "chunk_id": "c1", "document_id": "d", "confidence": confidence,
    }  # fmt: skip


def title(entity_id: str, chunk_id: str) -> dict[str, object]:
    return {"entity_id": entity_id, "chunk_id": chunk_id, "document_id": "d", "alias": "t", "source": "title"}


def tables() -> dict[str, pa.Table]:
    rows: dict[str, list[dict[str, object]]] = {
        "documents": [],
        "chunks": [chunk("c1", "c2"), chunk("c2", None) | {"ordinal": 1}, chunk("c3", None) | {"document_id": "d3"}],
        "entities": [entity("a"), entity("b"), entity("lonely")],
        "relations": [relation("a", "b")],
        "aliases": [{"entity_id": "a", "alias": "t", "mentions": 2}],
        "sentences": [sentence()],
        "evidence": [evidence(confidence) for confidence in (0.4, 0.9)],
        "mentions": [mention("a", "c1", 0), mention("a", "c1", 5), mention("b", "c2", 0)],
        "titles": [title("b", "c2")],
    }
    return {name: pa.Table.from_pylist(list(values), schema=schemas.SCHEMAS[name]) for name, values in rows.items()}


def test_edges_join_the_right_nodes() -> None:
    result = load(**tables())
    ids = result.tables["nodes"]["id"].to_pylist()
    edges = [
        (ids[row["source"]], row["kind"], ids[row["target"]], row["support"], row["row"])
        for row in result.tables["edges"].to_pylist()
    ]
    assert edges == [
        ("a", "relation", "b", 2.0, 0),
        ("a", "mention", "c1", 2.0, None),
        ("b", "mention", "c2", 1.0, None),
        ("b", "title", "c2", 1.0, None),
        ("c1", "next", "c2", 1.0, None),
    ]


def test_evidence_and_first_mentions_are_rows_of_the_published_tables() -> None:
    made = load(**tables()).tables
    evidence = [tuple(row.values()) for row in made["evidence_rows"].to_pylist()]
    no_time = (None, None, None)
    assert evidence == [(0, 0, 0, pytest.approx(0.9), *no_time), (0, 0, 0, pytest.approx(0.4), *no_time)]
    assert made["entity_rows"]["sentence"].to_pylist() == [0, 0, -1]


def test_statistics_are_those_the_paper_reports_and_those_that_show_a_bad_graph() -> None:
    stats = load(**tables()).stats
    assert stats == {
        "vectors_inserted": 0,
        "nodes": 3, "entity_relations": 1, "associations": 0, "entity_chunk_relations": 2,
        "title_links": 1,
        "mean_degree": pytest.approx(0.6667), "highest_degree": 1,
        "components": 2, "largest_component": 2, "largest_component_share": 0.6667,
        "orphans": 1, "orphan_share": 0.3333, "singletons": 1, "singleton_share": 0.3333,
        "density": pytest.approx(1 / 3),
    }  # fmt: skip


def test_words_above_a_chunk_are_searched_with_it_and_by_themselves() -> None:
    world = tables()
    rows = [row | {"heading_path": ["Setup"]} for row in world["chunks"].to_pylist()]
    rows[1]["text"] = "Setup\n\nof the gateway"
    titled = {"document_id": "d3", "uri": "u", "source": "s", "path": "p", "media_type": "md",
              "size_bytes": 1, "content_sha256": "0", "title": "Handbook",
              "title_source": "heading", "cells": 0, "pages_in": 1, "pages_out": 1,
              "characters": 1, "status": "parsed"}  # fmt: skip
    world["chunks"] = pa.Table.from_pylist(rows, schema=schemas.CHUNKS)
    world["documents"] = pa.Table.from_pylist([titled], schema=schemas.DOCUMENTS)
    made = load(**world).tables
    found = {name: made[name].to_pylist() for name in made if name.endswith("_terms")}
    assert [row["term"] for row in found["text_terms"]] == ["gateway", "handbook", "setup", "t"]
    assert [row["term"] for row in found["heading_terms"]] == ["handbook", "setup"]
    assert [row["end"] for row in found["heading_terms"]] == [1, 4]
    held = [row["row"] for row in made["heading_postings"].to_pylist()]
    assert (held[0], sorted(held[1:])) == (2, [0, 1, 2])

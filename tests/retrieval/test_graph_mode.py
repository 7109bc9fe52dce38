"""Mode `graph` against a dense, literal calculation, and what it finds that words do not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.retrieval.graph.pinned import Graph
from tests.retrieval.small_worlds import FakeEmbedder, World, publish

CHAIN = World(
    documents=(("d1", "Blue River"), ("d2", "Anna Holm"), ("d3", "Oslo Film Prize"), ("d4", "Mud")),
    chunks=(
        ("c1", "d1", "Blue River is a film that Anna Holm directed."),
        ("c2", "d2", "Anna Holm won the Oslo Film Prize."),
        ("c3", "d3", "Oslo Film Prize is given every second year."),
        ("c4", "d4", "Mud is wet earth. A director of a river may win nothing."),
    ),
    sentences=(
        ("s1", "c1", "Blue River is a film that Anna Holm directed."),
        ("s2", "c2", "Anna Holm won the Oslo Film Prize."),
        ("s3", "c3", "Oslo Film Prize is given every second year."),
    ),
    entities=(
        ("e1", "Blue River", ("Blue River",)),
        ("e2", "Anna Holm", ("Anna Holm", "Holm")),
        ("e3", "Oslo Film Prize", ()),
        ("e4", "Mud", ()),
    ),
    relations=(("r1", "e2", "Anna Holm direct Blue River", "e1"),),
    evidence=(("r1", "s1", 0.5),),
    mentions=(("e1", "s1"), ("e2", "s1"), ("e2", "s2"), ("e3", "s2"), ("e3", "s3")),
    titles=(("e1", "d1"), ("e2", "d2"), ("e3", "d3"), ("e4", "d4")),
)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    publish(tmp_path, CHAIN)
    return open_index(tmp_path, embedder=FakeEmbedder())


def test_a_common_word_is_no_mention_of_the_title_that_it_spells(tmp_path: Path) -> None:
    world = World(
        documents=(("d1", "Song"), ("d2", "Hit")),
        chunks=(("c1", "d1", "A Song is sung."), ("c2", "d2", "Hit is a song.")),
        sentences=(("s1", "c1", "A Song is sung."), ("s2", "c2", "Hit is a song.")),
        entities=(("e1", "Song", ("Song", "song")),),
        mentions=(("e1", "s1"), ("e1", "s2")),
        titles=(("e1", "d1"),),
    )
    names = Graph(publish(tmp_path, world).open()).name_graph
    assert [names.names_of(chunk).tolist() for chunk in (0, 1)] == [[0], []]
    assert [part.tolist() for part in names.holders(0)] == [[0], [True]]


def test_the_far_end_of_a_chain_of_names_comes_before_what_shares_words(index: Index) -> None:
    context = index.search("What did the director of Blue River win?", "graph", k=4)
    assert [hit.chunk_id for hit in context.chunks][:2] == ["c1", "c2"]
    assert [(one.name, one.found_by) for one in context.entities] == [("Blue River", "name 'Blue River'")]
    assert [one.text for one in context.relations] == ["Anna Holm directs Blue River"]
    assert set(context.chunks[0].ranks) == {"dense", "bm25", "graph"}


def test_the_far_end_is_found_among_more_chunks_than_are_walked_over(tmp_path: Path) -> None:
    more = tuple((f"x{number:04}", "d4", f"Wet earth of kind {number}.") for number in range(5_000))
    held = tuple((f"t{chunk}", chunk, text) for chunk, _, text in more)
    named = tuple(("e4", sentence) for sentence, *_ in held)
    world = replace(
        CHAIN, chunks=CHAIN.chunks + more, sentences=CHAIN.sentences + held, mentions=CHAIN.mentions + named
    )
    publish(tmp_path, world)
    context = open_index(tmp_path, embedder=FakeEmbedder()).search("What of Blue River?", "graph", k=4)
    assert {hit.chunk_id: hit.ranks["graph"] for hit in context.chunks} == {"c1": 1, "c2": 2, "c3": 3, "c4": 4}


def test_nothing_named_starts_at_the_best_chunks_and_says_so(index: Index) -> None:
    context = index.search("what is wet earth?", "graph", k=4)
    assert len(context.chunks) == 4
    assert "recognised no name" in context.notes[0]


def test_empty_snapshot_says_why(tmp_path: Path) -> None:
    publish(tmp_path, World(entities=(("e1", "x", ()),)))
    context = open_index(tmp_path, embedder=FakeEmbedder()).search("x", "graph")
    assert context.chunks == ()
    assert "no chunks" in context.notes[0]

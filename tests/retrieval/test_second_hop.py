"""The second hop: what the first pass leaves open is asked of the names that it leads to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from graphrag_tasks.retrieval import open_index
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query
from graphrag_tasks.retrieval.ranker import features
from graphrag_tasks.retrieval.ranker.walk import SecondHop, second_hop, walk
from tests.retrieval.small_worlds import FakeEmbedder, World, publish

TEXTS = (
    "Winter Song is a film that Otto Berg made.",
    "Otto Berg grew up beside the harbour of Kiel.",
    "Anna Holm grew up beside the lake.",
    "Summer Song is a film that Anna Holm made.",
    "Otto Berg likes tea.",
    "Tea is a drink.",
)
NAMES = ("Winter Song", "Otto Berg", "Anna Holm", "Summer Song")
MENTIONS = (("e0", "s0"), ("e1", "s0"), ("e1", "s1"), ("e2", "s2"), ("e2", "s3"), ("e3", "s3"), ("e1", "s4"))
FILMS = World(
    documents=tuple((f"d{place}", f"Page {place}") for place in range(len(TEXTS))),
    chunks=tuple((f"c{place}", f"d{place}", text) for place, text in enumerate(TEXTS)),
    sentences=tuple((f"s{place}", f"c{place}", text) for place, text in enumerate(TEXTS)),
    entities=tuple((f"e{place}", name, ()) for place, name in enumerate(NAMES)),
    mentions=MENTIONS,
    titles=(("e0", "d0"), ("e3", "d3")),
)


def films(root: Path, world: World = FILMS) -> Graph:
    """Return the films of a new store in a folder."""
    return Graph(publish(root, world).open())


def hop_of(root: Path, question: str, first: int, world: World = FILMS, encoded: list[str] | None = None) -> SecondHop:
    """Return the second hop of a question, as if one chunk came first and two others next.

    What is encoded is added to `encoded`.
    """
    graph = films(root, world)

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        if encoded is not None:
            encoded.extend(texts)
        return FakeEmbedder().encode(texts)

    query = Query(question, 3, encode, lambda _: [])
    walked = walk(graph, query)
    scores = np.zeros(len(TEXTS), np.float32)
    scores[[first, 4, 5]] = 3, 2, 1
    return second_hop(graph, query, walked, scores)


def test_what_is_left_open_is_asked_of_the_names_found(tmp_path: Path) -> None:
    question = "At which harbour was the author of Winter Song a child?"
    again = hop_of(tmp_path, question, first=0)
    assert int(again.scores.argmax()) == 1
    assert not again.scores[[2, 3]].any()  # they hold no name that leads on
    assert (again.scores >= 0).all()
    assert again.read.tolist() == [0, 4, 5]


def test_a_hit_says_its_place_in_the_second_hop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path, FILMS)
    scores = np.array([0, 0.5, 0, 1, 0, 0], np.float32)
    monkeypatch.setattr(features, "second_hop", lambda *given: replace(second_hop(*given), scores=scores))
    index = open_index(tmp_path, embedder=FakeEmbedder())
    context = index.search("At which harbour was the author of Winter Song a child?", "ranked", 6)
    places = {hit.chunk_id: hit.ranks["second_hop"] for hit in context.chunks if "second_hop" in hit.ranks}
    assert places == {"c3": 1, "c1": 2}

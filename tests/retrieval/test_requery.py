"""The second hop: what the first pass leaves open is asked of the names that it leads to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_worlds import FakeEmbedder, World, publish

from graphrag_tasks.config import RetrievalConfig
from graphrag_tasks.retrieval import learned, open_index
from graphrag_tasks.retrieval.features import FEATURES
from graphrag_tasks.retrieval.graph import Graph
from graphrag_tasks.retrieval.learned import blended
from graphrag_tasks.retrieval.ranking import Query
from graphrag_tasks.retrieval.requery import requery
from graphrag_tasks.retrieval.walk import Walked, walk

TEXTS = (
    "Winter Song is a film that Otto Berg made.",
    "Otto Berg grew up beside the harbour of Kiel.",
    "Anna Holm grew up beside the lake.",
    "Summer Song is a film that Anna Holm made.",
    "Otto Berg likes tea.",
    "Tea is a drink.",
)
NAMES = ("Winter Song", "Otto Berg", "Anna Holm", "Summer Song")
MENTIONS = (("e0", "s0"), ("e1", "s0"), ("e1", "s1"), ("e2", "s2"), ("e2", "s3"), ("e3", "s3"),
            ("e1", "s4"))  # fmt: skip
FILMS = World(
    documents=tuple((f"d{place}", f"Page {place}") for place in range(len(TEXTS))),
    chunks=tuple((f"c{place}", f"d{place}", text) for place, text in enumerate(TEXTS)),
    sentences=tuple((f"s{place}", f"c{place}", text) for place, text in enumerate(TEXTS)),
    entities=tuple((f"e{place}", name, ()) for place, name in enumerate(NAMES)),
    mentions=MENTIONS,
    titles=(("e0", "d0"), ("e3", "d3")),
)


def walked_first(root: Path, question: str, first: int) -> tuple[Graph, Walked]:
    """Return the lists of a question, as if a walk had put a chunk first and two others next."""
    graph = Graph(publish(root, FILMS).open())
    vector = np.array(FakeEmbedder.vector(question), np.float32)
    walked = walk(graph, Query(question, 3, lambda _: vector, lambda _: []), RetrievalConfig())
    scores = np.zeros(len(TEXTS), np.float32)
    scores[[first, 4, 5]] = 3, 2, 1
    return graph, replace(walked, scores=scores)


def test_what_is_left_open_is_asked_of_the_names_found(tmp_path: Path) -> None:
    question = "At which harbour was the author of Winter Song a child?"
    again = requery(*walked_first(tmp_path, question, first=0))
    assert int(again.argmax()) == 1
    assert not again[[2, 3]].any()  # they hold no name that leads on
    assert (again >= 0).all()


def test_nothing_is_asked_again_where_nothing_is_left_open(tmp_path: Path) -> None:
    again = requery(*walked_first(tmp_path, "Winter Song film", first=0))
    assert not again.any()


def test_names_of_the_question_do_not_lead_on(tmp_path: Path) -> None:
    question = "harbour, Winter Song, Otto Berg and Anna Holm"
    again = requery(*walked_first(tmp_path, question, first=0))
    assert not again.any()


@pytest.mark.parametrize("question", ["of the", "zebra", "?"])
def test_no_known_word_no_second_hop(tmp_path: Path, question: str) -> None:
    assert not requery(*walked_first(tmp_path, question, first=0)).any()


def test_a_hit_says_its_place_in_the_second_hop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path, FILMS)
    again = np.array([0, 0.5, 0, 1, 0, 0], np.float32)
    monkeypatch.setattr(learned, "requery", lambda graph, walked: again)
    index = open_index(tmp_path, embedder=FakeEmbedder())
    context = index.search("At which harbour was the author of Winter Song a child?", "ranked", 6)
    places = {
        hit.chunk_id: hit.ranks["requery"] for hit in context.chunks if "requery" in hit.ranks
    }
    assert places == {"c3": 1, "c1": 2}


def test_what_came_first_stays_first() -> None:
    columns = np.zeros((3, len(FEATURES)), np.float32)
    learned_scores = np.array([3, 1, 2], np.float32)
    scores = blended(learned_scores, columns, np.array([0, 100, 0], np.float32))
    assert np.argsort(-scores).tolist() == [0, 1, 2]
    assert blended(learned_scores[:0], columns[:0], learned_scores[:0]).tolist() == []

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
from graphrag_tasks.retrieval.ranker.features import FEATURES
from graphrag_tasks.retrieval.ranker.learned import blended
from graphrag_tasks.retrieval.ranker.second_hop import SecondHop, second_hop
from graphrag_tasks.retrieval.ranker.walk import walk
from tests.retrieval.small_worlds import DIMENSION, FakeEmbedder, World, publish

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


def films(root: Path, world: World = FILMS) -> Graph:
    """Return the films of a new store in a folder."""
    return Graph(publish(root, world).open())


def hop_of(
    root: Path, question: str, first: int, world: World = FILMS, encoded: list[str] | None = None
) -> SecondHop:
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


def test_chunks_are_known_by_what_they_have_of_the_rest(tmp_path: Path) -> None:
    graph, question = films(tmp_path), "At which harbour was the author of Winter Song a child?"
    again = hop_of(tmp_path, question, first=0)
    rarities = graph.lexicon.rarities(graph.lexicon.asked(question))
    share = rarities["harbour"] / sum(rarities.values())
    assert again.left == pytest.approx(share)
    assert again.open.tolist() == pytest.approx([0, share, 0, 0, 0, 0])
    berg = float(graph.name_graph.rarity[graph.name_graph.keys["otto berg"]])
    assert again.bridge.tolist() == pytest.approx([berg, berg, 0, 0, berg, 0])
    assert not again.bridge_title.any()  # no page is about him


def test_a_page_about_a_name_is_told_from_one_that_mentions_it(tmp_path: Path) -> None:
    question = "At which harbour was the author of Winter Song a child?"
    his_page = replace(FILMS, titles=(*FILMS.titles, ("e1", "d1")))
    again = hop_of(tmp_path, question, first=0, world=his_page)
    assert np.flatnonzero(again.bridge).tolist() == [0, 1, 4]
    assert again.bridge_title.tolist() == [0, again.bridge[1], 0, 0, 0, 0]


def test_nothing_is_asked_again_where_nothing_is_left_open(tmp_path: Path) -> None:
    again = hop_of(tmp_path, "Winter Song film", first=0)
    assert (again.left, again.scores.any(), again.open.any()) == (0, False, False)


def test_names_of_the_question_do_not_lead_on(tmp_path: Path) -> None:
    question = "harbour, Winter Song, Otto Berg and Anna Holm"
    again = hop_of(tmp_path, question, first=0)
    assert not again.scores.any()
    assert not again.bridge.any()


@pytest.mark.parametrize("question", ["of the", "zebra", "?"])
def test_no_known_word_no_second_hop(tmp_path: Path, question: str) -> None:
    again = hop_of(tmp_path, question, first=0)
    assert (again.left, again.scores.any()) == (0, False)


def test_what_is_left_is_encoded_with_each_name_found(tmp_path: Path) -> None:
    question, encoded = "At which harbour was the author of Winter Song a child?", []
    again = hop_of(tmp_path, question, first=0, encoded=encoded)
    assert encoded == [question, "At which harbour was the author of a child Otto Berg?"]
    assert again.vectors.tolist() == [FakeEmbedder.vector(encoded[1])]


def test_where_documents_are_long_nothing_is_encoded_again(tmp_path: Path) -> None:
    one_book = replace(
        FILMS,
        documents=FILMS.documents[:1],
        chunks=tuple((chunk, "d0", text) for chunk, _, text in FILMS.chunks),
        titles=(),
    )
    question = "At which harbour was the author of Winter Song a child?"
    again = hop_of(tmp_path, question, first=0, world=one_book)
    assert again.vectors.shape == (0, DIMENSION)


def test_chunks_that_hold_a_name_or_are_about_it_have_its_cosine(tmp_path: Path) -> None:
    his_page = replace(FILMS, titles=(*FILMS.titles, ("e1", "d1")))
    graph = films(tmp_path, his_page)
    question = "At which harbour was the author of Winter Song a child?"
    query = Query(question, 3, FakeEmbedder().encode, lambda _: [])
    lists = features.make_lists(graph, query)
    rows = np.arange(len(TEXTS))
    found = features.features(graph, query, lists, rows)
    cosine, held, title = (
        found[:, FEATURES.index(name)] for name in ("hop", "hop_held", "hop_title")
    )
    others = np.setdiff1d(rows, lists.again.read)
    cosines = (graph.chunks.vectors.take(rows) @ lists.again.vectors.T).max(axis=1)
    np.testing.assert_array_equal(cosine[others], cosines[others])
    for column in (cosine, held, title):
        assert not column[lists.again.read].any()
    holds = lists.again.bridge > 0
    assert not held[~holds].any()
    assert not title[lists.again.bridge_title == 0].any()


SAME_TITLES = replace(
    FILMS, documents=tuple((one, "Page") for one, _ in FILMS.documents), titles=()
)
CIRCLE = World(
    documents=(("d0", "Otto Berg"), ("d1", "Anna Holm")),
    chunks=(("c0", "d0", "Otto Berg met Anna Holm."), ("c1", "d1", "Anna Holm met Otto Berg.")),
    sentences=(("s0", "c0", "Otto Berg met Anna Holm."), ("s1", "c1", "Anna Holm met Otto Berg.")),
    entities=(("e0", "Otto Berg", ()), ("e1", "Anna Holm", ())),
    mentions=(("e0", "s0"), ("e1", "s0"), ("e0", "s1"), ("e1", "s1")),
    titles=(("e0", "d0"), ("e1", "d1")),
)


@pytest.mark.parametrize(
    "world",
    [replace(FILMS, titles=(), untitled=True), SAME_TITLES, CIRCLE],
    ids=["no titles", "the same titles", "names that lead to each other"],
)
def test_any_titles_will_do(tmp_path: Path, world: World) -> None:
    publish(tmp_path, world)
    index = open_index(tmp_path, embedder=FakeEmbedder())
    for question in ("Who met Otto Berg?", "Where did the author of Winter Song grow up?"):
        hits = index.search(question, "ranked", 10).chunks
        assert {hit.chunk_id for hit in hits} == {chunk for chunk, _, _ in world.chunks}
        assert all(np.isfinite(hit.ranking_score) for hit in hits)


def test_a_hit_says_its_place_in_the_second_hop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path, FILMS)
    scores = np.array([0, 0.5, 0, 1, 0, 0], np.float32)
    monkeypatch.setattr(
        features, "second_hop", lambda *given: replace(second_hop(*given), scores=scores)
    )
    index = open_index(tmp_path, embedder=FakeEmbedder())
    context = index.search("At which harbour was the author of Winter Song a child?", "ranked", 6)
    places = {
        hit.chunk_id: hit.ranks["second_hop"] for hit in context.chunks if "second_hop" in hit.ranks
    }
    assert places == {"c3": 1, "c1": 2}


def test_what_came_first_stays_first() -> None:
    columns = np.zeros((3, len(FEATURES)), np.float32)
    columns[:, FEATURES.index("again")] = 0, 100, 0
    learned_scores = np.array([3, 1, 2], np.float32)
    scores = blended(learned_scores, columns, alone=1.0)
    assert np.argsort(-scores).tolist() == [0, 1, 2]
    assert blended(learned_scores[:0], columns[:0], alone=1.0).tolist() == []

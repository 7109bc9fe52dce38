"""Trees read from JSON, the features they look at, and mode `ranked`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_tasks.core.config import RetrievalConfig
from graphrag_tasks.core.forest import Forest
from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query
from graphrag_tasks.retrieval.ranker import learned
from graphrag_tasks.retrieval.ranker.features import FEATURES, candidates, features, make_lists
from graphrag_tasks.retrieval.ranker.learned import load_forest
from tests.retrieval.small_worlds import SMALL, FakeEmbedder, World, publish

numbers = st.integers(-3, 3)
trees = st.recursive(
    numbers, lambda below: st.tuples(st.integers(0, 2), numbers, below, below).map(list)
)


def literal(tree: object, row: list[float]) -> float:
    while isinstance(tree, list):
        feature, threshold, low, high = tree
        tree = low if row[feature] <= threshold else high
    assert isinstance(tree, int)
    return tree


@settings(derandomize=True)
@given(st.lists(trees, max_size=5), st.lists(st.lists(numbers, min_size=3, max_size=3), max_size=6))
def test_scores_are_the_sum_of_the_leaves(forest: list[object], rows: list[list[float]]) -> None:
    columns = np.array(rows, dtype=np.float32).reshape(-1, 3)
    scores = Forest.from_json({"features": ["a", "b", "c"], "trees": forest}).scores(columns)
    assert scores.tolist() == [sum(literal(tree, row) for tree in forest) for row in rows]


@pytest.mark.parametrize("joined", [False, True])
def test_the_models_of_the_package_know_these_features_and_no_counts_of_links(joined: bool) -> None:
    assert load_forest(joined=joined).names == FEATURES
    assert len(load_forest(joined=joined).leaves) > 10


def test_features_of_a_small_world(tmp_path: Path) -> None:
    handbook = ("e5", "Network handbook", ())
    world = replace(SMALL, entities=(*SMALL.entities, handbook), titles=(("e5", "d2"),))
    graph = Graph(publish(tmp_path, world).open())
    vector = np.array(FakeEmbedder.vector("q"), np.float32)
    query = Query(
        "Network handbook spooler", 3, lambda texts: np.stack([vector] * len(texts)), lambda _: []
    )
    lists = make_lists(graph, query, RetrievalConfig())
    rows = candidates(graph, lists)
    assert rows.tolist() == [0, 1, 2]
    columns = dict(zip(FEATURES, features(graph, query, lists, rows).T, strict=True))
    vectors = graph.chunks.vectors.take(rows)
    np.testing.assert_allclose(columns["dense"], vectors @ vector)
    assert columns["coverage"].tolist() == pytest.approx([columns["coverage"][0]] * 2 + [1.0])
    assert columns["heading_share"].tolist() == [0, 0, 1]
    assert columns["seed_title"].argmax() == 2
    statements = {"c1": "r1", "c2": "r2", "c3": "r3"}
    texts = {one: text for one, _, text, _ in SMALL.relations}
    expected = [vector @ FakeEmbedder.vector(texts[one]) for one in statements.values()]
    assert columns["statement"].tolist() == pytest.approx(np.maximum(expected, 0).tolist())
    # c1 and c2 are of one document, c3 is alone in its own
    own = lists.walked.hybrid
    assert columns["document"].tolist() == pytest.approx(
        [max(own[:2]) - own[0], max(own[:2]) - own[1], 0.0], abs=1e-6
    )
    assert columns["beside"].tolist() == pytest.approx([max(own[1], 0), max(own[0], 0), 0.0])
    assert columns["again"].tolist() == lists.again.scores[rows].tolist()
    best, others = lists.again.read[0], vectors @ vectors.T
    np.fill_diagonal(others, 0)
    np.testing.assert_allclose(columns["near_best"], others[:, best])
    np.testing.assert_allclose(columns["near_read"], others.max(axis=1))


def test_chunks_beyond_the_candidates_follow_in_the_order_of_the_walk(tmp_path: Path) -> None:
    count = 150
    publish(
        tmp_path,
        World(
            documents=(("d", "D"),),
            chunks=tuple((f"c{one:03}", "d", f"word{one} text") for one in range(count)),
        ),
    )
    index = open_index(tmp_path, embedder=FakeEmbedder())
    hits = index.search("text word3", "ranked", k=10**6).chunks
    assert len({hit.chunk_id for hit in hits}) == count
    scores = [hit.ranking_score for hit in hits]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("second_model", [None, "other"])
def test_vectors_of_two_encoders_are_ranked_by_trees_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second_model: str | None
) -> None:
    store = publish(tmp_path, SMALL)
    snapshot = store.open()
    if second_model:
        snapshot.manifest.embedding["second_model"] = second_model
    asked: list[bool] = []

    def forest(*, joined: bool) -> Forest:
        asked.append(joined)
        return load_forest(joined=joined)

    monkeypatch.setattr(learned, "load_forest", forest)
    Index(snapshot, embedder=FakeEmbedder()).search("the spooler", "ranked")
    assert set(asked) == {second_model is not None}


def test_a_model_of_other_features_gives_way_to_the_walk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path, SMALL)
    index = open_index(tmp_path, embedder=FakeEmbedder())
    other = Forest.from_json({"features": ["pagerank"], "trees": [1.0]})
    monkeypatch.setattr(learned, "load_forest", lambda *, joined: other)
    context = index.search("the spooler", "ranked")
    walked = index.search("the spooler", "graph", rerank=20)
    assert [hit.chunk_id for hit in context.chunks] == [hit.chunk_id for hit in walked.chunks]
    assert "other features" in context.notes[-1]

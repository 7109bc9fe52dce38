"""What a question asks for one after the other, and chunks chosen for each of its parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_tasks.retrieval import open_index
from graphrag_tasks.retrieval.question.sub_questions import MOST_PARTS, part_weights, question_parts
from graphrag_tasks.retrieval.ranker.features import FEATURES
from graphrag_tasks.retrieval.ranker.learned import blended, diversified
from tests.retrieval.small_worlds import SMALL, FakeEmbedder, publish


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Which table replaced VBBS?", ()),
        ("tables and views of the spooler", ()),
        (
            "Which transaction condenses call data, and what takes unused code out in the end?",
            ("Which transaction condenses call data", "and what takes unused code out in the end?"),
        ),
        (
            "Our jobs end after ten minutes. Which interface must a job class implement?",
            ("Our jobs end after ten minutes.", "Which interface must a job class implement?"),
        ),
        (
            "Our PI has two engines. On what platform do they run, and which note tells the sizes?",
            (
                "Our PI has two engines.",
                "On what platform do they run",
                "and which note tells the sizes?",
            ),
        ),
        (
            "Does the import activate everything and does SAP support my edition?",
            ("Does the import activate everything", "does SAP support my edition?"),
        ),
        ("What happens to my edits if I pull now?", ("What happens to my edits", "I pull now?")),
        ("Why, for the spooler, and how is it set?", ()),
        (
            "Wie heißt die Tabelle, welche Notiz gilt?",
            ("Wie heißt die Tabelle", "welche Notiz gilt?"),
        ),
        ("", ()),
    ],
)
def test_a_question_is_cut_where_it_asks_for_something_else(
    question: str, parts: tuple[str, ...]
) -> None:
    assert question_parts(question) == parts


def test_a_pasted_page_has_no_more_parts_than_are_asked() -> None:
    assert len(question_parts("The spooler stopped twice today. " * 40)) == MOST_PARTS


def test_each_part_has_a_place_before_the_same_is_said_again() -> None:
    scores = np.array([3.0, 2.9, 2.8, 0.0], np.float32)
    parts = np.array([[3, 3, 0, 0], [0, 0, 3, 0]], np.float32)
    assert np.argsort(-scores).tolist() == [0, 1, 2, 3]
    documents = np.arange(4)
    assert np.argsort(-diversified(scores, parts, (1, 1), documents)).tolist() == [0, 2, 1, 3]
    best_for_a_part = np.array([[0, 9, 0, 0], [0, 0, 3, 0]], np.float32)
    assert diversified(scores, best_for_a_part, (1, 1), documents).argmax() == 0
    allowed = np.array([False, True, True, True])
    covered = diversified(scores, parts, (1, 1), documents, allowed)
    assert np.argsort(-covered[1:]).tolist() == [0, 1, 2]


def test_what_a_question_is_about_counts_less_than_what_it_asks() -> None:
    asked = question_parts(
        "Our jobs end after ten minutes. Which interface must a class implement?"
    )
    assert part_weights(asked, 0.1) == (0.1, 1)
    assert part_weights(("Which table", "what note"), 0.1) == (1, 1)
    assert part_weights(("die Tabelle", "die Notiz"), 0.1) == (1, 1)
    scores = np.array([3.0, 2.9, 2.8, 0.0], np.float32)
    parts = np.array([[3, 3, 0, 0], [0, 0, 3, 0]], np.float32)
    for weights, order in (((0, 1), [0, 2, 1, 3]), ((1, 0), [0, 1, 2, 3])):
        assert np.argsort(-diversified(scores, parts, weights, np.arange(4))).tolist() == order


def test_several_parts_are_looked_for_in_several_documents() -> None:
    scores = np.array([3.0, 2.9, 2.8, 0.0], np.float32)
    nothing = np.zeros((2, 4), np.float32)
    documents = np.array([0, 0, 1, 1])
    assert np.argsort(-diversified(scores, nothing, (1, 1), documents)).tolist() == [0, 2, 1, 3]
    assert np.argsort(-diversified(scores, nothing, (0.5, 1), documents)).tolist() == [0, 1, 2, 3]


@settings(derandomize=True)
@given(
    st.lists(st.tuples(*[st.integers(-3, 3)] * 3), min_size=1, max_size=30),
    st.integers(0, 2),
)
def test_places_are_given_to_different_chunks_and_no_chunk_is_lost(
    rows: list[tuple[int, int, int]], count: int
) -> None:
    values = np.array(rows, np.float32).T
    covered = diversified(values[0], values[1 : 1 + count], (1,) * count, np.arange(len(rows)) // 2)
    assert covered.shape == values[0].shape
    assert np.isfinite(covered).all()
    if not count:
        assert covered.tolist() == values[0].tolist()
    elif len(rows) <= 20:
        assert len(set(covered.tolist())) == len(rows)


def columns(**given: list[float]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    found = np.zeros((len(next(iter(given.values()))), len(FEATURES)), np.float32)
    for name, values in given.items():
        found[:, FEATURES.index(name)] = values
    return found


def test_trees_count_where_documents_are_passages_and_words_where_they_are_manuals() -> None:
    trees = np.array([2, 1, 0], np.float32)
    words = columns(dense_z=[0.0, 1, 2], bm25_z=[0.0, 1, 2], titled=[1.0, 1, 1])
    passages = blended(trees, words, alone=1.0)
    manuals = blended(trees, words, alone=0.0)
    assert np.argsort(-passages).tolist() == [0, 1, 2]
    assert np.argsort(-manuals).tolist() == [2, 1, 0]


def test_statements_and_headings_count_beside_words() -> None:
    flat = np.zeros(3, np.float32)
    for name in ("statement", "heading_coverage"):
        assert (
            blended(flat, columns(dense_z=[0.1, 0, 0], **{name: [0.0, 1, 0]}), alone=0).argmax()
            == 1
        )


def test_a_hit_says_which_parts_it_answers(tmp_path: Path) -> None:
    publish(tmp_path, SMALL)
    index = open_index(tmp_path, embedder=FakeEmbedder())
    context = index.search("What stops the spooler, and which table holds jobs?", "ranked")
    places = [{k: v for k, v in hit.ranks.items() if "part" in k} for hit in context.chunks]
    assert {name for one in places for name in one} == {"part 1", "part 2"}
    assert sorted(one["part 2"] for one in places) == list(range(1, len(places) + 1))
    explained = str(index.explain(context.question, context.chunks[0].chunk_id))
    assert "\npart 2: and which table holds jobs?\n" in explained
    whole = index.search("What stops the spooler?", "ranked").chunks
    assert not any("part" in name for hit in whole for name in hit.ranks)

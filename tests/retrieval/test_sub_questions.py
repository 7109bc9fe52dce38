"""What a question asks for one after the other, and chunks chosen for each of its parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from graphrag_tasks.retrieval import open_index
from graphrag_tasks.retrieval.question.router import question_parts
from graphrag_tasks.retrieval.ranker.learned import diversified
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
        ("What happens to my edits if I pull now?", ("What happens to my edits", "I pull now?")),
        ("Why, for the spooler, and how is it set?", ()),
        ("Wie heißt die Tabelle, welche Notiz gilt?", ("Wie heißt die Tabelle", "welche Notiz gilt?")),
        ("", ()),
    ],
)
def test_a_question_is_cut_where_it_asks_for_something_else(question: str, parts: tuple[str, ...]) -> None:
    assert question_parts(question) == parts


def test_several_parts_are_looked_for_in_several_documents() -> None:
    scores = np.array([3.0, 2.9, 2.8, 0.0], np.float32)
    nothing = np.zeros((2, 4), np.float32)
    documents = np.array([0, 0, 1, 1])
    assert np.argsort(-diversified(scores, nothing, (1, 1), documents)).tolist() == [0, 2, 1, 3]
    assert np.argsort(-diversified(scores, nothing, (0.5, 1), documents)).tolist() == [0, 1, 2, 3]


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

"""Names that nothing labels: by their spelling, wherever they are mentioned."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from graphrag_tasks.retrieval import open_index
from graphrag_tasks.retrieval.graph.pinned import Graph
from tests.retrieval.small_worlds import FakeEmbedder, World, publish

TEXTS = ("Ellis Island is in New Jersey.", "Bo Berg saw Ellis Island.")


def world(*called: str, copies: int = 1) -> World:
    """An entity without a label, e1, called so; one text about it and copies of another."""
    chunks = (TEXTS[0], *[TEXTS[1]] * copies)
    return World(
        documents=tuple((f"d{place}", f"{place}.md") for place in range(len(chunks))),
        chunks=tuple((f"c{place}", f"d{place}", text) for place, text in enumerate(chunks)),
        sentences=tuple((f"s{place}", f"c{place}", text) for place, text in enumerate(chunks)),
        entities=(("e1", "Ellis Island", called), ("e2", "Bo Berg", ())),
        mentions=tuple(
            (one, f"s{place}") for place, text in enumerate(chunks)
            for one, name in (("e1", "Ellis Island"), ("e2", "Bo Berg")) if name in text
        ),
        unlabelled=frozenset({"e1"}),
        untitled=True,
    )  # fmt: skip


def names_in(folder: Path, content: World) -> list[str]:
    names = Graph(publish(folder, content).open()).name_graph
    return [names.name(place) for place in range(len(names.entities))]


@pytest.mark.parametrize(
    "called", ["Ellis Island", "Isle of the Dead", "WILM", "iPhone", "East 23rd Street", "The Nets"]
)
def test_what_is_written_as_a_name_is_one_without_a_label(tmp_path: Path, called: str) -> None:
    assert names_in(tmp_path, world(called)) == ["Ellis Island", "Bo Berg"]


@pytest.mark.parametrize("called", ["brand", "the Nets", "Free hand", "1920", "of the", "東京"])
def test_one_spelling_as_a_common_word_is_enough_to_be_none(tmp_path: Path, called: str) -> None:
    assert names_in(tmp_path, world("Ellis Island", called)) == ["Bo Berg"]


def test_documents_that_have_a_title_are_not_searched(tmp_path: Path) -> None:
    titled = replace(world("Ellis Island"), untitled=False)
    assert names_in(tmp_path, titled) == ["Bo Berg"]


def test_what_many_chunks_mention_is_none_by_its_spelling(tmp_path: Path) -> None:
    assert "Ellis Island" in names_in(tmp_path / "some", world("Ellis Island", copies=19))
    assert "Ellis Island" not in names_in(tmp_path / "many", world("Ellis Island", copies=20))


def test_a_text_without_a_title_is_about_such_a_name_and_a_walk_starts_there(
    tmp_path: Path,
) -> None:
    publish(tmp_path, world("Ellis Island"))
    index = open_index(tmp_path, embedder=FakeEmbedder())
    names = Graph(index.snapshot).name_graph
    assert names.weights.toarray().tolist() == [[10.0, 0.0], [1.0, 10.0]]
    found = index.search("Who saw Ellis Island?", "graph")
    assert [one.name for one in found.entities] == ["Ellis Island"]

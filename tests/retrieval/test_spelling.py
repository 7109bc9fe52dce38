"""Names that nothing labels: by their spelling, wherever they are mentioned."""

from __future__ import annotations

from pathlib import Path

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


def test_a_text_without_a_title_is_about_such_a_name_and_a_walk_starts_there(tmp_path: Path) -> None:
    publish(tmp_path, world("Ellis Island"))
    index = open_index(tmp_path, embedder=FakeEmbedder())
    names = Graph(index.snapshot).name_graph
    assert [names.names_of(chunk).tolist() for chunk in (0, 1)] == [[0], [0, 1]]
    assert names.holders(0)[1].tolist() == [True, False]
    found = index.search("Who saw Ellis Island?", "graph")
    assert [one.name for one in found.entities] == ["Ellis Island"]

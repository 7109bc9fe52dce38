"""An index in a notebook: data frames, graphs, displays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest

from graphrag_tasks.retrieval import ALL_DOCUMENTS, Context, Index, open_index
from tests.retrieval import labelled_worlds
from tests.retrieval.labelled_worlds import Document, Fact
from tests.retrieval.small_worlds import SMALL, FakeEmbedder, World, publish

SCRIPT = "<script>alert(1)</script>"

WORLD = replace(
    SMALL,
    entities=(*SMALL.entities[:3], ("e4", f"gateway {SCRIPT}", ("gateway",))),
    relations=(
        *SMALL.relations[:2],
        ("r3", "e4", f"gateway {SCRIPT} not support spooler", "e2"),
        ("r4", "e3", "driver be in print server", "e1"),
    ),
    evidence=(*SMALL.evidence, ("r4", "s3", 0.5)),
    associations=frozenset({"r4"}),
    communities=(
        ("g1", 1, "Drivers", "Small."),
        ("g2", 0, f"Printing {SCRIPT}", "Print servers."),
        ("g3", 1, "Spoolers", "Two."),
    ),
    members=(("g1", "e3"), ("g2", "e1"), ("g2", "e2"), ("g2", "e3"), ("g3", "e1"), ("g3", "e2")),
    unlabelled=frozenset({"e3"}),
)


def opened(store: Path) -> Index:
    return open_index(store, embedder=FakeEmbedder(), noun_phrases=lambda text: [text])


@pytest.fixture
def world(tmp_path: Path) -> Index:
    publish(tmp_path, WORLD)
    return opened(tmp_path)


# --- data frames


def test_documents_have_what_became_of_them_and_what_they_hold(world: Index) -> None:
    frame = world.documents()
    assert list(frame) == [
        "title", "uri", "media_type", "language", "status", "problem", "pages", "characters",
        "chunks", "entities", "relations", "document_id",
    ]  # fmt: skip
    guide, handbook = frame.to_dict("records")
    assert guide["title"] == f"Print {SCRIPT} guide"
    assert (guide["pages"], guide["chunks"], guide["entities"], guide["relations"]) == (9, 2, 3, 3)
    assert (handbook["chunks"], handbook["entities"], handbook["relations"]) == (1, 2, 1)


def publish_labelled(root: Path, *documents: Document) -> Path:
    return labelled_worlds.publish(root, documents)


def test_relations_are_worded_and_the_surest_comes_first(world: Index) -> None:
    frame = world.relations()
    assert list(frame) == [
        "head", "phrase", "tail", "relation", "kind", "negated", "stated", "confidence",
        "documents", "relation_id", "head_id", "tail_id",
    ]  # fmt: skip
    rows = frame.set_index("relation_id")
    assert rows.loc["r3", ["head", "phrase", "tail", "negated"]].tolist() == [
        f"gateway {SCRIPT}", "not support", "spooler", True,
    ]  # fmt: skip
    assert rows.loc["r4", "kind"] == "association"
    assert rows["documents"].to_dict() == {"r1": 1, "r2": 1, "r3": 1, "r4": 1}
    assert (frame["stated"] == 1).all()
    assert frame["head"].tolist() == sorted(frame["head"])  # all else is equal
    assert world.cite(frame.loc[0, "relation_id"])


@pytest.mark.parametrize("name", ["documents", "entities", "relations", "communities", "chunks"])
def test_a_frame_is_the_same_each_time_and_empty_where_nothing_is(world: Index, tmp_path: Path, name: str) -> None:
    frame = getattr(world, name)()
    assert frame.equals(getattr(world, name)())
    publish(tmp_path / "empty", World())
    empty = getattr(opened(tmp_path / "empty"), name)()
    assert len(empty) == 0
    assert empty.dtypes.to_dict() == frame.dtypes.to_dict()


# --- graphs


def test_the_graph_has_facts_and_all_kinds_only_when_asked(world: Index) -> None:
    graph = world.to_networkx()
    assert isinstance(graph, nx.MultiDiGraph)
    assert graph.nodes["e2"] == {"name": "spooler", "type": "PRODUCT", "mentions": 1, "chunks": 3}
    assert "type" not in graph.nodes["e3"]
    assert set(graph.edges(keys=True)) == {
        ("e1", "e2", "r1"), ("e2", "e3", "r2"), ("e4", "e2", "r3"),
    }  # fmt: skip
    edge = graph.edges["e4", "e2", "r3"]
    assert (edge["relation"], edge["phrase"], edge["negated"]) == ("support", "not support", True)
    assert (edge["kind"], edge["support"], edge["confidence"]) == ("fact", 1.0, 0.5)
    assert world.to_networkx(all_kinds=True).has_edge("e3", "e1", "r4")
    assert "name" in "".join(nx.generate_graphml(graph))


# --- displays


def displays(index: Index) -> dict[str, object]:
    context = index.search("which server prints?", "paper")
    return {
        "index": index,
        "context": context,
        "entity": next(one for one in context.entities if one.entity_id == "e4"),
        "community": index.communities("printing", 1)[0],
    }


@pytest.mark.parametrize("name", ["index", "context", "entity", "community"])
def test_displays_are_escaped_and_without_scripts(world: Index, name: str) -> None:
    shown = displays(world)[name]
    show: Callable[[], str] = shown._repr_html_  # type: ignore[attr-defined]
    html = show()
    assert "<script" not in html
    assert (name == "index") or "&lt;script" in html
    assert "#fff" not in html
    assert "background" not in html
    assert str(shown)


# --- labels


def test_a_reader_gets_what_the_reader_may_see(tmp_path: Path) -> None:
    store = publish_labelled(
        tmp_path,
        Document("a", "Guide", (Fact("the Pump", "need", "the Valve"),), ("staff",)),
        Document("b", "Merger", (Fact("the Pump", "fund", "the Zephyr"),) * 2, ("board",)),
    )
    everything, seen = (
        open_index(store, principals=one, embedder=FakeEmbedder(), noun_phrases=lambda _: [])
        for one in (ALL_DOCUMENTS, ["staff"])
    )
    assert everything.entities().set_index("name").loc["Pump", "mentions"] == 3
    assert seen.entities()["name"].tolist() == ["Pump", "Valve", "Guide"]
    assert seen.entities().loc[0, ["mentions", "documents", "relations"]].tolist() == [1, 1, 1]
    assert seen.documents()["title"].tolist() == ["Guide"]
    assert seen.relations()["tail"].tolist() == ["Valve"]
    assert seen.chunks()["title"].tolist() == ["Guide"]
    assert not seen.communities()["summary"].str.contains("Zephyr").any()
    assert set(nx.get_node_attributes(seen.to_networkx(), "name").values()) == {
        "Pump", "Valve", "Guide",
    }  # fmt: skip
    assert seen.to_igraph(all_kinds=True).ecount() == 1
    assert "Zephyr" not in f"{seen._repr_html_()}{Context.__str__(seen.search('Pump'))}"

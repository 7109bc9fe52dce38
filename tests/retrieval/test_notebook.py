"""An index in a notebook: data frames, graphs, displays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest

from graphrag_tasks.core.errors import QueryError
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


def publish_labelled(root: Path, *documents: Document) -> Path:
    return labelled_worlds.publish(root, documents)


def test_a_table_has_names_beside_ids(world: Index, tmp_path: Path) -> None:
    relations = world.table("relations").set_index("relation_id")
    assert list(relations)[:5] == ["head", "head_id", "relation", "tail", "tail_id"]
    assert relations.loc["r3", ["head", "phrase", "tail"]].tolist() == [f"gateway {SCRIPT}", "not support", "spooler"]
    assert world.cite("r3")
    evidence = world.table("evidence")
    assert set(evidence["document"]) == set(evidence["chunk"]) <= set(world.table("documents")["title"])
    publish(tmp_path / "empty", World())
    assert list(opened(tmp_path / "empty").table("evidence")) == list(evidence)
    with pytest.raises(QueryError, match="Did you mean 'entities'"):
        world.table("entity")


# --- graphs


def test_the_graph_has_facts_and_all_kinds_only_when_asked(world: Index) -> None:
    graph = world.to_networkx()
    assert isinstance(graph, nx.MultiDiGraph)
    assert graph.nodes["e2"] == {"name": "spooler", "type": "PRODUCT", "mentions": 1, "chunks": 3}
    assert "type" not in graph.nodes["e3"]
    assert set(graph.edges(keys=True)) == {("e1", "e2", "r1"), ("e2", "e3", "r2"), ("e4", "e2", "r3")}
    edge = graph.edges["e4", "e2", "r3"]
    assert (edge["relation"], edge["phrase"], edge["negated"]) == ("support", "not support", True)
    assert (edge["kind"], edge["support"], edge["confidence"]) == ("fact", 1.0, 0.5)
    assert world.to_networkx(all_kinds=True).has_edge("e3", "e1", "r4")
    assert "name" in "".join(nx.generate_graphml(graph))


# --- displays


def displays(index: Index) -> dict[str, object]:
    context = index.search("which server prints?", "paper")
    return {"index": index, "context": context}


@pytest.mark.parametrize("name", ["index", "context"])
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
    assert everything.table("entities").set_index("name").loc["Pump", "mentions"] == 3
    entities = seen.table("entities").set_index("name")
    assert set(entities.index) == {"Pump", "Valve", "Guide"}
    assert entities.loc["Pump", "mentions"] == 1
    assert seen.table("documents")["title"].tolist() == ["Guide"]
    assert seen.table("relations")["tail"].tolist() == ["Valve"]
    assert seen.table("chunks")["document"].tolist() == ["Guide"]
    assert not seen.table("communities")["summary"].str.contains("Zephyr").any()
    assert set(nx.get_node_attributes(seen.to_networkx(), "name").values()) == {"Pump", "Valve", "Guide"}
    assert seen.to_igraph(all_kinds=True).ecount() == 1
    assert "Zephyr" not in f"{seen._repr_html_()}{Context.__str__(seen.search('Pump'))}"

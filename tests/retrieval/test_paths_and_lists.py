"""Chains of dependency both ways, paths between two things, lists that are complete."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphrag_tasks.retrieval import Index, open_index
from tests.retrieval.small_worlds import FakeEmbedder, World, publish

NAMES = {
    "e1": "Order portal", "e2": "Billing service", "e3": "Postgres cluster", "e4": "Mail relay",
    "e5": "MATDOC", "e6": "MKPF", "e7": "MSEG", "e8": "table", "e9": "Report X",
}  # fmt: skip
RELATIONS = (
    ("r1", "e1", "depend on", "e2"),
    ("r2", "e2", "store invoices in", "e3"),
    ("r3", "e2", "use", "e3"),
    ("r4", "e4", "describe", "e1"),
    ("r5", "e5", "replace", "e6"),
    ("r6", "e5", "replace", "e7"),
    ("r7", "e6", "be", "e8"),
    ("r8", "e7", "be", "e8"),
    ("r9", "e5", "replace", "e9"),
)
LANDSCAPE = World(
    documents=(("d1", "Landscape"),),
    chunks=(("c1", "d1", "The order portal depends on the billing service."),),
    sentences=(("s1", "c1", "The order portal depends on the billing service."),),
    entities=tuple((one, name, (name,)) for one, name in NAMES.items()),
    relations=tuple(
        (one, head, f"{NAMES[head]} {relation} {NAMES[tail]}", tail) for one, head, relation, tail in RELATIONS
    ),
    evidence=tuple((one, "s1", 0.5) for one, *_ in RELATIONS),
    mentions=tuple((one, "s1") for one in NAMES),
)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    publish(tmp_path, LANDSCAPE)
    return open_index(tmp_path, embedder=FakeEmbedder())


def paths(index: Index, question: str) -> list[str]:
    return [path.text for path in index.search(question, "path").paths]


def test_what_breaks_follows_dependencies_backwards_to_the_end_of_the_chain(index: Index) -> None:
    context = index.search("What breaks if the Postgres cluster goes down?")
    assert context.route is not None
    assert context.route.kind == "relationship"
    assert [path.text for path in context.paths] == [
        "Postgres cluster ←uses— Billing service ←depends on— Order portal"
    ]
    assert [one.relation for one in context.relations] == ["use", "depend on"]
    assert context.paths[0].relations[1].evidence[0].text.startswith("The order portal depends")


def test_how_two_things_are_connected(index: Index) -> None:
    found = paths(index, "How is the Mail relay connected to the Postgres cluster?")
    assert found[0].startswith("Mail relay —describes→ Order portal —depends on→ Billing service")
    assert len(found) == 2  # by each of the two relations at the far end


def test_no_path_says_so(index: Index) -> None:
    context = index.search("How is the Mail relay connected to MKPF?", "path")
    assert context.paths == ()
    assert "No path" in context.notes[-1]


def test_a_connection_with_something_unknown_says_so(index: Index) -> None:
    context = index.search("How is the Billing service connected to the moon?")
    assert context.paths == ()
    assert "only one is a known name" in context.notes[-1]


def test_a_list_is_complete_and_of_the_kind_asked_for(index: Index) -> None:
    context = index.search("Which tables were replaced by MATDOC?", k=1)
    assert context.mode == "list"
    assert [one.name for one in context.listed] == ["MKPF", "MSEG"]
    assert len(context.to_dict()["listed"]) == 2
    assert [one.tail for one in context.relations] == ["MKPF", "MSEG"]


def test_local_stays_near_what_is_named(index: Index) -> None:
    context = index.search("billing service", "local")
    assert {one.relation for one in context.relations} == {"depend on", "store invoices in", "use"}
    assert [one.name for one in context.entities] == ["Billing service"]

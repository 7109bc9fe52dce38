"""Typed paths: what they find, what is dropped until they do, and the patterns shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.retrieval.ranker.path_query import PathQuery, Step, Thing
from tests.retrieval.labelled_worlds import Document, Fact, publish
from tests.retrieval.small_worlds import FakeEmbedder

Open = Callable[[Sequence[Fact]], Index]
ANYTHING = Thing()


@pytest.fixture
def open_facts(tmp_path: Path) -> Open:
    def open_facts(facts: Sequence[Fact]) -> Index:
        store = publish(tmp_path, [Document("d", "Staff", tuple(facts), None)])
        return open_index(store, embedder=FakeEmbedder(), noun_phrases=lambda _: [])

    return open_facts


def person(name: str, relation: str, tail: str, tail_type: str, *, negated: bool = False) -> Fact:
    return Fact(name, relation, tail, "PERSON", tail_type, negated)


def found(index: Index, *query: PathQuery) -> list[set[str]]:
    return [{hit.name for hit in index.follow(one).ends} for one in query]


FACTS = (
    person("Ada Byron", "lead", "Team Alpha", "ORG"),
    person("Max Frisch", "join", "Team Alpha", "ORG"),
    person("Ada Byron", "live in", "Zurich", "GPE"),
    person("Lise Meitner", "live in", "Berlin", "GPE"),
    person("Rosa Parks", "live in", "Zurich", "GPE", negated=True),
    Fact("Team Alpha", "own", "Ledger", "ORG", "PRODUCT"),
)


def test_a_step_follows_its_words_and_direction(open_facts: Open) -> None:
    index = open_facts(FACTS)
    lives = Step(Thing(type="person"), "lives in", "in")
    assert found(index, PathQuery(Thing("zurich"), (lives,))) == [{"Ada Byron"}]
    assert index.follow(PathQuery(Thing("Zurich"), (lives,))).dropped == ()
    leads = PathQuery(Thing("Ada Byron"), (Step(ANYTHING, "leads", "out"), Step(ANYTHING, "*", "out")))
    (path,) = index.follow(leads).paths
    assert path.text == "Ada Byron —leads→ Team Alpha —owns→ Ledger"
    assert [one.text for one in path.sources()] == [FACTS[0].text, FACTS[5].text]


def test_what_sources_deny_is_left_out(open_facts: Open) -> None:
    index = open_facts(FACTS)
    (names,) = found(index, PathQuery(Thing("Zurich"), (Step(),)))
    assert names == {"Ada Byron"}


@pytest.mark.parametrize(
    ("step", "dropped"),
    [
        (Step(Thing(type="robot"), "live in", "in"), ("types",)),
        (Step(Thing(type="person"), "live in", "out"), ("types", "directions")),
        (Step(Thing(type="person"), "reside at", "in"), ("types", "directions", "relations")),
        (Step(Thing(), "reside at", "any"), ("relations",)),
    ],
)
def test_conditions_are_dropped_until_something_is_found(
    open_facts: Open, step: Step, dropped: tuple[str, ...]
) -> None:
    followed = open_facts(FACTS).follow(PathQuery(Thing("Zurich"), (step,)))
    assert [hit.name for hit in followed.ends] == ["Ada Byron"]
    assert followed.dropped == dropped

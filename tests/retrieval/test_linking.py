"""Names in a question: names, terms and codes lead to entities, words of English do not."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from graphrag_tasks.graph.name_tables import spelling_tables
from graphrag_tasks.language.known_names import folded_name
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.retrieval.graph.linking import Linker, Spellings
from tests.retrieval.small_worlds import SMALL, FakeEmbedder, publish

NAMES = ("SAP S/4HANA", "tag", "value", "table VBBE", "report ZOLD", "ZOLD", "old", "pull request")
TERMS = {"tag"}


@pytest.fixture
def linker() -> Linker:
    called = {folded_name(name): [row] for row, name in enumerate(NAMES)}
    spellings = Spellings(**spelling_tables(called, NAMES, places={}))
    return Linker(spellings, np.array([name in TERMS for name in NAMES]))


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is SAP S/4HANA?", ["SAP S/4HANA"]),
        ("what is sap s4hana or s/4hana", []),
        ("How do I move a tag?", ["tag"]),
        ("What is the value of a pull request?", ["value", "pull request"]),
        ("Is VBBE used?", ["table VBBE"]),
        ("Is ZOLD used?", ["ZOLD"]),
        ("Is an old tag kept?", ["tag"]),
    ],
)
def test_names_terms_and_codes_are_linked(linker: Linker, question: str, names: list[str]) -> None:
    assert [NAMES[row] for link in linker.links(question) for row in link.rows] == names


def test_a_search_says_that_it_recognised_a_term(tmp_path: Path) -> None:
    question = "What is a spooler?"
    for terms, is_told in ((frozenset({"e2"}), True), (frozenset[str](), False)):
        world = replace(SMALL, terms=terms, unlabelled=frozenset({"e1", "e2", "e3", "e4"}))
        folder = tmp_path / str(is_told)
        publish(folder, world)
        index = open_index(folder, embedder=FakeEmbedder(), noun_phrases=lambda _: [])
        context = index.search(question, "ranked", rerank=0)
        assert ("spooler" in [one.name for one in context.entities]) == is_told
        assert any("recognised no name" in note for note in context.notes) != is_told


def test_associations_are_in_no_degree_path_or_list_unless_asked_for(tmp_path: Path) -> None:
    publish(tmp_path, replace(SMALL, associations=frozenset({"r2"})))
    index = open_index(tmp_path, embedder=FakeEmbedder(), noun_phrases=lambda _: [])
    assert index.neighbors("driver") == ()
    (hit,) = index.neighbors("driver", all_kinds=True)
    assert (hit.text, hit.kind) == ("spooler needs driver", "association")
    assert index.paths("print server", "driver") == ()
    assert len(index.paths("print server", "gateway")) == 1
    found = index.search("spooler driver", "ranked", rerank=0).relations
    assert {hit.kind for hit in found} == {"fact"}

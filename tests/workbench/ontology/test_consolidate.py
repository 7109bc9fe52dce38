"""Consolidation: many proposals become one ontology, and each name that is not in it has a why."""

import random
from itertools import cycle, islice

import pytest

from graphrag_tasks.graph.relationships import read_schema
from graphrag_tasks.workbench.ontology.consolidate import Consolidated
from graphrag_tasks.workbench.ontology.gathering import Need
from graphrag_tasks.workbench.ontology.inducing import InducedRelation, InducedType
from graphrag_tasks.workbench.ontology.proposal import schema_text
from tests.workbench.ontology.worlds import fact, made, need, relation, typed

_NOUNS = """
table view transaction report class interface note variant check field object system
document account ledger partner order material plant stock batch program badi index
"""
_VERBS = """
replace read call use create delete change store contain import export check fill show list
update select return need receive send process lock open close sort merge split move copy
print sign approve reject release block count measure weigh label pack ship keep hold find
run start stop
"""
NOUNS, VERBS = _NOUNS.split(), _VERBS.split()
BOTH = [
    need(fact("replace", "TABLE", "TABLE"), named=[("VBBS", "TABLE")]),
    need(fact("read", "REPORT", "TABLE"), named=[("ZSALES", "REPORT")]),
]
GRAPH = [
    ("TABLE", "replace", "TABLE", 5),
    ("TABLE", "be replaced by", "TABLE", 2),
    ("REPORT", "read", "TABLE", 6),
    ("REPORT", "access", "TABLE", 3),
    ("", "be of", "", 9),
]


def whys(found: Consolidated) -> dict[str, tuple[str, str]]:
    return {one.name: (one.into, one.why) for one in found.dropped}


def test_ends_are_what_a_model_says_if_the_graph_agrees() -> None:
    types = [typed("TABLE"), typed("REPORT")]
    graph = [("REPORT", "read", "TABLE", 6), ("TABLE", "be read by", "REPORT", 4)]
    both = relation("read", domain=["reports"], range=["Table"], inverses=["be read by"])
    found = made(types, [both], BOTH, graph).schema.relations["read"]
    assert (found.domain, found.range) == (["report"], ["table"])
    turned = relation("be read by", domain=["table"], range=["report"], inverses=["read"])
    assert made(types, [turned], BOTH, graph).schema.relations["read"] == found
    wrong = relation("read", domain=["table"], range=["galaxy"])
    found = made(types, [wrong], BOTH, graph).schema.relations["read"]
    assert (found.domain, found.range) == (None, None)


def test_what_is_said_more_often_holds_and_the_file_is_read() -> None:
    told = [
        relation("replace", synonyms=["read"]),
        relation("replace", synonyms=["read"]),
        relation("read", inverses=["replace"]),
        relation("access", synonyms=["access"], inverses=["access"]),
    ]
    found = made([], told, BOTH, GRAPH)
    assert found.schema.relations["read"].synonyms == ["replace"]
    assert read_schema(schema_text(found.schema), "file") == found.schema


def proposer() -> tuple[
    list[InducedType], list[InducedRelation], list[Need], list[tuple[str, str, str, int]]
]:
    """Return 194 types and 257 relations for 140 questions: QuestionRAG's numbers."""
    needs = [
        need(
            fact(verb, noun.upper(), NOUNS[place % 5].upper()),
            named=[(f"{noun} {place}", noun.upper())],
        )
        for place, (noun, verb) in enumerate(islice(zip(cycle(NOUNS), cycle(VERBS)), 140))
    ]
    graph = [
        (noun.upper(), verb, NOUNS[place % 5].upper(), 3 + place % 7)
        for place, (noun, verb) in enumerate(islice(zip(cycle(NOUNS), cycle(VERBS)), 480))
    ]
    names = [form.format(noun) for form in ("{}", "{}s", "The_{}") for noun in NOUNS]
    names += [f"notion number {place}" for place in range(194)]
    said = [form.format(verb) for form in ("{}", "{}s", "{}_", "no {} with") for verb in VERBS]
    said += [f"ponder about {place}" for place in range(257)]
    told = [
        relation(one, synonyms=[said[place % len(VERBS)]])
        for place, one in enumerate(dict.fromkeys(said))
    ]
    return [typed(one) for one in names[:194]], told[:257], needs, graph


@pytest.mark.parametrize("seed", range(3))
def test_hundreds_of_proposals_in_any_order_become_one_ontology(seed: int) -> None:
    types, told, needs, graph = proposer()
    found = made(types, told, needs, graph)
    assert len(found.schema.entity_types) == 24
    assert 0 < len(found.schema.relations) <= 60
    labels = {label for one in found.schema.entity_types.values() for label in one}
    kept = {*found.schema.entity_types, *found.schema.relations, *labels}
    assert {one.name for one in (*types, *told)} - kept == set(whys(found))
    assert {one.into for one in found.dropped} <= {*kept, ""}
    wordings = {str(rule["wording"]) for rule in found.schema.rules()}
    assert all(fact.relation in wordings for one in needs for fact in one.asked)
    random.Random(seed).shuffle(types)
    random.Random(seed).shuffle(told)
    shuffled = made(types, told, needs, graph)
    assert schema_text(shuffled.schema) == schema_text(found.schema)
    assert shuffled.dropped == found.dropped

"""Consolidation: many proposals become one ontology, and each name that is not in it has a why."""

import random
from itertools import cycle, islice, pairwise

import pytest

from graphrag_tasks.graph.relationships import read_schema
from graphrag_tasks.workbench.ontology.drafts import (
    MODEL,
    Drafts,
    RelationDraft,
    TypeDraft,
    by_frequency,
)
from graphrag_tasks.workbench.ontology.gathering import Gathered
from graphrag_tasks.workbench.ontology.proposal import schema_text
from graphrag_tasks.workbench.ontology.report import Dropped
from tests.workbench.ontology.worlds import fact, made, need, world

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


def relations(*drafts: RelationDraft) -> Drafts:
    return Drafts(relations=drafts)


def draft(name: str, cluster: int = 0, **of: tuple[str, ...]) -> RelationDraft:
    return RelationDraft(name, cluster, MODEL, **of)


def typed(name: str, *examples: str, cluster: int = 0) -> TypeDraft:
    return TypeDraft(name, cluster, MODEL, examples)


def whys(dropped: tuple[Dropped, ...]) -> dict[str, tuple[str, str]]:
    return {one.name: (one.into, one.why) for one in dropped}


BOTH = [
    need(fact("replace", "TABLE", "TABLE"), cluster=0, named=[("VBBS", "TABLE")]),
    need(fact("read", "REPORT", "TABLE"), cluster=1, named=[("ZSALES", "REPORT")]),
]
GRAPH = [
    ("TABLE", "replace", "TABLE", 5),
    ("TABLE", "be replaced by", "TABLE", 2),
    ("REPORT", "read", "TABLE", 6),
    ("REPORT", "access", "TABLE", 3),
    ("", "be of", "", 9),
]


def test_spellings_kinds_and_examples_lead_to_a_label() -> None:
    drafts = Drafts(
        (typed("Tables"), typed("database_table"), typed("Relation", "VBBS"), typed("REPORT"))
    )
    found = made(drafts, world(BOTH, GRAPH), labels={"VBBS": "TABLE"})
    assert found.schema.entity_types == {"table": ["TABLE"], "report": ["REPORT"]}
    assert whys(found.types.dropped) == {
        "Tables": ("table", "another form of the name"),
        "database_table": ("table", "a kind of 'table'"),
        "Relation": ("table", "its examples have the label TABLE"),
    }


def test_what_nothing_has_is_too_general_or_no_name_is_dropped() -> None:
    drafts = Drafts(
        (typed("galaxy"), typed("Entity"), typed("<script>x</script>"), typed("TABLE")),
        (
            draft("orbit"), draft("be related to"), draft("!!python/object:os.system"),
            draft("It seems to me that tables are replaced by others"), draft("replace"),
        ),
    )  # fmt: skip
    found = made(drafts, world(BOTH, GRAPH))
    assert set(found.schema.entity_types) == {"table"}
    assert set(found.schema.relations) == {"replace"}
    why = {name: reason for name, (_, reason) in whys(found.types.dropped).items()}
    why |= {name: reason for name, (_, reason) in whys(found.relations.dropped).items()}
    assert why == {
        "galaxy": "no entity of the graph has a label for it",
        "Entity": "too general: everything is one",
        "<script>x</script>": "is no name of a type",
        "orbit": "no triple of the graph has it, or a synonym of it",
        "be related to": "too general: it only says that two things go together",
        "!!python/object:os.system": "is no name of a relation",
        "It seems to me that tables are replaced by others": "is no name of a relation",
    }


def test_a_relation_has_the_wordings_of_the_graph() -> None:
    drafts = relations(draft("reads", synonyms=("access", "peruse")), draft("is replaced by"))
    found = made(drafts, world(BOTH, GRAPH)).schema.relations
    assert (found["read"].synonyms, found["read"].inverses) == (["access"], [])
    assert (found["replace"].synonyms, found["replace"].inverses) == ([], ["be replaced by"])


def test_ends_are_what_the_graph_has() -> None:
    types = (typed("TABLE"), typed("REPORT"))
    wrong = draft("read", domain=("TABLE",), range=("TABLE",))
    found = made(Drafts(types, (wrong,)), world(BOTH, GRAPH)).schema.relations["read"]
    assert (found.domain, found.range) == (["report"], ["table"])
    few = [("REPORT", "read", "TABLE", 2)]
    found = made(Drafts(types, (wrong,)), world(BOTH, few)).schema.relations["read"]
    assert (found.domain, found.range) == (None, None)


def test_what_is_told_from_the_other_end_counts_for_the_ends() -> None:
    graph = [("REPORT", "read", "TABLE", 6), ("TABLE", "be read by", "REPORT", 4)]
    asked = [need(fact("be read by", "TABLE", "REPORT"))]
    drafts = Drafts((typed("TABLE"), typed("REPORT")), (draft("read"),))
    found = made(drafts, world(asked, graph))
    assert (found.schema.relations["read"].domain, found.schema.relations["read"].range) == (
        ["report"], ["table"],
    )  # fmt: skip
    assert (found.covered, found.triples_covered) == ({0}, 10)


def test_a_question_is_not_covered_without_the_types_that_it_names() -> None:
    drafts = Drafts((typed("TABLE"), typed("REPORT")), (draft("replace"), draft("read")))
    found = made(drafts, world(BOTH, GRAPH), most_types=1)
    assert found.schema.entity_types == {"table": ["TABLE"]}
    assert found.covered == {0}


def test_examples_that_disagree_lead_nowhere() -> None:
    labels = {"VBBS": "TABLE", "ZSALES": "REPORT", "4711": "NOTE"}
    found = made(Drafts((typed("stuff", *labels),)), world(BOTH, GRAPH), labels=labels)
    assert found.schema.entity_types == {}
    assert whys(found.types.dropped)["stuff"][1] == "no entity of the graph has a label for it"


def test_a_circle_of_synonyms_and_inverses_is_reported_and_the_file_is_read() -> None:
    drafts = relations(
        draft("replace", cluster=0, synonyms=("read",)),
        draft("replace", cluster=1, synonyms=("read",)),
        draft("read", cluster=2, inverses=("replace",)),
        draft("access", cluster=2, synonyms=("access",), inverses=("access",)),
    )
    found = made(drafts, world(BOTH, GRAPH))
    assert found.relations.conflicts == ("'read' is said to be the reverse of 'replace'",)
    assert found.schema.relations["read"].synonyms == ["replace"]
    assert read_schema(schema_text(found.schema), "file") == found.schema


def test_a_chain_of_loose_synonyms_is_not_one_relation() -> None:
    names = [f"{verb} up" for verb in VERBS[:30]]
    chain = [draft(one, synonyms=(other,)) for one, other in pairwise(names)]
    graph = [("TABLE", one, "TABLE", 2) for one in names]
    found = made(relations(*chain), world([need(fact(one)) for one in names], graph))
    sizes = [1 + len(one.synonyms) for one in found.schema.relations.values()]
    assert max(sizes) <= 12
    assert any("too many wordings" in one for one in found.relations.conflicts)


def test_one_cluster_and_one_triple_are_no_support_unless_a_question_needs_it() -> None:
    needs = [need(fact("replace"), fact("access")), need(fact("read"), cluster=1)]
    graph = [
        ("", "replace", "", 5), ("", "read", "", 1), ("", "access", "", 1), ("", "sort", "", 0),
    ]  # fmt: skip
    drafts = relations(
        draft("replace"), draft("access"), draft("read", cluster=1), draft("sort", cluster=1)
    )
    found = made(drafts, world(needs, graph))
    assert set(found.schema.relations) == {"replace", "read"}
    assert found.covered == {0, 1}
    why = whys(found.relations.dropped)
    assert why["access"][1] == "one cluster alone names it, and one triple has it"
    assert why["sort"][1] == "no triple of the graph has it"


def test_what_adds_least_goes_first() -> None:
    names = VERBS[:5]
    graph = [("", one, "", 10 - place) for place, one in enumerate(names)]
    needs = [need(fact(one), cluster=place) for place, one in enumerate(names)]
    drafts = relations(*(draft(one, place) for place, one in enumerate(names)))
    found = made(drafts, world(needs, graph), most_relations=3)
    assert set(found.schema.relations) == set(names[:3])
    (why,) = {reason for _, reason in whys(found.relations.dropped).values() if "37.5" in reason}
    assert "the last one kept" in why


def test_by_frequency_needs_no_model_and_covers_what_is_asked() -> None:
    gathered = world(BOTH, GRAPH)
    drafts = Drafts.joined([by_frequency(one) for one in gathered.clusters()])
    found = made(drafts, gathered)
    assert set(found.schema.entity_types) == {"table", "report"}
    assert set(found.schema.relations) == {"replace", "read"}
    assert found.covered == {0, 1}
    assert found.triples_covered == 13  # "be replaced by" is the reverse of "replace"


def test_no_question_names_nothing() -> None:
    found = made(Drafts.joined([]), Gathered((), ()))
    assert read_schema(schema_text(found.schema), "file").relations == {}


def proposer() -> tuple[Drafts, Gathered]:
    """Return 194 types and 257 relations for 140 questions: QuestionRAG's numbers."""
    needs = [
        need(
            fact(verb, noun.upper(), NOUNS[place % 5].upper()), cluster=place % 35,
            named=[(f"{noun} {place}", noun.upper())],
        )
        for place, (noun, verb) in enumerate(islice(zip(cycle(NOUNS), cycle(VERBS)), 140))
    ]  # fmt: skip
    graph = [
        (noun.upper(), verb, NOUNS[place % 5].upper(), 3 + place % 7)
        for place, (noun, verb) in enumerate(islice(zip(cycle(NOUNS), cycle(VERBS)), 480))
    ]
    forms = ("{}", "{}s", "The_{}", "custom {}", "SAP {}", "old {}", "legacy_{}", "{} of customers")
    names = [form.format(noun) for form in forms for noun in NOUNS]
    names += [f"notion number {place}" for place in range(194)]
    types = [typed(one, cluster=place % 35) for place, one in enumerate(names[:194])]
    wordings = ("{}", "{}s", "{}_", "is {}ed by", "no {} with")
    said = [form.format(verb) for form in wordings for verb in VERBS]
    said += [f"ponder about {place}" for place in range(257)]
    told = [
        draft(one, place % 35, synonyms=(said[place % len(VERBS)],))
        for place, one in enumerate(dict.fromkeys(said))
    ]
    return Drafts(tuple(types), tuple(told[:257])), world(needs, graph)


def test_hundreds_of_proposals_become_an_ontology_that_a_person_can_read() -> None:
    drafts, gathered = proposer()
    assert len({one.name for one in drafts.types}) == 194
    assert len({one.name for one in drafts.relations}) == 257
    found = made(drafts, gathered)
    assert 0 < len(found.schema.entity_types) <= 30
    assert 0 < len(found.schema.relations) <= 60
    assert len(found.covered) == 140
    labels = {label for one in found.schema.entity_types.values() for label in one}
    for drafted, kept, dropped in (
        (drafts.types, {*found.schema.entity_types, *labels}, found.types.dropped),
        (drafts.relations, set(found.schema.relations), found.relations.dropped),
    ):
        assert {one.name for one in drafted} - kept == {one.name for one in dropped}
        assert all(one.why for one in dropped)
        assert {one.into for one in dropped} <= {*kept, ""}


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_drafts_changes_nothing(seed: int) -> None:
    drafts, gathered = proposer()
    types, told = list(drafts.types), list(drafts.relations)
    random.Random(seed).shuffle(types)
    random.Random(seed).shuffle(told)
    shuffled = made(Drafts(tuple(types), tuple(told)), gathered)
    found = made(drafts, gathered)
    assert schema_text(shuffled.schema) == schema_text(found.schema)
    assert shuffled.types.dropped == found.types.dropped
    assert shuffled.relations.dropped == found.relations.dropped

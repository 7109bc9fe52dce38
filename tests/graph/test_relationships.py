"""From triples to relations: normalise, resolve, mention and relate, one after the other."""

import random
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import LanguageConfig, RelationshipsConfig, ResolveConfig, SqlConfig
from graphrag_tasks.entities.link_mentions import link_mentions
from graphrag_tasks.entities.normalize import normalize
from graphrag_tasks.entities.resolve import resolve
from graphrag_tasks.graph.relationships import relationships
from tests.sizes import few_or_many


def triple(head: str, relation: str, tail: str, **other: Any) -> dict[str, Any]:
    number = other.pop("number", 0)
    return {
        "triple_id": f"t{head}{relation}{tail}{number}", "frame_id": "f",
        "sentence_id": f"s{number}", "chunk_id": f"c{number}", "document_id": "d",
        "head": head, "relation": relation, "phrase": relation, "tail": tail, "conditional": False,
        "head_start": 0, "head_end": len(head), "tail_start": 50, "tail_end": 50 + len(tail),
        "head_type": None, "tail_type": None, "negated": False, "rule": "svo",
        "extractor": "dependency", "said": number, "confidence": 0.5,
    } | other  # fmt: skip


def run(*triples: dict[str, Any]) -> tuple[dict[str, list[dict[str, Any]]], dict[str, float]]:
    table = pa.Table.from_pylist(list(triples), schema=schemas.TRIPLES)
    sql = SqlConfig()
    entity_dictionary, sentences = schemas.empty("entity_dictionary"), schemas.empty("sentences")
    normalized = normalize(
        table, entity_dictionary, sentences, language=LanguageConfig(), sql=sql
    ).collected()
    surface_forms, names = (normalized.tables[name] for name in ("surface_forms", "names"))
    merged = resolve(
        table, entity_dictionary, surface_forms, names, sentences, schemas.empty("cells"),
        config=ResolveConfig(), language=LanguageConfig(), sql=sql,
    ).collected()  # fmt: skip
    resolved, senses = (merged.tables[name] for name in ("resolved", "senses"))
    mentioned = link_mentions(
        table,
        sentences,
        entity_dictionary,
        surface_forms,
        names,
        resolved,
        senses,
        language=LanguageConfig(),
        sql=sql,
    ).collected()
    related = relationships(
        table, surface_forms, resolved, senses, config=RelationshipsConfig(), sql=sql
    ).collected()
    tables = {**mentioned.tables, **related.tables}
    return {name: rows.to_pylist() for name, rows in tables.items()}, dict(related.stats)


def test_mentions_of_one_key_are_one_entity_named_by_vote() -> None:
    tables, _ = run(
        triple("the VBBE", "replace", "VBBS", number=1),
        triple("VBBE", "store", "requirements", number=2),
        triple("vbbe", "hold", "requirements", number=3),
    )
    names = {row["key"]: row for row in tables["entities"]}
    assert names["vbbe"]["name"] == "VBBE"
    assert (names["vbbe"]["mentions"], names["vbbe"]["chunks"]) == (3, 3)
    assert {row["alias"] for row in tables["aliases"]} >= {"VBBE", "vbbe"}


def test_equal_triples_are_one_relation_with_all_its_evidence() -> None:
    tables, _ = run(*(triple("VBBE", "replace", "VBBS", number=number) for number in (1, 2)))
    (relation,) = tables["relations"]
    assert relation["weight"] == 2
    assert relation["confidence"] == pytest.approx(0.75)
    assert relation["text"] == "VBBE replace VBBS"
    assert [row["sentence_id"] for row in tables["evidence"]] == ["s1", "s2"]


def test_copies_of_a_sentence_are_one_witness() -> None:
    copies = [triple("VBBE", "replace", "VBBS", number=number, said=1) for number in range(3)]
    tables, _ = run(*copies, triple("VBBE", "replace", "VBBS", number=3, said=2))
    relation = tables["relations"][0]
    assert (relation["weight"], relation["confidence"]) == (2, 0.75)
    assert len(tables["evidence"]) == 4


def test_what_is_denied_is_another_relation_and_says_so() -> None:
    tables, _ = run(
        triple("VBBS", "hold", "totals"), triple("VBBS", "hold", "totals", negated=True, number=2)
    )
    assert sorted(row["text"] for row in tables["relations"]) == [
        "VBBS hold totals", "VBBS not hold totals",
    ]  # fmt: skip


NO_NAMES = [
    ("it", "PRON", "pronoun"),
    ("x", None, "short"),
    ("x" * 200, None, "long"),
    ("something", None, "stop_word"),
    ("4.711", None, "literal"),
    ("two years", "DATE", "literal"),
    ("a b c d e f g h i j", None, "wordy"),
    ("…", None, "short"),
    ("The VBBS", None, "same_ends"),
]


def test_what_is_no_name_is_dropped_and_counted() -> None:
    triples = [triple(head, "be", "VBBS", head_type=type_) for head, type_, _ in NO_NAMES]
    tables, stats = run(*triples)
    assert tables["relations"] == []
    reasons = {row["triple_id"]: row["reason"] for row in tables["rejected"]}
    assert [reasons[one["triple_id"]] for one in triples] == [reason for *_, reason in NO_NAMES]
    for reason, count in Counter(reasons.values()).items():
        assert stats[f"rejected_{reason}"] == count


def test_type_is_the_most_frequent_label() -> None:
    tables, _ = run(
        triple("SAP", "ship", "a tool", head_type="ORG", number=1),
        triple("SAP", "ship", "a report", head_type="ORG", number=2),
        triple("SAP", "be", "a product", head_type="PRODUCT", number=3),
    )
    assert {row["key"]: row["type"] for row in tables["entities"]}["sap"] == "ORG"


def test_no_order_of_triples_shows() -> None:
    triples = [triple(f"node {a}", "touch", f"Node {b}", number=a * 7 + b)
               for a in range(6) for b in range(6)]  # fmt: skip
    shuffled = triples.copy()
    random.Random(3).shuffle(shuffled)
    assert run(*triples) == run(*shuffled)


def test_no_triples_give_valid_empty_tables() -> None:
    tables, _ = run()
    assert tables == {name: [] for name in tables}
    assert set(tables) == {*relationships.makes, *link_mentions.makes}


def test_every_relation_ends_at_entities_and_has_evidence() -> None:
    tables, _ = run(triple("A b", "see", "C d"), triple("C d", "hear", "E f", number=1))
    known = {row["entity_id"] for row in tables["entities"]}
    supported = {row["relation_id"] for row in tables["evidence"]}
    for relation in tables["relations"]:
        assert {relation["head_id"], relation["tail_id"]} <= known
        assert relation["relation_id"] in supported


def test_a_resolved_end_is_the_node_and_its_mention_stays_where_it_stands() -> None:
    told = triple("it", "run", "job", head_type="PRON", head_resolved="migration report")
    tables, stats = run(told)
    assert {row["name"] for row in tables["entities"]} == {"migration report", "job"}
    assert stats["rejected_pronoun"] == 0
    [report] = [row for row in tables["entities"] if row["name"] == "migration report"]
    assert report["type"] is None
    [mention] = [row for row in tables["mentions"] if row["entity_id"] == report["entity_id"]]
    assert (mention["start"], mention["end"]) == (0, 2)


def test_a_resolved_end_that_is_the_other_end_is_dropped() -> None:
    _, stats = run(triple("it", "be", "Report", head_type="PRON", head_resolved="the report"))
    assert stats["rejected_same_ends"] == 1


def test_a_value_is_an_attribute_of_its_head() -> None:
    tables, _ = run(triple("release 7.5", "appear in", "October 2015", tail_type="DATE"))
    (attribute,) = tables["attributes"]
    assert (attribute["relation"], attribute["value"]) == ("appear in", "October 2015")
    assert [row["name"] for row in tables["entities"]] == ["release 7.5"]
    assert tables["relations"] == []


def test_a_noun_that_names_nothing_is_an_attribute_of_the_other_end() -> None:
    told = (triple("details", "describe", "CL_SALV_TABLE", number=one) for one in range(5))
    tables, _ = run(*told, triple("VBBE", "have", "details", number=5))
    found = {(row["value"], row["relation"], row["is_head"]) for row in tables["attributes"]}
    assert found == {("details", "describe", True), ("details", "have", False)}
    assert {row["name"] for row in tables["entities"]} == {"CL_SALV_TABLE", "VBBE"}
    assert tables["relations"] == tables["rejected"] == []


@pytest.mark.parametrize(("tail", "is_attribute"), [("visible", True), ("Visible", False)])
def test_what_one_word_ascribes_is_an_attribute(tail: str, is_attribute: bool) -> None:
    tables, _ = run(triple("blue point", "be", tail), triple(tail, "show", "layer", number=1))
    assert bool(tables["attributes"]) == is_attribute
    assert len(tables["relations"]) == 2 - is_attribute
    assert tables["rejected"] == []


@pytest.mark.parametrize(
    ("relation", "conditional", "kind"),
    [("fill", False, "fact"), ("be", False, "fact"), ("have", False, "association"),
     ("be in", False, "association"), ("be stored in", False, "fact"),
     ("fill", True, "condition")],
)  # fmt: skip
def test_a_relation_is_a_fact_or_less(relation: str, conditional: bool, kind: str) -> None:
    told = triple("VBBE", relation, "Store A", conditional=conditional, phrase="said")
    (row,) = run(told)[0]["relations"]
    assert (row["kind"], row["phrase"]) == (kind, "said")


def test_a_relation_is_worded_as_most_sentences_word_it() -> None:
    phrases = ["fills", "filled", "fills", "may fill", "may fill"]
    told = [
        triple("VBBE", "fill", "Store A", number=number, phrase=phrase, conditional=number == 3)
        for number, phrase in enumerate(phrases)
    ]
    tables, _ = run(*told)
    assert [row["phrase"] for row in tables["relations"]] == ["fills"]
    assert sorted(row["phrase"] for row in tables["evidence"]) == sorted(phrases)
    assert [row["kind"] for row in tables["relations"]] == ["fact"]


def test_an_identifier_is_no_value_whatever_its_label() -> None:
    tables, _ = run(triple("job", "use", "ZBADI_DEMO", tail_type="DATE"))
    assert len(tables["relations"]) == 1


def test_ways_of_writing_one_name_are_one_entity() -> None:
    tables, _ = run(
        triple("internal table", "hold", "rows"),
        triple("internal tables", "hold", "rows", number=1),
    )
    assert {row["name"]: row["mentions"] for row in tables["entities"]} == {
        "internal table": 2, "rows": 2,
    }  # fmt: skip
    assert [row["weight"] for row in tables["relations"]] == [2]
    assert {row["alias"] for row in tables["aliases"]} == {
        "internal table", "internal tables", "rows",
    }  # fmt: skip


HOSTILE_NAMES = [
    "e" * 10_000,
    "wordy " * 2_000,
    "🚀🚀 launch 🚀",
    "e\u0301" * 50 + "x",
    "Z\u0335\u0321\u0310algo",
    "id == 'x' or 1 == 1",
    "'; DROP TABLE entities; --",
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd",
    "a\x00b",
    "\u202eevil",
    "100%_like\\",
]


def test_hostile_names_are_nodes_or_dropped_and_break_nothing() -> None:
    triples = [
        one
        for name in HOSTILE_NAMES
        for one in (triple(name, "touch", "VBBS"), triple("VBBS", "touch", name, number=1))
    ]
    tables, _ = run(*triples)
    places = [row["triple_id"] for name in ("evidence", "rejected") for row in tables[name]]
    assert sorted(places) == sorted(one["triple_id"] for one in triples)
    for row in tables["entities"]:
        assert not set(row["name"]) & set("\x00\u202e")
        assert len(row["name"]) <= 120


def test_one_node_is_a_graph() -> None:
    tables, stats = run(triple("VBBS", "be", "vbbs"))
    assert [row["name"] for row in tables["entities"]] == ["VBBS"]
    assert (tables["relations"], stats["rejected_same_ends"]) == ([], 1)


ENDS = st.sampled_from(
    ["it", "VBBS", "vbbs", "table VBBS", "4", "x", "same", "the", "data objects"]
)


@few_or_many("examples", 3, 25)
def test_every_triple_is_evidence_attribute_or_dropped(examples: int) -> None:
    @settings(max_examples=examples)
    @given(st.lists(st.tuples(ENDS, ENDS, st.sampled_from([None, "PRON", "DATE"])), max_size=8))
    def has_one_place(ends: list[tuple[str, str, str | None]]) -> None:
        triples = [
            triple(head, "be", tail, tail_type=type_, number=number)
            for number, (head, tail, type_) in enumerate(ends)
        ]
        tables, _ = run(*triples)
        places = (tables[name] for name in ("evidence", "attributes", "rejected"))
        found = [row["triple_id"] for rows in places for row in rows]
        assert sorted(found) == sorted(row["triple_id"] for row in triples)

    has_one_place()

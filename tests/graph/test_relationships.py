"""From triples to relations: normalise, resolve, mention and relate, one after the other."""

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import LanguageConfig, RelationshipsConfig, ResolveConfig
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
        "extractor": "dependency", "said": number, "confidence": 0.5, "worth": 1.0,
    } | other  # fmt: skip


def run(*triples: dict[str, Any]) -> tuple[dict[str, list[dict[str, Any]]], dict[str, float]]:
    table = pa.Table.from_pylist(list(triples), schema=schemas.TRIPLES)
    entity_dictionary, sentences = schemas.empty("entity_dictionary"), schemas.empty("sentences")
    normalized = normalize(table, entity_dictionary, sentences, language=LanguageConfig()).collected()
    surface_forms, names = (normalized.tables[name] for name in ("surface_forms", "names"))
    merged = resolve(
        table, entity_dictionary, surface_forms, names, sentences, schemas.empty("cells"),
        config=ResolveConfig(), language=LanguageConfig(),
    ).collected()  # fmt: skip
    resolved = merged.tables["resolved"]
    mentioned = link_mentions(
        table, sentences, entity_dictionary, surface_forms, names, resolved, language=LanguageConfig()
    ).collected()
    related = relationships(table, surface_forms, resolved, config=RelationshipsConfig()).collected()
    tables = {**mentioned.tables, **related.tables}
    return {name: rows.to_pylist() for name, rows in tables.items()}, dict(related.stats)


KINDS = {
    ("fill", False, 0.7): "fact", ("be in", False, 0.3): "fact", ("fill", False, 0.2): "association",
    ("fill", True, 0.7): "condition",
}  # fmt: skip
"""Relation, whether it is said under a condition, and its worth; what that makes of it."""
COPY = -1  # Hash of a sentence that stands in a document more than once.
PHRASES = ["fills", "filled", "fills", "may fill", "may fill"]


@dataclass(frozen=True)
class World:
    """What becomes of triples whose names are not those of other tests."""

    tables: dict[str, list[dict[str, Any]]]
    stats: dict[str, float]

    def named(self, *names: str) -> dict[str, dict[str, Any]]:
        """Return the entities of these names."""
        return {row["name"]: row for row in self.tables["entities"] if row["name"] in names}

    def relations(self, head: str) -> list[dict[str, Any]]:
        """Return the relations that begin at a name."""
        start = self.named(head)[head]["entity_id"]
        return [row for row in self.tables["relations"] if row["head_id"] == start]

    def attributes(self, name: str) -> list[tuple[str, str]]:
        """Return relation and value of the attributes of a name."""
        of = self.named(name)[name]["entity_id"]
        rows = (row for row in self.tables["attributes"] if row["entity_id"] == of)
        return [(row["relation"], row["value"]) for row in rows]


@pytest.fixture(scope="module")
def world() -> World:
    triples = [
        triple("the VBBE", "replace", "VBBS"),
        triple("VBBE", "store", "requirements"),
        triple("vbbe", "hold", "requirements"),
        triple("MARA", "replace", "MARC"),
        triple("MARA", "replace", "MARC"),
        triple("EKKO", "hold", "totals"),
        triple("EKKO", "hold", "totals", negated=True),
        triple("Oracle", "ship", "a tool", head_type="ORG"),
        triple("Oracle", "ship", "a listing", head_type="ORG"),
        triple("Oracle", "be", "a seller", head_type="PRODUCT"),
        triple("it", "run", "nightly batch", head_type="PRON", head_resolved="migration report"),
        triple("it", "be", "Proposal", head_type="PRON", head_resolved="the proposal"),
        triple("release 7.5", "appear in", "October 2015", tail_type="DATE"),
        triple("blue point", "be", "visible"),
        triple("visible", "show", "layer"),
        triple("red point", "be", "Opaque"),
        triple("Opaque", "show", "layer"),
        triple("importer", "use", "ZBADI_DEMO", tail_type="DATE"),
        triple("internal table", "hold", "rows"),
        triple("internal tables", "hold", "rows"),
        triple("LIPS", "be", "lips"),
        *(
            triple(f"LFA{place}", relation, "Store A", conditional=conditional, worth=worth, phrase="said")
            for place, (relation, conditional, worth) in enumerate(KINDS)
        ),
        *(
            triple("BKPF", "fill", "Store A", phrase=phrase, conditional=place == 3)
            for place, phrase in enumerate(PHRASES)
        ),
    ]
    triples += [triple("MARD", "replace", "MARC", said=COPY) for _ in range(3)]
    triples.append(triple("MARD", "replace", "MARC"))
    for number, one in enumerate(triples):
        said = one["said"] or number
        places = {"sentence_id": f"s{number}", "chunk_id": f"c{number}", "said": said}
        one |= places | {"triple_id": f"t{number}"}
    return World(*run(*triples))


def test_mentions_of_one_key_are_one_entity_named_by_vote(world: World) -> None:
    (row,) = world.named("VBBE", "vbbe", "the VBBE").values()
    assert (row["name"], row["mentions"], row["chunks"]) == ("VBBE", 3, 3)
    aliases = {one["alias"] for one in world.tables["aliases"]}
    assert aliases >= {"VBBE", "vbbe", "internal table", "internal tables"}
    assert {
        name: row["mentions"] for name, row in world.named("internal table", "internal tables", "LIPS", "lips").items()
    } == {"internal table": 2, "LIPS": 2}
    assert [one["weight"] for one in world.relations("internal table")] == [2]


def test_equal_triples_are_one_relation_with_all_its_evidence(world: World) -> None:
    (relation,) = world.relations("MARA")
    assert relation["weight"] == 2
    assert relation["confidence"] == pytest.approx(0.75)
    assert relation["text"] == "MARA replace MARC"
    evidence = [row["sentence_id"] for row in world.tables["evidence"] if row["relation_id"] == relation["relation_id"]]
    assert evidence == ["s3", "s4"]


def test_what_is_denied_is_another_relation_and_says_so(world: World) -> None:
    told = sorted(row["text"] for row in world.relations("EKKO"))
    assert told == ["EKKO hold totals", "EKKO not hold totals"]


def test_values_and_what_one_word_ascribes_are_attributes(world: World) -> None:
    assert world.attributes("release 7.5") == [("appear in", "October 2015")]
    assert world.attributes("blue point") == [("be", "visible")]
    assert not world.named("October 2015")
    assert world.attributes("red point") == world.attributes("importer") == []
    assert [row["text"] for row in world.relations("Opaque")] == ["Opaque show layer"]
    assert len(world.relations("importer")) == 1  # an identifier, whatever its label


def test_a_relation_is_a_fact_or_less(world: World) -> None:
    rows = [row for place, _ in enumerate(KINDS) for row in world.relations(f"LFA{place}")]
    assert [row["kind"] for row in rows] == [*KINDS.values()]
    assert {row["phrase"] for row in rows} == {"said"}


def test_a_relation_is_worded_as_most_sentences_word_it(world: World) -> None:
    (relation,) = world.relations("BKPF")
    assert (relation["phrase"], relation["kind"]) == ("fills", "fact")
    rows = (row for row in world.tables["evidence"] if row["relation_id"] == relation["relation_id"])
    assert sorted(row["phrase"] for row in rows) == sorted(PHRASES)


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


def rejected(stats: Mapping[str, float]) -> float:
    return sum(count for name, count in stats.items() if name.startswith("rejected_"))


def test_what_is_no_name_is_dropped_and_counted() -> None:
    triples = [triple(head, "be", "VBBS", head_type=type_) for head, type_, _ in NO_NAMES]
    tables, stats = run(*triples)
    assert tables["relations"] == []
    for reason, count in Counter(reason for *_, reason in NO_NAMES).items():
        assert stats[f"rejected_{reason}"] == count
    assert rejected(stats) == len(triples)


def test_no_order_of_triples_shows() -> None:
    triples = [triple(f"node {a}", "touch", f"Node {b}", number=a * 7 + b) for a in range(6) for b in range(6)]
    shuffled = triples.copy()
    random.Random(3).shuffle(shuffled)
    assert run(*triples) == run(*shuffled)


def test_a_noun_that_names_nothing_is_an_attribute_of_the_other_end() -> None:
    told = (triple("details", "describe", "CL_SALV_TABLE", number=one) for one in range(5))
    tables, stats = run(*told, triple("VBBE", "have", "details", number=5))
    found = {(row["value"], row["relation"], row["is_head"]) for row in tables["attributes"]}
    assert found == {("details", "describe", True), ("details", "have", False)}
    assert {row["name"] for row in tables["entities"]} == {"CL_SALV_TABLE", "VBBE"}
    assert (tables["relations"], rejected(stats)) == ([], 0)


ENDS = st.sampled_from(["it", "VBBS", "vbbs", "table VBBS", "4", "x", "same", "the", "data objects"])


@few_or_many("examples", 3, 25)
def test_every_triple_is_evidence_attribute_or_dropped(examples: int) -> None:
    @settings(max_examples=examples)
    @given(st.lists(st.tuples(ENDS, ENDS, st.sampled_from([None, "PRON", "DATE"])), max_size=8))
    def has_one_place(ends: list[tuple[str, str, str | None]]) -> None:
        triples = [
            triple(head, "be", tail, tail_type=type_, number=number) for number, (head, tail, type_) in enumerate(ends)
        ]
        tables, stats = run(*triples)
        found = [row["triple_id"] for name in ("evidence", "attributes") for row in tables[name]]
        assert len(set(found)) == len(found) == len(triples) - rejected(stats)
        assert {*found} <= {row["triple_id"] for row in triples}
        known = {row["entity_id"] for row in tables["entities"]}
        supported = {row["relation_id"] for row in tables["evidence"]}
        for relation in tables["relations"]:
            assert {relation["head_id"], relation["tail_id"]} <= known
            assert relation["relation_id"] in supported

    has_one_place()


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
    tables, stats = run(*triples)
    assert len(tables["evidence"]) + rejected(stats) == len(triples)
    for row in tables["entities"]:
        assert not set(row["name"]) & set("\x00\u202e")
        assert len(row["name"]) <= 120

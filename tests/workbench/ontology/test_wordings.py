"""Names of types and wordings of relations are compared by their forms."""

import pytest

from graphrag_tasks.workbench.ontology.wordings import (
    MOST_RELATION_WORDS,
    MOST_TYPE_WORDS,
    Wording,
    is_general_relation,
    is_name,
    type_key,
)


@pytest.mark.parametrize("name", ["CDS_VIEW", "cds-views", "CDS view", "cds  Views"])
def test_spellings_of_a_type_are_one(name: str) -> None:
    assert type_key(name) == "cds view"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("replaces", "replace"),
        ("is replaced by", "be replaced by"),
        ("REPLACED_BY", "be replaced by"),
        ("stored in", "be stored in"),
        ("has been read by", "be read by"),
        ("reads the", "read"),
    ],
)
def test_forms_of_a_relation_are_one(one: str, other: str) -> None:
    assert Wording.of(one) == Wording.of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("move to", "move from"),
        ("store in", "be stored in"),
        ("replace", "be replaced by"),
        ("need for", "be needed for"),
        ("replace", "replace with"),
    ],
)
def test_voice_and_prepositions_keep_relations_apart(one: str, other: str) -> None:
    assert Wording.of(one) != Wording.of(other)


def test_a_passive_with_its_agent_is_the_reverse() -> None:
    assert Wording.of("is read by").inverse == Wording.of("reads")
    assert Wording.of("read").inverse == Wording.of("be read by")
    assert Wording.of("be stored in").inverse is None


@pytest.mark.parametrize(
    "relation", ["have", "be", "be of", "be related to", "relates to", "be associated with"]
)
def test_a_relation_that_only_joins_is_general(relation: str) -> None:
    assert is_general_relation(relation)


@pytest.mark.parametrize("relation", ["replace", "have successor", "be stored in", "use"])
def test_a_relation_that_tells_something_is_not(relation: str) -> None:
    assert not is_general_relation(relation)


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        "!!python/object/apply:os.system [ls]",
        "table | view",
        "`rm`",
        "I think that it could be a table of the system",
        "x" * 61,
        "",
        "a\nb",
    ],
)
def test_markup_programs_and_prose_are_no_names(name: str) -> None:
    assert not is_name(name, MOST_TYPE_WORDS)


def test_names_of_documents_are_names() -> None:
    assert is_name("have state in sap s/4hana", MOST_RELATION_WORDS)
    assert is_name("Gerät", MOST_TYPE_WORDS)

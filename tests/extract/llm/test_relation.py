from functools import cache

import pytest

from graphrag_tasks.extract.llm.relation import Relation, Sentence
from graphrag_tasks.language.parser import SentenceParser


@cache
def parsed(text: str) -> Sentence:
    (doc,) = SentenceParser(entities=False).parse([text])
    return Sentence(doc)


def relation(text: str, told: str) -> Relation:
    found = parsed(text).relation(told)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "told", "form"),
    [
        ("The report reads the table.", "reads", "read"),
        ("The report reads the table.", "read", "read"),
        ("The reports have read the tables.", "have read", "read"),
        ("Orders are stored in VBAK.", "are stored in", "be stored in"),
        ("Orders stored in VBAK are read.", "stored in", "be stored in"),
        ("The tool lived in the cloud.", "lived in", "live in"),
        ("It is compatible with S/4HANA.", "is compatible with", "be compatible with"),
        ("The run is part of the close.", "is part of", "be part of"),
        ("The service can be used to send mails.", "can be used to send", "be used to send"),
        ("The job is running on Linux.", "is running on", "run on"),
        ("The report, an old one, has a variant.", "has", "have"),
        ("Tools: Kafka, Spark.", "includes", "include"),
        ("It carries data to the ledger.", "carries to", "carry to"),
    ],
)
def test_a_relation_gets_the_form_that_rules_give(text: str, told: str, form: str) -> None:
    found = relation(text, told)
    assert (found.text, found.turned, found.negated) == (form, False, False)


@pytest.mark.parametrize("told", ["is replaced by", "replaced by", "was replaced by"])
def test_a_passive_with_by_is_turned_round(told: str) -> None:
    found = relation("VBBS was replaced by VBBE.", told)
    assert (found.text, found.turned) == ("replace", True)


@pytest.mark.parametrize("told", ["does not read", "doesn't read", "never reads", "cannot read"])
def test_what_is_denied_is_marked(told: str) -> None:
    found = relation("The report does not read it.", told)
    assert (found.text, found.negated) == ("read", True)


@pytest.mark.parametrize(
    "told", ["deletes", "is deleted by", "", "...", "reads and is read and is read again"]
)
def test_what_no_word_of_the_sentence_says_is_no_relation(told: str) -> None:
    assert parsed("The report reads the table.").relation(told) is None


def test_what_a_sentence_may_imply_is_told_apart() -> None:
    assert relation("Required: role FI_CLERK.", "is").implied
    assert not relation("The report reads the table.", "reads").implied


def test_the_preposition_is_known() -> None:
    assert relation("Orders are stored in VBAK.", "are stored in").preposition == "in"
    assert relation("The report reads the table.", "reads").preposition is None

"""Whether the parse of a sentence lets a told fact pass: direction, denial, other words."""

from collections.abc import Callable

import pytest

from graphrag_tasks.extract.llm.requests import ToldFact
from graphrag_tasks.extract.llm.support import FactCheck, Reason, Setting
from graphrag_tasks.language.parser import SentenceParser

Judged = Callable[[str, str, str, str], str | None]


@pytest.fixture(scope="module")
def judged() -> Judged:
    """Return what judges a fact of one sentence: the reason against it, or None."""
    parser = SentenceParser(batch_size=1, entities=False)

    def judge(sentence: str, head: str, relation: str, tail: str) -> str | None:
        (tokens,) = parser.parse([sentence])
        fact = ToldFact(sentence=1, head=head, relation=relation, tail=tail, weight=1)
        found = FactCheck(Setting(sentence, tokens, "", "", (), ())).frame(fact, {})
        return str(found) if isinstance(found, Reason) else None

    return judge


CONVERT = "Use this module to convert an XML document that is in the main payload to text format."
LIST = "getTrace().addWarning: Add warning messages to the mapping log."
NO = "No control of the transport events is given."


@pytest.mark.parametrize(
    ("sentence", "head", "relation", "tail"),
    [
        (CONVERT, "XML document", "convert to", "text format"),
        (LIST, "getTrace().addWarning", "Add", "warning messages"),
        (NO, "No control", "of", "transport events"),
        ("With this app, you can display general settings.", "general settings", "With display",
         "app"),
        ("This feature allows you to view and manage messages.", "feature", "allows manage",
         "messages"),
        ("An email is sent when the setup is completed.", "email", "is sent when", "setup"),
        ("It's not limited to one system.", "It", "is not limited to", "system"),
        ("The setting has no implication to the object structure.", "setting",
         "has no implication to", "object structure"),
    ],
)  # fmt: skip
def test_a_fact_passes(judged: Judged, sentence: str, head: str, relation: str, tail: str) -> None:
    assert judged(sentence, head, relation, tail) is None


@pytest.mark.parametrize(
    ("sentence", "head", "relation", "tail", "reason"),
    [
        (CONVERT, "text format", "convert to", "XML document", "other_fact"),
        (CONVERT, "this module", "is", "text format", "other_fact"),
        (CONVERT, "that", "is", "payload", "other_fact"),
        (NO, "control", "of", "transport events", "negation"),
        ("The program runs with the old key.", "with", "includes", "key", "other_fact"),
        ("The program runs with the old key.", "runs", "includes", "key", "other_fact"),
        ("The folder has no effect on the table.", "folder", "has effect on", "table", "negation"),
        ("The index was rebuilt in June.", "index", "was rebuilt", "June", "other_fact"),
        ("The setting has no implication to the object structure.", "setting",
         "has implication to", "object structure", "negation"),
    ],
)  # fmt: skip
def test_a_fact_is_declined(judged: Judged, sentence: str, head: str, relation: str, tail: str, reason: str) -> None:
    assert judged(sentence, head, relation, tail) == reason

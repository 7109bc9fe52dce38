"""What becomes of told facts: triples, more sure triples, or rows of `declined`."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.extract.llm.conftest import Fact, Reader, answer

Make = Callable[..., Reader]

TEXT = """# Ledger

Table ACDOCA replaces the tables BSEG and BKPF. The report ZFIN reads the
table BSEG and writes the log.
The log is kept for ten years. Who reads it?

# Jobs

Nightly: the posting run. It needs the role FI_CLERK.
"""

PLAIN = """
The buyer bears the risk.|buyer|bears|risk
Insulin lowers blood sugar.|Insulin|lowers|blood sugar
The lessor insures the building.|lessor|insures|building
The proxy caches the response.|proxy|caches|response
The index is built by the worker.|index|is built by|worker
Warfarin interacts with aspirin.|Warfarin|interacts with|aspirin
The kidney filters the blood and removes waste.|kidney|removes|waste
The clause was added by the insurer in 2019.|clause|was added by|insurer
Unlike the tenant, the landlord insures the building.|landlord|insures|building
The plugin registers a hook that rewrites the query.|hook|rewrites|query
The library provides a function which encrypts passwords.|library|provides|function
Each replica follows the leader until the leader fails.|replica|follows|leader
The daemon, which runs as root, rotates the logs every night.|daemon|rotates|logs
The heir inherits the house.|heir|inherits|house
The virus infects the cells.|virus|infects|cells
The plaintiff sues the bank.|plaintiff|sues|bank
The state taxes the profit.|state|taxes|profit
The lock is released by the thread.|lock|is released by|thread
The pancreas produces insulin.|pancreas|produces|insulin
The policy covers the theft of jewelry.|policy|covers|theft of jewelry
The doctor prescribes the ointment for the rash.|doctor|prescribes|ointment
The mother, not the father, carries the gene.|mother|carries|gene
When the timer expires, the watchdog restarts the process.|watchdog|restarts|process
The antibody attacks a protein which the tumor makes.|tumor|makes|protein
Dialysis replaces the kidneys while the patient waits.|Dialysis|replaces|kidneys
The midwife assists the mother during labor.|midwife|assists|mother
"""
"""Sentences of law, medicine and software, each with a fact that it states."""

NOT_SAID = """
The buyer, not the seller, bears the cost of transport.|seller|bears|cost of transport
Neither the buyer nor the seller bears the risk.|seller|bears|risk
The tenant pays the rent, not the deposit.|tenant|pays|deposit
Morphine relieves pain, but codeine suppresses the cough.|Morphine|suppresses|cough
If the guest breaks the key, the host replaces the lock.|guest|replaces|lock
The surgeon removed the tumor before the radiologist saw the scan.|radiologist|removed|tumor
The parser reads the file rather than the stream.|parser|reads|stream
The drug treats neither the cough nor the fever.|drug|treats|fever
In contrast to the proxy, the gateway logs the request.|proxy|logs|request
The mother, not the father, carries the gene.|father|carries|gene
Neither the bank nor the broker owes the fee.|broker|owes|fee
The policy covers the theft, not the fire.|policy|covers|fire
The bank lends the money and the customer repays the loan.|bank|repays|loan
When the timer expires, the watchdog restarts the process.|timer|restarts|process
The court fines the company instead of the director.|court|fines|director
The cache stores the pages but not the images.|cache|stores|images
The kernel loads neither the driver nor the firmware.|kernel|loads|driver
"""
"""Sentences with facts of other words than those that they are about."""


def telling(*facts: tuple[str, str, str, str]) -> Callable[[dict[int, str]], str]:
    """Return what tells facts of the sentence that holds some words."""

    def tell(sentences: dict[int, str]) -> str:
        found: list[Fact] = [
            (number, *fact) for words, *fact in facts for number, text in sentences.items() if words in text
        ]
        return answer(*found)

    return tell


@pytest.mark.parametrize(
    ("fact", "triple"),
    [
        (("ACDOCA", "Table ACDOCA", "replaces", "BSEG"), ("Table ACDOCA", "replace", "tables BSEG")),
        (("ACDOCA", "BKPF", "is replaced by", "ACDOCA"), ("Table ACDOCA", "replace", "BKPF")),
        (("needs", "posting run", "needs", "role FI_CLERK"), None),
        (("needs", "Posting Run", "needs", "role FI_CLERK"), None),
        (("ZFIN", "report ZFIN", "writes", "log"), ("report ZFIN", "write", "log")),
        (("kept", "log", "is kept for", "ten years"), ("log", "be kept for", "ten years")),
    ],
)
def test_a_fact_that_its_sentence_states_is_adopted(
    reader: Make, fact: Any, triple: tuple[str, str, str] | None
) -> None:
    found = reader(telling(fact)).read({"a.md": TEXT})
    adopted = [*found.triples(), *found.triples("dependency")]
    if triple is None:
        assert found.reasons == ["head"]
    else:
        assert (found.reasons, triple in adopted) == ([], True)


def check_declined(reader: Make, expected: Sequence[tuple[tuple[str, ...], str]]) -> None:
    """Tell facts, and check that each is declined for its reason and none is adopted."""
    found = reader(telling(*(fact for fact, _ in expected))).read({"a.md": TEXT})  # type: ignore[arg-type]
    rows = found.tables["declined"]
    reasons = {(row["head"], row["relation"], row["tail"]): row["reason"] for row in rows}
    assert reasons == {fact[1:]: reason for fact, reason in expected}
    assert found.triples() == []


def test_any_other_is_declined_with_the_reason(reader: Make) -> None:
    expected = [
        (("ACDOCA", "Table ACDOCA", "replaces", "VBAK"), "tail"),
        (("ACDOCA", "VBAK", "replaces", "BSEG"), "head"),
        (("ACDOCA", "VBAK", "replaces", "VBAP"), "both_elsewhere"),
        (("ACDOCA", "Table ACDOCA", "reads", "BSEG"), "relation"),
        (("ACDOCA", "table BSEG", "replaces", "tables BSEG"), "same"),
        (("kept", "report ZFIN", "is kept for", "ten years"), "head"),
        (("Who", "log", "reads", "it"), "question"),
        (("ACDOCA", "", "replaces", "BSEG"), "head"),
        (("ACDOCA", "b c d e f g h i j", "replaces", "BSEG"), "long"),
    ]
    check_declined(reader, expected)


def test_a_pronoun_stands_for_a_name_of_the_window(reader: Make) -> None:
    text = "# X\n\nThe tool ZX1 was built in 2019. Nobody knows that it reads the ledger BSEG.\n"
    found = reader(telling(("Nobody", "tool ZX1", "reads", "ledger BSEG"))).read({"a.md": text})
    (triple,) = [row for row in found.tables["adopted_triples"] if row["extractor"] == "llm"]
    assert "tool ZX1" in (triple["head"], triple["head_resolved"])
    assert triple["confidence"] < 0.8


def test_a_fact_of_the_rules_grows_more_sure_and_is_no_second_one(reader: Make) -> None:
    alone = reader(telling()).read({"a.md": TEXT})
    told = reader(telling(("ACDOCA", "ACDOCA", "replaced", "BSEG"))).read({"a.md": TEXT})
    (before,) = [row for row in alone.tables["triples"] if row["tail"] == "tables BSEG"] or [
        row for row in alone.tables["triples"] if "BSEG" in row["tail"] and "ACDOCA" in row["head"]
    ][:1]
    (after,) = [row for row in told.tables["adopted_triples"] if row["triple_id"] == before["triple_id"]]
    assert after["confidence"] > before["confidence"]
    assert told.triples() == []


def test_with_llm_the_models_facts_take_the_place_of_the_rules(reader: Make) -> None:
    facts = ("ZFIN", "report ZFIN", "reads", "BSEG"), ("ZFIN", "BSEG", "is", "table")
    for extractor, stays in (("llm", False), ("hybrid", True)):
        extract = {"extractor": extractor, "llm": {"share": 1}}
        found = reader(telling(*facts)).read({"a.md": TEXT}, extract=extract)
        kept = found.triples("dependency")
        assert ("report ZFIN", "read", "table BSEG") in kept
        assert (("report ZFIN", "write", "log") in kept) is stays


def test_what_the_sentence_says_otherwise_is_declined(reader: Make) -> None:
    expected = [
        (("ACDOCA", "BSEG", "replaces", "Table ACDOCA"), "direction"),
        (("ACDOCA", "Table ACDOCA", "is replaced by", "BSEG"), "direction"),
        (("ACDOCA", "Table ACDOCA", "does not replace", "BSEG"), "negation"),
        (("ZFIN", "log", "reads", "report ZFIN"), "other_fact"),
        (("ZFIN", "report ZFIN", "includes", "log"), "other_fact"),
        (("ZFIN", "table BSEG", "is", "log"), "other_fact"),
        (("kept", "ten years", "is kept for", "log"), "direction"),
    ]
    check_declined(reader, expected)


def test_a_fact_is_adopted_as_its_plain_sentence_says_it_and_never_the_other_way(reader: Make) -> None:
    rows = [line.split("|") for line in PLAIN.strip().splitlines()]
    true = [(words, head, verb, tail) for words, head, verb, tail in rows]
    false = [(words, tail, verb, head) for words, head, verb, tail in true]
    others = [line.split("|") for line in NOT_SAID.strip().splitlines()]
    false += [(words, head, verb, tail) for words, head, verb, tail in others]
    text = "\n\n".join(dict.fromkeys(words for words, *_ in [*true, *false]))
    found = reader(telling(*true, *false)).read({"a.md": text})
    declined = {(row["head"], row["relation"], row["tail"]) for row in found.tables["declined"]}
    assert [fact for fact in true if fact[1:] in declined] == []
    assert [fact for fact in false if fact[1:] not in declined] == []


@pytest.mark.parametrize(
    "said",
    [
        '{"entities":[],"relations":[{"sentence":99,"head":"a","relation":"is","tail":"b","weight":1}]}',
        '{"entities":[],"relations":[{"sentence":0,"head":"a","relation":"is","tail":"b","weight":1}]}',
    ],
)
def test_a_sentence_that_was_not_shown_supports_nothing(reader: Make, said: str) -> None:
    found = reader(lambda _: said).read({"a.md": TEXT})
    assert set(found.reasons) == {"no_sentence"}
    assert {row["sentence_id"] for row in found.tables["declined"]} == {None}

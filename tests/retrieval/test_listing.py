"""Mode `list`: what a question asks for, and that the graph's answer is that and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphrag_tasks.retrieval import Context, Index, open_index
from tests.retrieval.small_worlds import FakeEmbedder, World, publish

NAMES = {
    "e01": "MATDOC", "e02": "MKPF", "e03": "MSEG", "e04": "Report X", "e05": "table", "e06": "ACDOCA", "e07": "BSEG",
    "e08": "Cloud Connector", "e09": "Cloud Integration", "e10": "message conversions", "e11": "HTTP", "e12": "LDAP",
    "e13": "protocols", "e14": "troubleshooting", "e15": "Billing service", "e16": "Mail relay", "e17": "Linux cluster",
    "e18": "FTP", "e19": "JDBC adapter", "e20": "Otto Berg", "e21": "Winter Song", "e22": "Summer Song",
    "e23": "Groovy", "e24": "PayloadSwapBean", "e25": "adapter modules", "e26": "TABX",
}  # fmt: skip
RELATIONS = (
    ("e01", "replace", "e02"), ("e03", "be replaced by", "e01"), ("e01", "replace", "e04"), ("e02", "be", "e05"),
    ("e03", "be", "e05"), ("e06", "replace", "e01"), ("e06", "be", "e05"), ("e01", "contain", "e07"),
    ("e08", "carry", "e11"), ("e08", "carry", "e12"), ("e10", "be carried at", "e09"), ("e13", "include", "e11"),
    ("e13", "include", "e12"), ("e09", "support", "e14"), ("e15", "run on", "e17"), ("e16", "run on", "e17"),
    ("e17", "run on", "e01"), ("e09", "support", "e19"), ("e20", "write", "e21"), ("e22", "be written by", "e20"),
    ("e24", "be rebuilt with", "e23"), ("e24", "be", "e25"), ("e26", "be in", "e09"), ("e26", "be", "e05"),
)  # fmt: skip
DENIED = (("e09", "support", "e18"),)
WORLD = World(
    documents=(("d1", "Landscape"),),
    chunks=(("c1", "d1", "Everything is said here."),),
    sentences=(("s1", "c1", "Everything is said here."),),
    entities=tuple((one, name, (name,)) for one, name in NAMES.items()),
    relations=tuple(
        (f"r{place:02}", head, f"{NAMES[head]} {relation} {NAMES[tail]}", tail)
        for place, (head, relation, tail) in enumerate((*RELATIONS, *DENIED))
    ),
    evidence=tuple((f"r{place:02}", "s1", 0.5) for place in range(len(RELATIONS) + 1)),
    mentions=tuple((one, "s1") for one in NAMES),
    negated=frozenset({f"r{len(RELATIONS):02}"}),
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    root: Path = tmp_path_factory.mktemp("store")
    publish(root, WORLD)
    return open_index(root, embedder=FakeEmbedder())


def listed(context: Context) -> list[str]:
    return [one.name for one in context.listed]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # either voice in the question, either in the sources
        ("Which tables were replaced by MATDOC?", ["MKPF", "MSEG"]),
        ("Which tables did MATDOC replace?", ["MKPF", "MSEG"]),
        ("which tables does MATDOC replace", ["MKPF", "MSEG"]),
        ("Which tables are no longer there, replaced by MATDOC?", ["MKPF", "MSEG"]),
        # the other direction
        ("Which tables replaced MATDOC?", ["ACDOCA"]),
        ("Which tables was MATDOC replaced by?", ["ACDOCA"]),
        ("Which tables replaced MKPF?", ["MATDOC"]),
        # another verb of the same name
        ("Which tables does MATDOC contain?", ["BSEG"]),
        # verbs without a passive
        ("Which services run on the Linux cluster?", ["Billing service"]),
        ("List all that runs on the Linux cluster", ["Billing service", "Mail relay"]),
        ("What all does the Linux cluster run on?", ["MATDOC"]),
        # irregular verbs
        ("Which songs were written by Otto Berg?", ["Summer Song", "Winter Song"]),
        ("Which songs did Otto Berg write?", ["Summer Song", "Winter Song"]),
        ("List the adapter modules that can be rebuilt with Groovy", ["PayloadSwapBean"]),
        # asked after something else was said, or below a preposition
        ("Stock is in MATDOC now: which tables did MATDOC replace?", ["MKPF", "MSEG"]),
        ("MATDOC is new. Which tables does MATDOC replace?", ["MKPF", "MSEG"]),
        ("On which services does the Linux cluster run?", ["MATDOC"]),
        # the name that the verb is about, not one that the question holds as well
        ("Which protocols can the Cloud Connector carry for Cloud Integration?", ["HTTP", "LDAP"]),
        # what is denied only where that is asked
        ("Which adapters does Cloud Integration support?", ["JDBC adapter"]),
        ("Which adapters are not supported by Cloud Integration?", ["FTP"]),
        # without a verb, neighbours that are known to be of the kind
        ("List all tables in Cloud Integration", ["TABX"]),
        # without a name, what is of the kind and has it done, whatever does it
        ("Which tables were replaced?", ["MKPF", "MSEG"]),
        ("List all tables that have been replaced.", ["MKPF", "MSEG"]),
        # without a name, what is said to be of the kind
        ("List all protocols", ["HTTP", "LDAP"]),
        ("Which protocols are there?", ["HTTP", "LDAP"]),
    ],
)
def test_lists_what_is_asked_for_and_nothing_else(index: Index, question: str, expected: list[str]) -> None:
    assert listed(index.search(question, "list")) == expected


@pytest.mark.parametrize(
    "question",
    [
        "Which colours does MATDOC like?",
        "Which monitors that we know from Cloud Integration are carried?",
        "Which protocols are not carried at Cloud Integration?",
        "Which protocols doesn't the Linux cluster like?",
        "Which tables did replace?",
        "Tables one can replace with MATDOC and what the Linux cluster runs",
        "Which tables were not replaced?",
        "Which protocols were replaced?",
        "Which songs did Cloud Integration write?",
        "which are they",
    ],
)
def test_what_no_relation_answers_is_not_listed(index: Index, question: str) -> None:
    context = index.search(question, "list")
    assert listed(context) == []
    assert "nothing could be listed" in context.notes[-1]
    assert context.chunks


def test_what_a_found_passage_says_the_kind_includes_is_listed_with_a_note(index: Index) -> None:
    for question in ("Which protocols arrive in my flow?", "Which protocols are carried at Cloud Integration?"):
        context = index.search(question, "list")
        assert listed(context) == ["HTTP", "LDAP"]
        assert "one passage says" in context.notes[-1]
        assert {one.text for one in context.relations} >= {"protocols include HTTP"}


def test_names_of_no_known_kind_are_listed_with_a_note(index: Index) -> None:
    context = index.search("Which fields does MATDOC contain?", "list")
    assert listed(context) == ["BSEG"]
    assert "of the kind asked" in context.notes[-1]

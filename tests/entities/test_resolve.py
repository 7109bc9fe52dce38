"""Resolve: what is merged, what is kept apart, and that every decision is a row."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import LanguageConfig, ResolveConfig
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.entities.resolve import Confirmer, Overrides, read_overrides, resolve
from graphrag_tasks.entities.resolve.candidates import Name
from graphrag_tasks.language.names import entity_key
from tests.sizes import few_or_many


def run(
    *names: str | tuple[str, str | None, int],
    overrides: str = "",
    acronyms: tuple[tuple[str, str], ...] = (),
    titles: tuple[tuple[str, str], ...] = (),
    confirmer: Confirmer | None = None,
    related: tuple[tuple[str, str, str], ...] = (),
    texts: Sequence[str] = (),
    tables: Sequence[Sequence[tuple[str, ...]]] = (),
) -> StageResult:
    """Resolve names, given as surface or as (surface, label, mentions); earlier ones lead.

    Others related them to each other: head, tail and document. Each of the `texts` is a sentence of another document;
    the first row of each of the `tables` is its header.
    """
    rows: list[dict[str, Any]] = []
    for place, name in enumerate(names):
        surface, label, mentions = name if isinstance(name, tuple) else (name, None, 99 - place)
        told = {"type": label, "type_source": label and "words", "mentions": mentions}
        rows.append({"key": entity_key(surface), "name": surface} | told)
    surface_forms = [{"surface": row["name"], "type": "", "key": row["key"], "name": row["name"]} for row in rows]
    triples = [
        dict.fromkeys(schemas.TRIPLES.names) | {"head": long, "tail": short, "rule": "alias"}
        for short, long in acronyms
    ] + [
        dict.fromkeys(schemas.TRIPLES.names) | {"head": head, "tail": tail, "document_id": document}
        for head, tail, document in related
    ]
    entity_dictionary = [
        {"surface": long, "name": name, "form": form, "source": "title", "document_id": "d",
         "chunk_id": short, "problem": None}
        for short, long in titles
        for name, form in ((long, "base"), (short, "acronym"))
    ]  # fmt: skip
    return resolve(
        pa.Table.from_pylist(triples, schema=schemas.TRIPLES),
        pa.Table.from_pylist(entity_dictionary, schema=schemas.ENTITY_DICTIONARY),
        pa.Table.from_pylist(surface_forms, schema=schemas.SURFACE_FORMS),
        pa.Table.from_pylist(rows, schema=schemas.NAMES),
        pa.Table.from_pylist(
            [
                dict.fromkeys(schemas.SENTENCES.names) | {"document_id": f"d{place}", "text": text}
                for place, text in enumerate(texts)
            ],
            schema=schemas.SENTENCES,
        ),
        pa.Table.from_pylist(list(cells_of(tables)), schema=schemas.CELLS),
        config=ResolveConfig(),
        language=LanguageConfig(),
        overrides=read_overrides(overrides, "o.yaml") if overrides else Overrides(),
        confirmer=confirmer,
    ).collected()


def cells_of(tables: Sequence[Sequence[tuple[str, ...]]]) -> Iterator[dict[str, Any]]:
    for ordinal, (headers, *rows) in enumerate(tables):
        for row, texts in enumerate(rows, 1):
            for column, (header, text) in enumerate(zip(headers, texts, strict=True)):
                yield dict.fromkeys(schemas.CELLS.names) | {
                    "document_id": "d", "ordinal": ordinal, "row": row, "column": column,
                    "is_header": False, "header": header or None, "text": text,
                }  # fmt: skip


def entities(result: StageResult) -> set[frozenset[str]]:
    groups: dict[str, set[str]] = {}
    for row in result.tables["resolved"].to_pylist():
        groups.setdefault(row["entity_id"], set()).add(row["key"])
    return {frozenset(group) for group in groups.values() if len(group) > 1}


def decisions(result: StageResult) -> list[tuple[str, str, str, str | None]]:
    return [(row["left"], row["right"], row["verdict"], row["guard"]) for row in result.tables["merges"].to_pylist()]


WAYS = {
    "number": ["internal table", "internal tables", "stage ID", "stage IDs", "RAP BO", "RAP BOs",
               "integration flow", "integration flows"],
    "spacing": ["time stamp", "timestamp"],
    "brackets": ["test system", "test system(s)"],
    "spelling": ["organization", "organisation"],
    "accents": ["facade", "façade"],
    "apostrophe": ["king's cross", "king’s cross"],
    "kind": ["VBBE", "table VBBE", "S001", "transparent table S001", "MKPF",
             "two document tables MKPF", "Z_CCM_EX", "exercise package Z_CCM_EX",
             "NOTE-2185390", "table NOTE-2185390"],
}  # fmt: skip
"""Two ways each of writing a name, by the rule that makes them one."""


def test_ways_of_writing_one_name() -> None:
    result = run(*chain(*WAYS.values()))
    pairs = [
        (rule, frozenset(map(entity_key, pair)))
        for rule, names in WAYS.items()
        for pair in zip(names[::2], names[1::2], strict=True)
    ]
    assert entities(result) == {pair for _, pair in pairs}
    rows = [row for row in result.tables["merges"].to_pylist() if row["verdict"] == "same"]
    assert {(row["rules"][0], frozenset({row["left"], row["right"]})) for row in rows} == set(pairs)


def test_near_names_stay_apart() -> None:
    names = ("VBBE", "VBBS", "SAP S/4HANA 1809", "SAP S/4HANA 1909", "World War I", "World War II",
             "content", "context", "table type", "type table", "1.5 m", "15 m", "client", "server",
             "choice()", "choices()", "choice", "colour()", "color()", "sort() loop", "sort loop",
             "get_entry", "get_entries", "table", "TYPE TABLE", "news", "new", "DATA",
             "internal table DATA", "open quantities of table VBBE", "URL", "token service URL",
             )  # fmt: skip
    assert entities(run(*names)) == set()


def test_an_introduced_acronym_is_its_long_form() -> None:
    result = run("MRP", "material requirements planning", acronyms=(("MRP", "material requirements planning"),))
    assert entities(result) == {frozenset({"mrp", "material requirements planning"})}


def test_an_acronym_of_two_things_is_left_open() -> None:
    result = run("ATM", "automated teller machine", "asynchronous transfer mode",
                 acronyms=(("ATM", "automated teller machine"),
                           ("ATM", "asynchronous transfer mode")))  # fmt: skip
    assert entities(result) == set()
    assert {row[2] for row in decisions(result)} == {"unsure"}


@pytest.mark.parametrize(
    ("short", "long", "documents"),
    [
        ("DDS", "Data Definition Sources", "d2"),
        ("DDS", "data definition sources", "d1"),
        ("DDS", "Data Definition", "d1"),
        ("DD", "Data Definition", "d1"),
        ("Dds", "Data Definition Sources", "d1"),
    ],
    ids=["elsewhere", "no name", "a letter more", "two letters", "no capitals"],
)
def test_other_capitals_do_not(short: str, long: str, documents: str) -> None:
    assert not entities(run(short, long, related=((short, "x", "d1"), (long, "x", documents))))


class Says:
    """Answers by a function, whatever it is asked."""

    fingerprint = "fake"

    def __init__(self, answer: Callable[[], bool | None]) -> None:
        self.answer = answer
        self.contexts: dict[str, Sequence[str]] = {}
        self.asked: Sequence[tuple[Name, Name]] = ()

    def confirm(self, pairs: Sequence[tuple[Name, Name]], contexts: Mapping[str, Sequence[str]]) -> list[bool | None]:
        self.asked, self.contexts = pairs, dict(contexts)
        return [self.answer() for _ in pairs]


@pytest.mark.parametrize(("answer", "verdict"), [(True, "same"), (False, "different")])
def test_a_confirmer_decides_what_rules_leave_open(answer: bool, verdict: str) -> None:
    names = ("ATM", "automated teller machine", "asynchronous transfer mode")
    says = Says(lambda: answer)
    result = run(*names, acronyms=tuple(("ATM", name) for name in names[1:]), confirmer=says)
    found = {(row["verdict"], row["by"]) for row in result.tables["merges"].to_pylist()}
    assert found == {(verdict, "confirmer")}
    assert [{one.name for one in pair} for pair in says.asked] == [{"ATM", name} for name in sorted(names[1:])]


def test_a_user_has_the_last_word() -> None:
    names = ("data object", "data objects", "BTP", "Business Technology Platform", "spare")
    result = run(
        *names,
        overrides="same:\n- [BTP, Business Technology Platform]\n- [BTP, unheard of]\n"
        "different:\n- [data object, data objects]\nrename:\n  btp: SAP BTP\n",
    )
    assert entities(result) == {frozenset({"btp", "business technology platform"})}
    named = {row["key"]: row["name"] for row in result.tables["resolved"].to_pylist()}
    assert named["business technology platform"] == named["btp"] == "SAP BTP"
    assert [row["by"] for row in result.tables["merges"].to_pylist()] == ["override", "override"]
    assert result.stats["overrides_unused"] == 1


WORDS = st.sampled_from(["data", "object", "objects", "time-stamp", "timestamp", "VBBE", "7.5", "s"])
NAMES = st.lists(st.lists(WORDS, min_size=1, max_size=3).map(" ".join), max_size=12, unique=True)


@few_or_many("examples", 2, 40)
def test_order_does_not_show(examples: int) -> None:
    @settings(max_examples=examples)
    @given(NAMES, st.randoms())
    def is_hidden(names: list[str], random: Random) -> None:
        keyed = {entity_key(name): (name, None, 1 + len(name) % 3) for name in names if entity_key(name)}
        shuffled = list(keyed.values())
        random.shuffle(shuffled)
        one, other = run(*keyed.values()), run(*shuffled)
        for table in ("merges", "resolved"):
            assert one.tables[table].equals(other.tables[table])

    is_hidden()

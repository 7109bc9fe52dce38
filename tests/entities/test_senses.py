"""Homonyms: what parts the senses of a name, and what does not."""

from collections.abc import Mapping
from time import process_time
from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import LanguageConfig, RelationshipsConfig, ResolveConfig, SqlConfig
from graphrag_tasks.entities.link_mentions import link_mentions
from graphrag_tasks.entities.normalize import normalize
from graphrag_tasks.entities.resolve import read_overrides, resolve
from graphrag_tasks.graph.relationships import relationships

SQL = SqlConfig()
PLANET = ("Mercury is the smallest planet of the solar system",
          "the craters of Mercury were mapped by a probe in a polar orbit around the Sun",
          "a telescope shows Mercury near the horizon at dusk")  # fmt: skip
METAL = ("Mercury is a metal that is liquid at room temperature",
         "the vapour of mercury is toxic, so thermometers are replaced in laboratories",
         "gold miners use mercury to separate gold from ore")  # fmt: skip
Table = list[dict[str, Any]]


def run(
    documents: Mapping[str, tuple[str, ...]], name: str = "Mercury", overrides: str = ""
) -> dict[str, Table]:
    """Make the entities of documents, each of whose sentences has a triple of the name."""
    sentences, triples = [], []
    for document, texts in documents.items():
        for number, text in enumerate(texts):
            place = {"sentence_id": f"{document}{number}", "chunk_id": document,
                     "document_id": document}  # fmt: skip
            sentences.append(dict.fromkeys(schemas.SENTENCES.names) | place | {"text": text})
            start = text.lower().find(name.lower())
            triples += [] if start < 0 else [
                dict.fromkeys(schemas.TRIPLES.names) | place | {
                    "triple_id": f"{document}{number}", "head": text[start : start + len(name)],
                    "relation": "have", "phrase": "has", "tail": f"Thing {document}{number}",
                    "head_start": start, "head_end": start + len(name), "tail_start": 900,
                    "tail_end": 901, "negated": False, "conditional": False, "rule": "svo",
                    "said": number, "confidence": 0.5,
                }
            ]  # fmt: skip
    told = pa.Table.from_pylist(triples, schema=schemas.TRIPLES)
    texts_read = pa.Table.from_pylist(sentences, schema=schemas.SENTENCES)
    titles = schemas.empty("entity_dictionary")
    made = (
        normalize(told, titles, texts_read, language=LanguageConfig(), sql=SQL).collected().tables
    )
    forms, names = made["surface_forms"], made["names"]
    found = resolve(
        told, titles, forms, names, texts_read, schemas.empty("cells"), config=ResolveConfig(),
        language=LanguageConfig(),
        sql=SQL, overrides=read_overrides(overrides, "o.yaml"),
    ).collected().tables  # fmt: skip
    resolved, senses = found["resolved"], found["senses"]
    linked = link_mentions(
        told, texts_read, titles, forms, names, resolved, senses, language=LanguageConfig(), sql=SQL
    ).collected()
    related = relationships(
        told, forms, resolved, senses, config=RelationshipsConfig(), sql=SQL
    ).collected()
    every = {**found, **linked.tables, **related.tables}
    return {name: rows.to_pylist() for name, rows in every.items()}


def documents_of(made: dict[str, Table]) -> dict[str, set[str]]:
    """Return the documents that mention each entity but the things at the other ends."""
    names = {row["entity_id"]: row["name"] for row in made["entities"]}
    found: dict[str, set[str]] = {}
    for row in made["mentions"]:
        if not names[row["entity_id"]].startswith("Thing"):
            found.setdefault(names[row["entity_id"]], set()).add(row["document_id"])
    return found


@pytest.fixture(scope="module")
def made() -> dict[str, Table]:
    """A planet of one document and a metal of two."""
    return run({"a": PLANET, "b": METAL, "c": METAL[1:]})


def test_kinds_part_senses_in_different_company(made: dict[str, Table]) -> None:
    assert documents_of(made) == {"Mercury (planet)": {"a"}, "mercury (metal)": {"b", "c"}}
    types = {row["name"]: row["type"] for row in made["entities"]}
    assert (types["Mercury (planet)"], types["mercury (metal)"]) == ("PLANET", "METAL")


def test_both_senses_keep_the_bare_name_as_alias_and_the_decision_says_why(
    made: dict[str, Table],
) -> None:
    aliases = [row["alias"].lower() for row in made["aliases"]]
    assert aliases.count("mercury") >= 2
    [apart] = [row for row in made["merges"] if row["rules"][0] == "homonym"]
    assert (apart["left"], apart["right"]) == ("mercury", "mercury (planet)")
    assert (apart["rules"], apart["verdict"]) == (["homonym", "kind"], "different")
    assert apart["guard"] == "metal | planet"


def test_two_long_forms_part_an_acronym() -> None:
    made = run(
        {"a": ("the order is checked by available-to-promise (ATP)",
               "the planner sees in ATP the stock, receipts and the delivery date of customers",
               "a material is locked by ATP while backorders are confirmed"),
         "b": ("muscle gets energy from adenosine triphosphate (ATP)",
               "in mitochondria ATP is made from glucose and oxygen",
               "myosin binds ATP and lets go of the actin filament")},
        "ATP",
    )  # fmt: skip
    assert documents_of(made) == {
        "ATP (available-to-promise)": {"a"}, "ATP (adenosine triphosphate)": {"b"},
    }  # fmt: skip


@pytest.mark.parametrize(
    "documents",
    [
        {"a": PLANET, "b": (*METAL, *PLANET[1:])},  # they share their company
        {"a": PLANET, "b": METAL[1:2]},  # only one says what it is, and both write a name
        {"a": PLANET[:1], "b": METAL[:1]},  # one mention each: too little company
        {"a": PLANET, "b": ("Mercury is the innermost planet, says a novel of pirates",
                            "the ship named Mercury sank off the coast in a storm with gold")},
    ],
    ids=["company", "one side", "one mention each", "same kind"],
)  # fmt: skip
def test_one_sense_stays_one(documents: Mapping[str, tuple[str, ...]]) -> None:
    made = run(documents)
    assert len(documents_of(made)) == 1
    assert made["senses"] == []


def test_a_user_says_that_senses_are_one() -> None:
    made = run({"a": PLANET[:2], "b": METAL}, overrides="same: [[Mercury, Mercury (planet)]]")
    assert len(documents_of(made)) == 1


@pytest.mark.slow
def test_many_names_that_differ_in_a_letter_are_neither_split_nor_slow() -> None:
    texts = tuple(f"the part K{number:05d} is a screw of the machine" for number in range(10_000))
    sentences = [
        dict.fromkeys(schemas.SENTENCES.names)
        | {"sentence_id": f"s{at}", "chunk_id": f"c{at % 99}", "document_id": f"d{at % 99}",
           "text": text}
        for at, text in enumerate(texts)
    ]  # fmt: skip
    names = [
        dict.fromkeys(schemas.NAMES.names)
        | {"key": f"k{number:05d}", "name": f"K{number:05d}", "mentions": 1, "is_term": False}
        for number in range(10_000)
    ]
    begun = process_time()
    found = resolve(
        schemas.empty("triples"), schemas.empty("entity_dictionary"),
        schemas.empty("surface_forms"), pa.Table.from_pylist(names, schema=schemas.NAMES),
        pa.Table.from_pylist(sentences, schema=schemas.SENTENCES), schemas.empty("cells"),
        config=ResolveConfig(),
        language=LanguageConfig(), sql=SQL,
    ).collected().tables  # fmt: skip
    assert process_time() - begun < 20
    assert len(set(found["resolved"]["entity_id"].to_pylist())) == 10_000
    assert not found["senses"].num_rows

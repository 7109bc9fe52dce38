"""Mention: entities are found by triples and by name, and led to by titles; each place once."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import LanguageConfig, ResolveConfig
from graphrag_tasks.entities.link_mentions import link_mentions
from graphrag_tasks.entities.normalize import normalize
from graphrag_tasks.entities.resolve import resolve
from tests.sizes import few_or_many

Rows = list[dict[str, Any]]


def sentence(number: int, text: str, chunk: str | None = None) -> dict[str, Any]:
    return dict.fromkeys(schemas.SENTENCES.names, 0) | {
        "sentence_id": f"s{number}", "chunk_id": chunk or f"c{number}", "document_id": "d",
        "text": text, "has_verb": True,
    }  # fmt: skip


def triple(number: int, text: str, head: str, tail: str) -> dict[str, Any]:
    starts = {end: text.index(value) for end, value in (("head", head), ("tail", tail))}
    return dict.fromkeys(schemas.TRIPLES.names) | {
        "triple_id": f"t{number}{head}{tail}", "sentence_id": f"s{number}",
        "chunk_id": f"c{number}", "document_id": "d", "head": head, "relation": "be", "tail": tail,
        "head_start": starts["head"], "head_end": starts["head"] + len(head),
        "tail_start": starts["tail"], "tail_end": starts["tail"] + len(tail),
        "negated": False, "rule": "svo", "confidence": 0.5,
    }  # fmt: skip


def titled(name: str, chunk: str, source: str = "title", form: str = "full") -> dict[str, Any]:
    return {"surface": name, "name": name, "form": form, "source": source, "document_id": "d",
            "chunk_id": chunk, "problem": None}  # fmt: skip


def run(
    texts: list[str], triples: Sequence[dict[str, Any]] = (), entity_dictionary: Sequence[dict[str, Any]] = ()
) -> dict[str, Rows]:
    table = pa.Table.from_pylist(list(triples), schema=schemas.TRIPLES)
    known = pa.Table.from_pylist(list(entity_dictionary), schema=schemas.ENTITY_DICTIONARY)
    rows = [sentence(number, text) for number, text in enumerate(texts)]
    texts_read = pa.Table.from_pylist(rows, schema=schemas.SENTENCES)
    read = normalize(table, known, texts_read, language=LanguageConfig())
    normal = read.collected().tables
    merged = resolve(
        table, known, normal["surface_forms"], normal["names"], texts_read,
        schemas.empty("cells"), config=ResolveConfig(), language=LanguageConfig(),
    ).collected()  # fmt: skip
    found = link_mentions(
        table, texts_read, known, normal["surface_forms"],
        normal["names"], merged.tables["resolved"],
        language=LanguageConfig(),
    ).collected()  # fmt: skip
    return {name: rows.to_pylist() for name, rows in found.tables.items()}


def places(tables: dict[str, Rows], name: str) -> list[tuple[str, int, int, str]]:
    [entity] = [row for row in tables["entities"] if row["name"] == name]
    return [
        (row["sentence_id"], row["start"], row["end"], row["source"])
        for row in tables["mentions"]
        if row["entity_id"] == entity["entity_id"]
    ]


def test_a_name_without_brackets_is_not_found_in_a_call() -> None:
    texts = ["The fsync service writes blocks.", "Call fsync() before the fsync service."]
    tables = run(texts, [triple(0, texts[0], "fsync service", "blocks"),
                         triple(1, texts[1], "fsync()", "fsync service")])  # fmt: skip
    assert places(tables, "fsync()") == [("s1", 5, 12, "extracted")]
    texts = ["The method digest reads blocks.", "The method digest() ends."]
    tables = run(texts, [triple(0, texts[0], "method digest", "blocks")])
    assert places(tables, "method digest") == [("s0", 4, 17, "extracted")]


def test_a_name_is_found_where_no_triple_has_it() -> None:
    texts = ["The table VBBE replaces VBBS.", "Open VBBS first."]
    tables = run(texts, [triple(0, texts[0], "table VBBE", "VBBS")])
    assert places(tables, "VBBS") == [("s0", 24, 28, "extracted"), ("s1", 5, 9, "name")]
    assert places(tables, "table VBBE") == [("s0", 4, 14, "extracted")]
    [row] = [row for row in tables["entities"] if row["name"] == "VBBS"]
    assert (row["mentions"], row["chunks"]) == (2, 2)


def test_a_title_that_no_triple_names_is_an_entity_and_leads_to_its_chunks() -> None:
    tables = run(
        ["Berlin is large.", "The Zugspitze is high."],
        entity_dictionary=[titled("Zugspitze", "c7"), titled("Zugspitze", "c8"), titled("Ifen", "c7")],
    )
    assert places(tables, "Zugspitze") == [("s1", 4, 13, "name")]
    entity = {row["entity_id"]: row for row in tables["entities"]}
    led = [(entity[row["entity_id"]]["name"], row["chunk_id"]) for row in tables["titles"]]
    assert sorted(led) == [("Ifen", "c7"), ("Zugspitze", "c7"), ("Zugspitze", "c8")]
    assert {row["name"]: row["mentions"] for row in tables["entities"]} == {"Zugspitze": 1, "Ifen": 0}


def test_a_key_of_a_table_is_found_in_texts_but_titles_nothing() -> None:
    tables = run(["Clear archive_dir first."], entity_dictionary=[titled("archive_dir", "c", "key")])
    assert places(tables, "archive_dir") == [("s0", 6, 17, "name")]
    assert tables["titles"] == []


WORDS = ["VBBE", "VBBS", "data objects", "table VBBE", "résumé", "Ifen"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" of ".join), max_size=6)


@few_or_many("examples", 2, 8)
def test_no_order_shows(examples: int) -> None:
    @settings(max_examples=examples)
    @given(TEXTS, st.randoms())
    def is_hidden(texts: list[str], random: Random) -> None:
        triples = [triple(n, text, text.split(" of ")[0], text.split(" of ")[-1])
                   for n, text in enumerate(texts) if text]  # fmt: skip
        titles = [titled(word, f"c{n}") for n, word in enumerate(WORDS[2:])]
        one = run(texts, triples, titles)
        random.shuffle(triples)
        random.shuffle(titles)
        assert run(texts, triples, titles) == one

    is_hidden()

"""Normalize: what is no node, and which nouns are too common to be one."""

from typing import Any

import pyarrow as pa
import pytest

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import NormalizeConfig, SqlConfig
from graphrag_tasks.entities.normalize import normalize
from graphrag_tasks.entities.normalize.problems import bare_noun, problem_of


@pytest.mark.parametrize(
    ("surface", "problem"),
    [
        ("as well", "stop_word"),
        ("e.g", "stop_word"),
        ("two years", "literal"),
        ("in 2005", "literal"),
        ("june 2025", "literal"),
        ("$5.59 billion", "literal"),
        ("1980s", "literal"),
        ("number of days", None),
        ("day", None),
        ("may", "stop_word"),
        ("S/4HANA 1909", None),
        ("at least 38 different tornadoes", "fragment"),
        ("only supported tools", "fragment"),
        ("whether a role should be restricted", "fragment"),
        ("if statement", None),
        ("as clause", None),
        ("where condition", None),
        ("If statements", None),
        ("x", "short"),
        ("🚀🚀", "no_letter"),
        ("--", "short"),
        ("e" * 10_000, "long"),
        ("e\u0301" * 80, None),
        ("id == 'x' or 1 == 1", None),
        ("=cmd|' /C calc'!A0", None),
    ],
)
def test_what_is_no_node(surface: str, problem: str | None) -> None:
    import unicodedata

    from graphrag_tasks.language.names import entity_key

    key = entity_key(surface)
    assert unicodedata.is_normalized("NFKC", key)
    assert problem_of(surface, key, "", None, NormalizeConfig()) == problem


@pytest.mark.parametrize(
    ("title", "problem"),
    [("1984", None), ("The Who", None), ("A b c d e f g h i j", None), ("…", "short")],
)
def test_a_title_is_a_name_whatever_it_says(title: str, problem: str | None) -> None:
    from graphrag_tasks.language.names import entity_key

    assert problem_of(title, entity_key(title), "", "title", NormalizeConfig()) == problem
    assert problem_of(title, entity_key(title), "", None, NormalizeConfig()) is not None


def test_a_title_of_many_words_is_a_name_where_a_triple_tells_of_it() -> None:
    film, manual = "How I Learned to Stop Worrying and Love the Bomb", "How to Add a " + "B " * 8
    found = problems([film], film, manual)
    assert (found[film], found[manual]) == (None, "wordy")


@pytest.mark.parametrize(
    ("name", "noun"),
    [
        ("examples", "example"),
        ("following example", "example"),
        ("two other examples", "example"),
        ("example program", None),
        ("Example", None),
        ("other", "other"),
        ("zspace", None),
        ("code snippets", "snippet"),
        ("following executable example", "example"),
        ("code example class", None),
        ("data snippet", None),
    ],
)
def test_bare_nouns(name: str, noun: str | None) -> None:
    assert (
        bare_noun(name, lambda word: word in {"example", "examples", "other", "snippets"}) == noun
    )


def problems(heads: list[str], *titles: str) -> dict[str, str | None]:
    """Return the problem of each surface, with one head in each document."""
    triples: list[dict[str, Any]] = [
        dict.fromkeys(schemas.TRIPLES.names)
        | {"head": head, "tail": "VBBE", "document_id": f"d{n}"}
        for n, head in enumerate(heads)
    ]
    entity_dictionary = [
        {"surface": title, "name": title, "form": "full", "source": "title", "document_id": "d",
         "chunk_id": "c", "problem": None}
        for title in titles
    ]  # fmt: skip
    result = normalize(
        pa.Table.from_pylist(triples, schema=schemas.TRIPLES),
        pa.Table.from_pylist(entity_dictionary, schema=schemas.ENTITY_DICTIONARY),
        config=NormalizeConfig(generic_documents=3, generic_share=0.3),
        sql=SqlConfig(threads=1),
    )
    return {
        row["surface"]: row["problem"]
        for row in result.collected().tables["surface_forms"].to_pylist()
    }


def test_a_bare_noun_of_many_documents_names_nothing_in_any_spelling() -> None:
    found = problems(["example", "examples", "following example", "Example", "booster"])
    assert found == {
        "example": "generic", "examples": "generic", "following example": "generic",
        "Example": "generic", "booster": None, "VBBE": None,
    }  # fmt: skip


def test_a_noun_of_few_documents_or_with_a_modifier_names_something() -> None:
    heads = ["example", "example", "example program", "example program", "example program"]
    assert set(problems(heads).values()) == {None}


def test_a_title_stays_a_name_however_common() -> None:
    assert problems(["queen", "queen", "queens"], "Queen")["Queen"] is None

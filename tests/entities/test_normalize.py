"""Normalize: what is no node, and which nouns are too common to be one."""

from typing import Any

import pyarrow as pa
import pytest
from pydantic import ValidationError

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import LanguageConfig
from graphrag_tasks.entities.normalize import normalize
from graphrag_tasks.entities.normalize.problems import problem_of
from graphrag_tasks.language.domain import Domain


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
        ("They form the colormaps", "fragment"),
        ("It girl", None),
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
    assert problem_of(surface, key, "", None) == problem


@pytest.mark.parametrize(
    ("title", "problem"), [("1984", None), ("The Who", None), ("A b c d e f g h i j", None), ("…", "short")]
)
def test_a_title_is_a_name_whatever_it_says(title: str, problem: str | None) -> None:
    from graphrag_tasks.language.names import entity_key

    assert problem_of(title, entity_key(title), "", "title") == problem
    assert problem_of(title, entity_key(title), "", None) is not None


def normalized(
    heads: list[str], *names: str, source: str = "title", documents: int = 1000, **domain: list[str]
) -> dict[str, pa.Table]:
    """Return the tables of a stage that reads one head a sentence, in so many documents."""
    places = [{"sentence_id": f"s{n}", "document_id": f"d{n % documents}"} for n in range(len(heads))]
    triples: list[dict[str, Any]] = [
        dict.fromkeys(schemas.TRIPLES.names) | {"head": head, "tail": "VBBE"} | place
        for head, place in zip(heads, places, strict=True)
    ]
    sentences: list[dict[str, Any]] = [
        dict.fromkeys(schemas.SENTENCES.names) | {"text": f"The {head} replaced it for VBBE."} | place
        for head, place in zip(heads, places, strict=True)
    ]
    entity_dictionary = [
        {"surface": name, "name": name, "form": "full", "source": source, "document_id": "d",
         "chunk_id": "c", "problem": None}
        for name in names
    ]  # fmt: skip
    return (
        normalize(
            pa.Table.from_pylist(triples, schema=schemas.TRIPLES),
            pa.Table.from_pylist(entity_dictionary, schema=schemas.ENTITY_DICTIONARY),
            pa.Table.from_pylist(sentences, schema=schemas.SENTENCES),
            language=LanguageConfig(),
            domain=Domain.model_validate(domain) if domain else None,
        )
        .collected()
        .tables
    )


def problems(heads: list[str], *names: str, **about: Any) -> dict[str, str | None]:
    """Return the problem of each surface."""
    tables = normalized(heads, *names, **about)
    return {row["surface"]: row["problem"] for row in tables["surface_forms"].to_pylist()}


def terms(heads: list[str], *names: str, **about: Any) -> set[str]:
    """Return the keys of the names that are terms."""
    rows = normalized(heads, *names, **about)["names"].to_pylist()
    return {row["key"] for row in rows if row["is_term"]}


def test_what_a_glossary_explains_is_a_term_however_rare() -> None:
    heads = ["value"] * 10
    assert problems(heads) == {"value": "generic", "VBBE": None}
    assert problems(heads, "Value", source="term")["value"] is None
    found = terms(heads, "Value", "Chart of accounts", source="term")
    assert found == {"value", "chart of accounts", "vbbe"}


def test_the_user_adds_and_takes_away_terms() -> None:
    heads = ["day", "commits"] * 10
    found = problems(heads, terms=["day"], no_terms=["commit"])
    assert (found["day"], found["commits"]) == (None, "generic")
    with pytest.raises(ValidationError, match="both in terms and in no_terms"):
        problems(heads, terms=["day"], no_terms=["days"])

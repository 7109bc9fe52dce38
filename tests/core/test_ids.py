"""Identifiers depend on content and position alone."""

import duckdb
from hypothesis import example, given
from hypothesis import strategies as st

from graphrag_tasks.core.ids import ID_HEX_DIGITS, content_id, fingerprint, text_sha256
from graphrag_tasks.storage.sql import id_of

PARTS = st.lists(st.text(max_size=8), max_size=4)


@given(PARTS, PARTS)
def test_different_parts_give_different_ids(left: list[str], right: list[str]) -> None:
    assert (content_id("x", *left) == content_id("x", *right)) == (left == right)


def test_ids_are_the_same_on_every_machine() -> None:
    # Frozen: a changed value would orphan every published id.
    assert content_id("document", "corpus/a.md") == "3fe18dc2963cc8ca08359a1b"
    assert len(content_id("chunk")) == ID_HEX_DIGITS


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=8), max_size=4))
@example(["", "a" * 300, "\x00", "Größe 😀"])
def test_sql_gives_the_same_ids(parts: list[str]) -> None:
    query = f"SELECT {id_of('x', *(f'${place}' for place in range(1, len(parts) + 1)))}"
    assert duckdb.execute(query, parts).fetchall() == [(content_id("x", *parts),)]


def test_kind_separates_ids_of_equal_parts() -> None:
    assert content_id("chunk", "a") != content_id("sentence", "a")


def test_lone_surrogates_can_be_hashed() -> None:
    assert text_sha256("\ud800") != text_sha256("\ud801")


def test_fingerprint_ignores_the_order_of_fields() -> None:
    assert fingerprint({"a": 1, "b": [1, 2]}) == fingerprint({"b": [1, 2], "a": 1})
    assert fingerprint({"a": 1}) != fingerprint({"a": 2})

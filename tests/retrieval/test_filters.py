"""Filters on what may be returned, in every mode."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.retrieval import MODES, Index, open_index
from tests.retrieval.small_worlds import SMALL, FakeEmbedder, publish


@pytest.fixture
def index(tmp_path: Path) -> Index:
    publish(tmp_path, SMALL)
    return open_index(tmp_path, embedder=FakeEmbedder(), noun_phrases=lambda _: ["spooler"])


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "global"])
def test_only_chunks_that_fit_are_returned(index: Index, mode: str) -> None:
    hits = index.search("Which driver does the spooler need?", mode, filters={"uri": "docs/d1.*"})
    assert {hit.chunk_id for hit in hits.chunks} <= {"c1", "c2"}
    assert hits.chunks


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"title": "Network Handbook"}, {"c3"}),
        ({"path": ["d1.pdf", "d2.pdf"]}, {"c1", "c2", "c3"}),
        ({"heading": "c2"}, {"c2"}),
        ({"heading": "part", "document_id": "d2"}, {"c3"}),
        ({"language": "en"}, set()),
        ({}, {"c1", "c2", "c3"}),
    ],
)
def test_values_and_patterns(index: Index, filters: dict[str, str | list[str]], expected: set[str]) -> None:
    hits = index.search("spooler", "dense", filters=filters).chunks
    assert {hit.chunk_id for hit in hits} == expected


def test_unknown_field_is_refused_with_the_nearest(index: Index) -> None:
    with pytest.raises(QueryError, match=r"no field 'titel'.*mean 'title'.*Fields: document_id"):
        index.search("spooler", filters={"titel": "x"})


@pytest.mark.parametrize("filters", ["uri", ["uri"]])
def test_filters_that_are_not_by_field_are_refused(index: Index, filters: object) -> None:
    with pytest.raises(QueryError, match="values by field"):
        index.search("spooler", filters=filters)  # type: ignore[arg-type]

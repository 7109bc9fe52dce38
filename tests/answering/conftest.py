"""A small index whose reranker finds the passages best that hold a word."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.retrieval import Index, open_index
from tests.retrieval.finder import Finder, SpanFinder
from tests.retrieval.small_worlds import FakeEmbedder, World, publish

PAGES = World(
    documents=(("d1", "Printing"), ("d2", "Network")),
    chunks=(
        (
            "c1",
            "d1",
            "Printing. The print server replaced the spooler. It needs no driver. See above. "
            "Its queues hold 90 jobs. Old queues are deleted each night.",
        ),
        ("c2", "d1", "The spooler needs a driver. It stops at midnight."),
        ("c3", "d2", "The gateway listens on port 5150. It does not support the spooler."),
    ),
    sentences=(
        ("s1", "c1", "Printing."),
        ("s2", "c1", "The print server replaced the spooler."),
        ("s3", "c1", "It needs no driver."),
        ("s4", "c1", "See above."),
        ("s5", "c1", "Its queues hold 90 jobs."),
        ("s6", "c1", "Old queues are deleted each night."),
        ("s7", "c2", "The spooler needs a driver."),
        ("s8", "c2", "It stops at midnight."),
        ("s9", "c3", "The gateway listens on port 5150."),
        ("s10", "c3", "It does not support the spooler."),
    ),
    entities=(("e1", "print server", ()), ("e2", "spooler", ()), ("e3", "gateway", ())),
    relations=(("r1", "e1", "print server replace spooler", "e2"), ("r2", "e3", "gateway not support spooler", "e2")),
    evidence=(("r1", "s2", 0.75), ("r2", "s10", 0.5)),
    mentions=(("e1", "s2"), ("e2", "s2"), ("e2", "s7"), ("e3", "s9"), ("e2", "s10")),
)


@pytest.fixture
def find(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Finder]:
    def find(word: str) -> Finder:
        finder = Finder(word, sure=20)
        monkeypatch.setattr("graphrag_tasks.retrieval.index.make_reranker", lambda _: finder)
        reader = SpanFinder(word, sure=20)
        monkeypatch.setattr("graphrag_tasks.answering.reading.make_span_reader", lambda: reader)
        return finder

    return find


@pytest.fixture
def open_world(tmp_path: Path) -> Callable[..., Index]:
    def open_world(world: World, **further: Sequence[Mapping[str, Any]]) -> Index:
        publish(tmp_path / "store", world, **further)
        return open_index(tmp_path / "store", embedder=FakeEmbedder(), noun_phrases=lambda _: [])

    return open_world


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published pages, which tests only read."""
    folder = tmp_path_factory.mktemp("pages")
    publish(folder, PAGES)
    return folder


@pytest.fixture
def index(pages: Path) -> Index:
    return open_index(pages, embedder=FakeEmbedder(), noun_phrases=lambda _: [])

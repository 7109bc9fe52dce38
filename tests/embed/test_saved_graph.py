"""Graphs in the cache: read instead of built, of equal results, and never in the way."""

import os
from pathlib import Path

import numpy as np
import pytest

from graphrag_tasks.embed import local
from graphrag_tasks.embed.local import LocalEmbedder
from graphrag_tasks.storage.cache import CACHE_VARIABLE

TEXTS = ["a b", "c d e f g h", ""]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def embedder(model: Path) -> LocalEmbedder:
    return LocalEmbedder(model, max_tokens=16, engine="onnxruntime")


def graphs(cache: Path) -> list[Path]:
    return sorted(cache.glob("models/*/graph.onnx"))


def test_a_graph_is_built_once_and_gives_the_same_bytes_when_read(
    tiny_model: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = embedder(tiny_model).encode(TEXTS)
    assert len(graphs(cache)) == 1
    monkeypatch.setattr(local, "load_weights", lambda _: pytest.fail("was built again"))
    assert embedder(tiny_model).encode(TEXTS).tobytes() == built.tobytes()


def test_what_is_read_equals_what_is_built_in_memory(
    tiny_model: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder(tiny_model).encode(TEXTS)
    read = embedder(tiny_model).encode(TEXTS)
    monkeypatch.setattr("graphrag_tasks.embed.engine.saved_graph", lambda *_: None)
    assert embedder(tiny_model).encode(TEXTS).tobytes() == read.tobytes()


@pytest.mark.parametrize("name", ["graph.onnx", "tensors"])
def test_a_damaged_graph_is_removed_and_built(
    tiny_model: Path, cache: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    expected = embedder(tiny_model).encode(TEXTS)
    damaged = graphs(cache)[0].with_name(name)
    damaged.write_bytes(damaged.read_bytes()[:100])
    np.testing.assert_array_equal(embedder(tiny_model).encode(TEXTS), expected)
    assert "cannot be read" in caplog.text
    assert not graphs(cache)
    embedder(tiny_model).encode(TEXTS)
    assert graphs(cache)


def test_a_cache_that_cannot_be_written_to_stops_nothing(tiny_model: Path, cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    assert embedder(tiny_model).encode(TEXTS).shape == (3, 16)


def test_of_many_graphs_those_last_used_are_kept(
    tiny_model: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphrag_tasks.embed.saved_graph._KEPT", 2)
    made: list[Path] = []
    for tokens in (14, 15, 16):
        LocalEmbedder(tiny_model, max_tokens=tokens, engine="onnxruntime").encode(TEXTS)
        made += [graph for graph in graphs(cache) if graph not in made]
        for graph in graphs(cache):
            then = graph.parent.stat().st_mtime - 100
            os.utime(graph.parent, (then, then))
    assert graphs(cache) == sorted(made[1:])


def test_another_model_has_a_graph_of_its_own(tiny_model: Path, cache: Path) -> None:
    LocalEmbedder(tiny_model, max_tokens=16).encode(TEXTS)
    LocalEmbedder(tiny_model, max_tokens=15).encode(TEXTS)
    assert len(graphs(cache)) == 2

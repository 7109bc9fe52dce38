"""Of many chunks, those of near clusters are compared with a question; none near is missed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from graphrag_tasks.core.errors import SnapshotError
from graphrag_tasks.graph import clusters
from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.retrieval.view import vector_index
from graphrag_tasks.storage.snapshots.store import write_table
from tests.retrieval.small_worlds import FakeEmbedder, World, publish

CHUNKS = 400
SMAPS = Path("/proc/self/smaps")
WORLD = World(
    documents=tuple((f"doc{one}", f"Manual {one}") for one in range(CHUNKS // 4)),
    chunks=tuple((f"c{one}", f"doc{one // 4}", f"part {one} needs it") for one in range(CHUNKS)),
)


def opened(store: Path) -> Index:
    return open_index(store, embedder=FakeEmbedder(), noun_phrases=lambda _: [], verify=False)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of few chunks, clustered as if they were many; a question reads a tenth of them."""
    monkeypatch.setattr(clusters, "LEAST_CLUSTERED", CHUNKS)
    monkeypatch.setattr(vector_index, "_NEAREST", 8)
    monkeypatch.setattr(vector_index, "_BEST_BESIDE", 5)
    publish(tmp_path / "store", WORLD)
    return tmp_path / "store"


def test_the_nearest_chunk_is_found_without_reading_all(store: Path) -> None:
    index = opened(store)
    texts = [text for _, _, text in WORLD.chunks]
    found = [index.search(text, "dense", 1, rerank=0).chunks[0] for text in texts]
    assert [hit.similarity for hit in found] == [1] * CHUNKS
    (cosines,) = index.graph.chunks.vectors.cosines(index.encode([texts[0]]))
    assert np.count_nonzero(cosines.values != cosines.values.min()) < CHUNKS / 2


def test_mean_and_deviation_are_those_of_all_chunks(store: Path) -> None:
    index = opened(store)
    vectors = index.graph.chunks.vectors
    asked = index.encode(["any question"])
    exact = vectors.take(np.arange(CHUNKS)) @ asked[0]
    (cosines,) = vectors.cosines(asked)
    assert cosines.moments == pytest.approx((exact.mean(), exact.std()), abs=1e-6)


@pytest.mark.skipif(not SMAPS.is_file(), reason="tells how memory is mapped")
def test_scattered_vectors_are_not_read_ahead(store: Path) -> None:
    index = opened(store)
    _, *parts = SMAPS.read_text().split("vectors/chunk.arrow")
    flags = [part[part.index("VmFlags:") :].splitlines()[0].split() for part in parts]
    assert len(index.graph.chunks) == CHUNKS
    assert any("rr" in one for one in flags)


@pytest.mark.parametrize("few", [10_000, 0])
def test_chunks_far_away_are_found_where_a_filter_asks_for_them(
    store: Path, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_index, "_FEW", few)
    of_seven = {"document_id": "doc7"}
    hits = opened(store).search("any question", "dense", 4, of_seven, rerank=0).chunks
    asked = np.array(FakeEmbedder.vector("any question"))
    cosines = [asked @ FakeEmbedder.vector(text) for _, one, text in WORLD.chunks if one == "doc7"]
    assert [hit.similarity for hit in hits] == sorted(cosines, reverse=True)


def test_few_chunks_are_all_compared(tmp_path: Path) -> None:
    publish(tmp_path / "store", WORLD)
    index = opened(tmp_path / "store")
    (cosines,) = index.graph.chunks.vectors.cosines(index.encode(["any question"]))
    assert cosines.moments is None


def test_clusters_of_another_build_are_refused(store: Path) -> None:
    snapshot = opened(store).snapshot
    shorter = snapshot.table("clustered").slice(1)
    write_table(snapshot.folder, "clustered", shorter, fingerprint="0")
    with pytest.raises(SnapshotError, match=f"clusters end at {CHUNKS} of {CHUNKS - 1} rows"):
        opened(store)

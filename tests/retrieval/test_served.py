"""Search in a vector server with access labels: k rows that the reader sees, and no other."""

from collections.abc import Collection, Iterator
from datetime import timedelta
from itertools import product
from pathlib import Path

import pytest

from graphrag_tasks.core.config import LoadConfig
from graphrag_tasks.core.errors import AccessError, ConfigError, QueryError
from graphrag_tasks.embed.vectors.vector_store import (
    ANYWHERE,
    VectorHit,
    VectorStore,
    Where,
    open_vector_store,
    row_key,
    rows_in,
)
from graphrag_tasks.operations.retention import collect_garbage
from graphrag_tasks.retrieval import ALL_DOCUMENTS
from graphrag_tasks.retrieval.index import ServedVectors, open_served
from graphrag_tasks.retrieval.view import served_rows as served
from graphrag_tasks.sources.labels import may_see
from graphrag_tasks.storage.snapshots.store import Snapshot, Store
from tests.retrieval.labelled_worlds import Document, Fact, publish
from tests.retrieval.small_worlds import ONE, TWO, FakeEmbedder

pytestmark = pytest.mark.slow

LABELS = (("staff",), ("board",), ("board", "staff"), (), ("public",))
READERS: tuple[tuple[str, ...], ...] = ((), ("staff",), ("board",), ("staff", "board"), ("nobody",))
LITE = LoadConfig(vector_store="milvus_lite")
QUESTION = FakeEmbedder.vector("which?")


def document(number: int, labels: tuple[str, ...]) -> Document:
    facts = (Fact(f"Part{number}", "need", f"Tool{number}"),)
    return Document(f"doc{number}", f"Manual {number}", facts, labels)


def documents(count: int = 15) -> list[Document]:
    return [document(number, LABELS[number % len(LABELS)]) for number in range(count)]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[VectorStore]:
    """Milvus Lite in the store's folder."""
    opened = open_vector_store(Store(str(tmp_path / "store")).folder, LITE)
    assert opened is not None
    yield opened
    opened.close()


def load(store: Path, server: VectorStore, snapshot_id: str = ONE) -> tuple[Snapshot, int]:
    """Load a snapshot's vectors as the load stage does."""
    snapshot = Store(str(store)).open(snapshot_id)
    inserted = sum(
        server.insert_new(one, rows_in(one, snapshot.folder, name, snapshot.manifest.embedding))
        for name, one in snapshot.manifest.collections.items()
    )
    return snapshot, inserted


def best(snapshot: Snapshot, principals: Collection[str]) -> list[tuple[float, str]]:
    """Return the chunks that a reader sees with their cosines, by going through all of them."""
    labels = dict(zip(*snapshot.table("documents", ["document_id", "labels"]).to_pydict().values(), strict=True))
    of_chunk = snapshot.table("chunks", ["chunk_id", "document_id"]).to_pylist()
    seen = {row["chunk_id"] for row in of_chunk if may_see(labels[row["document_id"]], principals)}
    return sorted(
        (sum(a * b for a, b in zip(row["vector"], QUESTION, strict=True)), row["id"])
        for row in snapshot.table("chunk_vectors").to_pylist()
        if row["id"] in seen
    )[::-1]


def test_a_reader_gets_k_chunks_that_they_see(
    tmp_path: Path, server: VectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = publish(tmp_path / "store", documents(), served=True)
    snapshot, _ = load(store, server)
    crowd = publish(tmp_path / "store", documents(40), TWO, served=True)
    load(crowd, server, TWO)
    for most_rows, principals in product((served.MOST_ROWS, 3), READERS):
        monkeypatch.setattr(served, "MOST_ROWS", most_rows)
        reader = ServedVectors(server, snapshot, principals)
        wanted = best(snapshot, principals)
        for k in (1, 2, 5, 50):
            found = reader.search("chunk", QUESTION, k)
            assert [hit.score for hit in found] == [score for score, _ in wanted[:k]]
            assert {hit.id for hit in found} <= {chunk_id for _, chunk_id in wanted}


def test_labels_that_change_make_a_new_row_and_the_old_one_goes(tmp_path: Path, server: VectorStore) -> None:
    store = publish(tmp_path / "store", documents(5), served=True)
    before, _ = load(store, server)
    changed = [document(0, ("board",)), *documents(5)[1:]]
    after, inserted = load(publish(store, changed, TWO, served=True), server, TWO)
    assert inserted == 1
    staff_before, staff_after = (
        ServedVectors(server, one, ["staff"]).search("chunk", QUESTION, 9) for one in (before, after)
    )
    assert "chunk-doc0" in {hit.id for hit in staff_before}
    assert "chunk-doc0" not in {hit.id for hit in staff_after}
    removed = collect_garbage(Store(str(store)), keep=0, staging_age=timedelta(1), server=server)
    assert removed.vectors == 1
    board = ServedVectors(server, after, ["board"]).search("chunk", QUESTION, 9)
    assert "chunk-doc0" in {hit.id for hit in board}


def test_the_server_is_asked_for_rows_with_the_readers_labels(tmp_path: Path, server: VectorStore) -> None:
    """Without the reader's view, the filter alone hides what carries none of the labels."""
    store = publish(tmp_path / "store", documents(), served=True)
    snapshot, _ = load(store, server)
    asked: list[Where] = []

    class Noting:
        def search(
            self, collection: str, vector: Collection[float], k: int, where: Where = ANYWHERE
        ) -> list[VectorHit]:
            asked.append(where)
            return server.search(collection, vector, k, where)

    reader = ServedVectors(Noting(), snapshot, ["staff"])  # type: ignore[arg-type]
    reader.search("chunk", QUESTION, 2, {"media_type": ["md"]})
    assert asked == [{"labels": ["public", "staff"], "media_type": ["md"]}]
    found = server.search(snapshot.manifest.collections["chunk_vectors"], QUESTION, 99, asked[0])
    assert sorted(hit.score for hit in found) == sorted(s for s, _ in best(snapshot, ["staff"]))


def test_a_filter_of_ones_own_shows_nothing_more(tmp_path: Path, server: VectorStore) -> None:
    store = publish(tmp_path / "store", documents(), served=True)
    snapshot, _ = load(store, server)
    reader = ServedVectors(server, snapshot, ["staff"])
    found = reader.search("chunk", QUESTION, 99, {"labels": ["board"]})
    both = row_key("chunk-doc2", _hash(snapshot, "chunk-doc2"), ["board", "staff"])
    assert both in {hit.key for hit in found}
    assert {hit.id for hit in found} == {"chunk-doc2", "chunk-doc7", "chunk-doc12"}


def _hash(snapshot: Snapshot, chunk_id: str) -> str:
    rows = snapshot.table("chunk_vectors").to_pylist()
    return next(str(row["text_sha256"]) for row in rows if row["id"] == chunk_id)


def test_what_is_called_by_a_hidden_name_is_not_found(tmp_path: Path, server: VectorStore) -> None:
    secret = (Fact("Zephyr Corporation", "buy", "Quorum"), Fact("Part1", "need", "Tool1"))
    corpus = [*documents(3), Document("merger", "Operation", secret, ("board",))]
    snapshot, _ = load(publish(tmp_path / "store", corpus, served=True), server)
    tables = {"entity": ("entities", "name"), "relation": ("relations", "text")}
    for kind, (table, text) in tables.items():
        rows = snapshot.table(table).to_pylist()
        called = {row[f"{kind}_id"]: row[text] for row in rows}
        found = ServedVectors(server, snapshot, ["staff"]).search(kind, QUESTION, 99)
        assert found
        assert not any(word in called[hit.id].lower() for hit in found for word in ("zephyr", "quorum", "part1"))
        everything = ServedVectors(server, snapshot, ALL_DOCUMENTS).search(kind, QUESTION, 99)
        assert {hit.id for hit in everything} == set(called)


def test_a_reader_names_principals_where_there_are_labels_and_only_there(tmp_path: Path, server: VectorStore) -> None:
    snapshot, _ = load(publish(tmp_path / "store", documents(2), served=True), server)
    with pytest.raises(AccessError, match="no principals are given"):
        ServedVectors(server, snapshot)
    for odd in ('staff"] or key != "', "two words", ""):
        with pytest.raises(QueryError, match="a filter may not hold"):
            ServedVectors(server, snapshot, [odd]).search("chunk", QUESTION, 1)
    with pytest.raises(QueryError, match="There are: chunk, entity, relation"):
        ServedVectors(server, snapshot, ["staff"]).search("community", QUESTION, 1)
    with pytest.raises(QueryError, match="k must be at least 1"):
        ServedVectors(server, snapshot, ["staff"]).search("chunk", QUESTION, 0)


def test_a_store_is_opened_with_its_server(tmp_path: Path) -> None:
    corpus = [document(number, ()) for number in range(3)]
    unlabelled = [Document(one.name, one.title, one.facts, None) for one in corpus]
    store = publish(tmp_path / "store", unlabelled, served=True)
    opened = open_vector_store(Store(str(store)).folder, LITE)
    assert opened is not None
    load(store, opened)
    opened.close()
    with open_served(str(store), LITE) as reader:
        assert len(reader.search("chunk", QUESTION, 2)) == 2
    off = LoadConfig()
    with pytest.raises(ConfigError, match="'none'"), open_served(str(store), off):
        pass
    publish(store, unlabelled, TWO)
    with pytest.raises(ConfigError, match="loaded into no vector server"), open_served(str(store), LITE) as reader:
        reader.search("chunk", QUESTION, 2)

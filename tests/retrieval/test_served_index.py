"""An index whose vectors are on a server: it finds what the matrix finds, and names what fails."""

from __future__ import annotations

import gc
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from graphrag_tasks.core.config import LoadConfig, RetrievalConfig
from graphrag_tasks.core.errors import AccessError, ConfigError, GraphragError, QueryError, TransientError
from graphrag_tasks.embed.vectors.milvus import MilvusStore
from graphrag_tasks.embed.vectors.vector_store import ANYWHERE, VectorHit, Where, open_vector_store, row_keys, rows_in
from graphrag_tasks.retrieval import ALL_DOCUMENTS, MODES, Index, open_index
from graphrag_tasks.retrieval.searching import SERVED_MODES
from graphrag_tasks.retrieval.view import served_rows
from graphrag_tasks.retrieval.view.arrays import Vectors, top
from graphrag_tasks.retrieval.view.served_rows import ServedIndex, ServedRows
from graphrag_tasks.retrieval.view.vector_index import FlatIndex
from graphrag_tasks.retrieval.view.visibility import Principals
from graphrag_tasks.storage.snapshots.manifests import MANIFEST_FILE
from graphrag_tasks.storage.snapshots.store import Store
from tests.retrieval.labelled_worlds import Document, Fact, publish
from tests.retrieval.small_worlds import ONE, TWO, FakeEmbedder

pytestmark = pytest.mark.slow

LITE = LoadConfig(vector_store="milvus_lite")
LABELS = (("staff",), ("board",), ("board", "staff"), (), ("public",))
READERS: tuple[Principals, ...] = (("staff",), ("nobody",), ALL_DOCUMENTS)
QUESTIONS = (
    "Which tool does Part3 need?",
    "How is Part1 connected to Manual 2, and which tool does Part6 need?",
    "all tools of Part11",
    "What are the main topics?",
)
SHOWN = (Fact("the Data-Hub", "hold", "the Engine"),)
SECRET = (Fact("Data Hub", "hold", "the Engine"), Fact("Data Hub", "need", "the Pump"))


def documents(count: int, *, labelled: bool = True) -> list[Document]:
    def facts(number: int) -> tuple[Fact, ...]:
        return (
            Fact(f"Part{number}", "need", f"Tool{number % 5}"),
            Fact(f"Tool{number % 5}", "replace", f"Part{number + 1}"),
        )

    found = [
        Document(f"doc{number}", f"Manual {number}", facts(number), LABELS[number % len(LABELS)])
        for number in range(count)
    ]
    found.append(Document("hub", "First", SHOWN, ("staff",)))
    found.append(Document("secret", "Second", SECRET, ("board",)))
    return found if labelled else [replace(one, labels=None) for one in found]


def load(store: Path, *snapshot_ids: str) -> None:
    """Load snapshots into Milvus Lite, as the load stage does."""
    server = open_vector_store(Store(str(store)).folder, LITE)
    assert server is not None
    for snapshot_id in snapshot_ids:
        snapshot = Store(str(store)).open(snapshot_id)
        for name, one in snapshot.manifest.collections.items():
            server.insert_new(one, rows_in(one, snapshot.folder, name, snapshot.manifest.embedding))
    server.close()


def opened(store: Path, vectors: str, principals: Principals = None) -> Index:
    return open_index(
        store, ONE, principals, embedder=FakeEmbedder(), noun_phrases=lambda _: ["Part3"], vectors=vectors, load=LITE
    )


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose server also holds the rows of another snapshot."""
    store = publish(tmp_path_factory.mktemp("labelled") / "store", documents(15), served=True)
    publish(store, documents(45), TWO, served=True)
    load(store, ONE, TWO)
    return store


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    store = publish(tmp_path / "store", documents(4, labelled=False), served=True)
    load(store, ONE)
    return store


def found(index: Index, mode: str, **options: Any) -> list[dict[str, Any]]:
    return [index.search(one, mode, 7, rerank=0, **options).to_dict() for one in QUESTIONS]


@pytest.mark.parametrize("most_rows", [served_rows.MOST_ROWS, 30])
@pytest.mark.parametrize("principals", READERS, ids=str)
def test_a_search_finds_what_the_arrays_find(
    labelled: Path, principals: Principals, most_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 30 rows a request, the collection holds more than one returns."""
    monkeypatch.setattr(served_rows, "MOST_ROWS", most_rows)
    arrays = opened(labelled, "arrays", principals)
    wanted = {mode: found(arrays, mode) for mode in SERVED_MODES}
    filtered = {"path": "doc1*.md"}
    wanted_of = {mode: found(arrays, mode, filters=filtered) for mode in SERVED_MODES}
    monkeypatch.setattr(FlatIndex, "__init__", None)  # no matrix is made from here on
    served = opened(labelled, "milvus_lite", principals)
    for mode in SERVED_MODES:
        assert found(served, mode) == wanted[mode], mode
    for mode, of in wanted_of.items():
        assert found(served, mode, filters=filtered) == of, mode


def test_a_vector_is_that_of_the_arrays(labelled: Path) -> None:
    arrays, served = (opened(labelled, name, ["staff"]) for name in ("arrays", "milvus_lite"))
    rows = np.arange(len(arrays.graph.chunks))[::-1]
    wanted = arrays.graph.chunks.vectors.take(rows)
    assert served.graph.chunks.vectors.take(rows).tolist() == wanted.tolist()


def test_what_a_server_does_not_do_says_what_to_set(plain: Path) -> None:
    index = opened(plain, "milvus_lite")
    for mode in {*MODES, "auto"} - {*SERVED_MODES}:
        with pytest.raises(QueryError, match=r'not done in a vector server.*retrieval.vectors = "arrays"'):
            index.search(QUESTIONS[0], mode)
    with pytest.raises(QueryError, match=r'retrieval.vectors = "arrays"'):
        index.skeleton(question=QUESTIONS[0])
    assert index.neighbors("Part1")


def test_a_reader_names_principals_as_with_the_arrays(labelled: Path) -> None:
    with pytest.raises(AccessError, match="no principals are given"):
        opened(labelled, "milvus_lite")


def test_readers_of_one_process_share_an_embedded_server(plain: Path) -> None:
    first, second = opened(plain, "milvus_lite"), opened(plain, "milvus_lite")
    copy = second.reranked_by(second.reranker)
    del first, second
    gc.collect()
    assert copy.search(QUESTIONS[0], "dense").chunks


def test_the_setting_names_the_vector_store(plain: Path) -> None:
    config = RetrievalConfig(vectors="milvus_lite")
    index = open_index(plain, config=config, embedder=FakeEmbedder(), load=LITE)
    assert isinstance(index.graph.chunks.vectors, ServedIndex)
    del index
    with pytest.raises(ConfigError, match=r"no vector store 'milvos'. Did you mean 'milvus'"):
        opened(plain, "milvos")


def test_a_snapshot_that_is_in_no_server_is_refused(tmp_path: Path) -> None:
    store = publish(tmp_path / "store", documents(2, labelled=False))
    with pytest.raises(ConfigError, match=r"loaded into no vector server. Set load.vector_store"):
        opened(store, "milvus_lite")
    assert not (store / "milvus").exists()


def _drop(server: MilvusStore, collection: str) -> None:
    server._client.drop_collection(collection)


def _other_dimension(server: MilvusStore, collection: str) -> None:
    _drop(server, collection)
    rows = {"id": ["a"], "text_sha256": ["a"]}
    flat = pa.array([1.0, 0.0], pa.float32())
    vector = pa.FixedSizeListArray.from_arrays(flat, 2)
    server.insert_new(collection, pa.table({**rows, "vector": vector}))


def _other_model(server: MilvusStore, collection: str, rows: pa.Table) -> None:
    _drop(server, collection)
    width = rows.schema.field("vector").type.list_size
    flat = rows["vector"].combine_chunks().flatten().to_numpy().reshape(-1, width)[:, ::-1]
    turned = pa.FixedSizeListArray.from_arrays(pa.array(flat.ravel(), pa.float32()), width)
    place = rows.column_names.index("vector")
    server.insert_new(collection, rows.set_column(place, rows.schema.field("vector"), turned))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("missing", r"chunk_\w+: the snapshot's collection is not in .*--full-refresh"),
        ("dimension", r"other vectors, of 2 numbers, than the model .* of 8\. Drop .* arrays"),
        ("model", r"other vectors, of 8 numbers, than the model of the snapshot, fake, makes"),
        ("rows", r"lacks rows of the snapshot \(1 of .*--full-refresh"),
    ],
)
def test_a_collection_that_does_not_fit_is_refused(plain: Path, damage: str, message: str) -> None:
    snapshot = Store(str(plain)).open()
    name = "chunk_vectors"
    collection = snapshot.manifest.collections[name]
    server = open_vector_store(Store(str(plain)).folder, LITE)
    assert isinstance(server, MilvusStore)
    rows = rows_in(collection, snapshot.folder, name, snapshot.manifest.embedding)
    if damage == "missing":
        _drop(server, collection)
    elif damage == "dimension":
        _other_dimension(server, collection)
    elif damage == "model":
        _other_model(server, collection, rows)
    else:
        last = list(row_keys(rows))[-1]
        server.remove_others(collection, lambda key: key != last)
    server.close()
    with pytest.raises(ConfigError, match=message):
        opened(plain, "milvus_lite").search(QUESTIONS[0], "dense")


def test_a_server_that_is_gone_is_waited_for_and_named(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphrag_tasks.embed.vectors.milvus._RETRY_SECONDS", 0)
    away = LoadConfig(milvus_uri="http://127.0.0.1:9")
    with pytest.raises(TransientError, match=r"127\.0\.0\.1:9: Milvus does not do .* Start"):
        open_index(plain, vectors="milvus", load=away, embedder=FakeEmbedder())
    index = opened(plain, "milvus_lite")
    assert index.search(QUESTIONS[0], "dense").chunks
    server = index.graph.chunks.vectors._served._server  # type: ignore[attr-defined]
    server._client.close()
    with pytest.raises(GraphragError, match="Milvus"):
        index.search(QUESTIONS[0], "dense")


def test_the_manifest_alone_says_where_a_snapshot_is(plain: Path) -> None:
    """Collections of an older version lack fields: no filter is pushed down, and none needed."""
    folder = Store(str(plain)).open().folder
    manifest = folder.read_json(MANIFEST_FILE)
    manifest["collections"]["chunk_vectors"] = "chunk_old"
    folder.write_json(MANIFEST_FILE, manifest)
    load(plain, ONE)
    wanted = found(opened(plain, "arrays"), "hybrid", filters={"media_type": "md"})
    assert found(opened(plain, "milvus_lite"), "hybrid", filters={"media_type": "md"}) == wanted


class Memory:
    """A vector store in memory: it returns what a server does, and notes what it was asked for."""

    def __init__(self, table: pa.Table, keys: Sequence[str], vectors: Vectors) -> None:
        self.table, self.keys, self.matrix = table, np.array(keys), vectors
        self.asked: list[Where] = []

    def search(self, collection: str, vector: Collection[float], k: int, where: Where = ANYWHERE) -> list[VectorHit]:
        self.asked.append(where)
        fits = np.ones(len(self.keys), dtype=bool)
        for name, values in where.items():
            of = self.keys if name == "key" else np.array(self.table[name].to_pylist())
            fits &= np.isin(of, list(values))
        rows = np.flatnonzero(fits)
        scores = self.matrix[rows] @ np.asarray(vector)
        best = np.argsort(-scores)[:k]
        return [VectorHit(self.keys[rows[one]], "", float(scores[one])) for one in best]

    def vectors(self, collection: str, keys: Collection[str]) -> dict[str, Sequence[float]]:
        place = {key: row for row, key in enumerate(self.keys)}
        return {key: self.matrix[place[key]].tolist() for key in keys}


class Rows(ServedRows):
    """Rows of a store in memory."""

    def __init__(self, server: Any, table: pa.Table, dimension: int) -> None:
        self.table, self.keys = table, list(row_keys(table))
        self.places = {key: place for place, key in enumerate(self.keys)}
        self._server, self._collection, self._dimension = server, "", dimension
        self._labels = ANYWHERE


MANY, WIDTH = 6_000, 24


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> tuple[ServedIndex, Memory]:
    """More rows than a request returns: 500 are near."""
    monkeypatch.setattr(served_rows, "MOST_ROWS", 500)
    monkeypatch.setattr(served_rows, "_LEAST_READ", 100)
    generator = np.random.default_rng(7)
    vectors = (generator.normal(size=(MANY, WIDTH)) + 0.3).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ids = [f"id{row:05}" for row in range(MANY)]
    table = pa.table(
        {
            "id": ids, "text_sha256": ids,
            "document_id": [f"d{row // 10}" for row in range(MANY)],
            "media_type": [("md", "pdf", "txt")[row % 3] for row in range(MANY)],
        }
    )  # fmt: skip
    memory = Memory(table, list(row_keys(table)), vectors)
    rows = partial(Rows, memory, table, WIDTH)
    return ServedIndex(rows, pa.array(ids), WIDTH), memory


def question(seed: int) -> Vectors:
    vector = np.random.default_rng(seed).normal(size=(1, WIDTH)).astype(np.float32)
    found: Vectors = vector / np.linalg.norm(vector)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_of_many_rows_the_first_places_are_exact(many: tuple[ServedIndex, Memory], seed: int) -> None:
    index, memory = many
    exact = memory.matrix @ question(seed)[0]
    (near,) = index.cosines(question(seed))
    ranks = np.arange(MANY)
    assert near.best(ranks, 500).tolist() == top(exact, ranks, 500).tolist()
    np.testing.assert_allclose(near.of(ranks), exact, atol=1e-6)


def test_the_best_by_other_scores_are_read_too(many: tuple[ServedIndex, Memory]) -> None:
    index, memory = many
    exact = memory.matrix @ question(1)[0]
    last = np.argsort(exact)[:100]
    beside = np.zeros(MANY, dtype=np.float32)
    beside[last] = 1.0
    (near,) = index.cosines(question(1), beside=beside)
    np.testing.assert_allclose(near.values[last], exact[last], atol=1e-6)


def test_a_filter_is_read_by_keys(many: tuple[ServedIndex, Memory]) -> None:
    index, memory = many
    allowed = np.arange(MANY) % 70 == 3  # as a heading, which a server does not hold
    exact = memory.matrix @ question(3)[0]
    (near,) = index.cosines(question(3), allowed=allowed)
    assert {name for where in memory.asked[1:] for name in where} == {"key"}
    np.testing.assert_allclose(near.values[allowed], exact[allowed], atol=1e-6)

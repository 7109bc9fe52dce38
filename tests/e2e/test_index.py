"""Whole runs: what is published, what is reused, and what a run never does."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import SnapshotError, SourceError
from graphrag_tasks.core.schemas import MAPPED, SCHEMAS
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.pipeline import CORPUS_STAGES, SHARD_STAGES, Published, Run
from graphrag_tasks.retrieval import open_index
from graphrag_tasks.storage.snapshots.store import Store
from tests.corpora import configured
from tests.e2e.conftest import write_corpus
from tests.e2e.warm_runs import server

Indexer = Callable[..., Published]


def hashes(published: Published) -> dict[str, str]:
    return {name: table.sha256 for name, table in published.manifest.tables.items()}


def store_of(tmp_path: Path, name: str = "store") -> Store:
    return Store(str(tmp_path / name))


@pytest.mark.usefixtures("indexed")
def test_a_fact_can_be_followed_from_relation_to_page(tmp_path: Path) -> None:
    context = open_index(tmp_path / "store").search("Which table replaced VBBS?")
    relation = next(hit for hit in context.relations if "VBBE" in hit.text)
    sentence = relation.evidence[0]
    assert sentence.text == "SAP replaced the table VBBS with the table VBBE."
    assert sentence.uri == "corpus/tables.md"
    documents = store_of(tmp_path).open().table("blocks").to_pylist()
    text = "\n\n".join(b["text"] for b in documents if b["document_id"] == sentence.document_id)
    assert text[sentence.char_start : sentence.char_end] == sentence.text


def test_a_second_run_publishes_nothing_new(
    index: Indexer, indexed: Published, tmp_path: Path, worked: list[str]
) -> None:
    second = index()
    assert (indexed.changed, second.changed, worked) == (True, False, [])
    assert second.manifest == indexed.manifest
    assert len(store_of(tmp_path).snapshot_ids()) == 1


def test_a_store_in_object_storage_needs_no_setting_and_gets_the_same(
    index: Indexer, indexed: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHRAG_CACHE", str(tmp_path / "cache"))
    store = f"memory://{tmp_path.name}/store"
    assert hashes(index(store=store)) == hashes(indexed)
    (first, *_) = open_index(store).search("Which table replaced VBBS?", rerank=0).chunks
    assert "VBBE" in first.text


@pytest.mark.usefixtures("indexed")
def test_nothing_is_left_in_staging(tmp_path: Path) -> None:
    staging = tmp_path / "store" / "staging"
    assert not [path for path in staging.rglob("*") if path.is_file()]


@pytest.mark.parametrize("start", ["warm", pytest.param("spawn", marks=pytest.mark.slow)])
def test_workers_and_shards_do_not_show(
    index: Indexer, indexed: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: str
) -> None:
    if start == "warm":  # spawned workers import all and load the models, as `make reindex` shows
        context = server()
        monkeypatch.setattr("multiprocessing.get_context", lambda _: context)
    sharded = index(workers=2, store=str(tmp_path / "b"), plan={"shard_bytes": 1})
    assert hashes(sharded) == hashes(indexed)


def test_add_edit_and_delete_equal_a_clean_rebuild(index: Indexer, corpus: Path, tmp_path: Path) -> None:
    linked = "# Linked\n\nThe [report](reports.md#old-name) reads [tables](tables.md).\n"
    (corpus / "linked.md").write_text(linked)
    index()
    (corpus / "note.txt").unlink()
    (corpus / "reports.md").write_text(
        "# Reports\n\nThe report ZSALES reads the table VBBE.\n\n"
        "## Old name\n\nIt was called [otherwise](tables.md#table-changes).\n"
    )
    (corpus / "new.csv").write_text("Table,Successor\nVBBS,VBBE\n")
    (corpus / "new.txt").write_text("A successor replaces an obsolete table.\n")
    incremental = index()
    clean = index(store=str(tmp_path / "clean"))
    counts = incremental.manifest.stats["counts"]
    assert counts["unchanged"] == 2
    assert counts["reused"] > 0
    assert hashes(incremental) == hashes(clean)
    assert incremental.manifest.snapshot_id == clean.manifest.snapshot_id


def test_an_empty_folder_is_refused_and_deletes_nothing(
    index: Indexer, indexed: Published, corpus: Path, tmp_path: Path
) -> None:
    shutil.rmtree(corpus)
    with pytest.raises(SourceError, match="does not exist"):
        index()
    corpus.mkdir()
    with pytest.raises(SourceError, match="hold no documents"):
        index()
    assert store_of(tmp_path).current_id() == indexed.manifest.snapshot_id


def test_an_empty_corpus_can_be_published_on_demand(index: Indexer, corpus: Path) -> None:
    for file in corpus.iterdir():
        file.unlink()
    published = index(plan={"allow_mass_delete": True})
    assert {table.rows for table in published.manifest.tables.values()} == {0}


def test_one_document_of_one_word_is_an_index(index: Indexer, corpus: Path, tmp_path: Path) -> None:
    for file in corpus.iterdir():
        file.unlink()
    (corpus / "word.txt").write_text("Hello")
    published = index()
    assert published.manifest.tables["chunks"].rows == 1
    assert published.manifest.tables["relations"].rows == 0
    context = open_index(tmp_path / "store").search("hello")
    assert [hit.text for hit in context.chunks] == ["Hello"]
    assert context.relations == ()


BAD = {
    "empty.md": (b"", "empty", "empty_file"),
    "broken.docx": (b"not a zip", "failed", "broken"),
    "garbage.pdf": (b"%PDF-1.7 garbage", "failed", "broken"),
    "binary.csv": (b"\x00\x01\x02", "failed", "broken"),
    "movie.mp4": (b"x", "skipped", "unknown_type"),
}


def test_bad_documents_get_an_error_row_and_stop_nothing(mixed: Path) -> None:
    snapshot = Store(str(mixed)).open()
    rows = {row["path"]: row for row in snapshot.table("documents").to_pylist()}
    found = {name: (rows[name]["status"], rows[name]["error_code"]) for name in BAD}
    assert found == {name: (status, code) for name, (_, status, code) in BAD.items()}
    assert all(rows[name]["error_message"] for name in BAD)
    counts = snapshot.manifest.stats["counts"]
    assert (counts["documents_failed"], counts["documents_parsed"]) == (3, 7)


GERMAN = (
    "Der Bericht liest die Tabelle der Verkaufsbelege und schreibt das Ergebnis in eine neue "
    "Tabelle. Entwickler passen das Programm nach der Umstellung an, weil die Felder nun woanders "
    "stehen. Eine Prüfung findet jede Anweisung, die noch die alten Namen verwendet."
)


ENGLISH = (
    "The report reads the table of sales documents and writes the result to a new table. "
    "Developers adapt the program after the conversion, because the fields have moved. "
    "A check finds every statement that still uses the old names and lists them."
)


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of documents of all sorts: linked, broken, in another language, and passages."""
    folder = tmp_path_factory.mktemp("mixed")
    corpus = write_corpus(folder / "corpus")
    (corpus / "sub").mkdir()
    text = "See [tables](../tables.md#table-changes), [gone](gone.md), [out](../../x.md).\n"
    (corpus / "sub" / "links.md").write_text(text)
    for name, (data, _, _) in BAD.items():
        (corpus / name).write_bytes(data)
    (corpus / "deutsch.md").write_text(GERMAN, "utf-8")
    (corpus / "english.md").write_text(ENGLISH)
    passages = folder / "passages.jsonl"
    passages.write_text('{"id": "p1", "title": "MARA", "text": "ZMARA replaces MARA."}\n')
    config = configured(folder, sources=[str(corpus), str(passages)], merge_shards={"max_failed_share": 0.6})
    run_index(config, workers=1)
    return folder / "store"


def test_a_document_in_another_language_is_marked_and_searched_but_not_extracted_from(mixed: Path) -> None:
    snapshot = Store(str(mixed)).open()
    rows = {row["path"]: row for row in snapshot.table("documents").to_pylist()}
    assert rows["deutsch.md"]["language"] == "de"
    assert rows["english.md"]["language"] == "en"
    assert rows["note.txt"]["language"] is None  # too short to tell: read as English
    read = set(snapshot.table("triples")["document_id"].to_pylist())
    assert rows["deutsch.md"]["document_id"] not in read
    assert {rows["english.md"]["document_id"], rows["note.txt"]["document_id"]} <= read
    context = open_index(mixed).search("Verkaufsbelege", mode="dense", k=1)
    assert context.chunks[0].uri == "corpus/deutsch.md"


def test_a_damaged_table_or_a_run_planned_on_another_snapshot_is_not_published(
    configure: Callable[..., Config], corpus: Path
) -> None:
    run, _ = Run.start(configure())
    for stage in SHARD_STAGES:
        run.process_shard(stage, 0)
    for stage in CORPUS_STAGES:
        run.process_corpus(stage)
    file = Path(run.state.staged.path("chunks.parquet"))
    whole = file.read_bytes()
    damaged = bytearray(whole)
    damaged[len(damaged) // 2] ^= 1
    file.write_bytes(damaged)
    with pytest.raises(SnapshotError, match=r"chunks\.parquet: bytes are not those published"):
        run.publish()
    assert run.state.store.current_id() is None
    file.write_bytes(whole)
    (corpus / "new.txt").write_text("Another run saw this sentence first.\n")
    other = run_index(configure(), workers=1)
    with pytest.raises(SnapshotError, match="another run published"):
        run.publish()
    assert run.state.store.current_id() == other.manifest.snapshot_id


@pytest.mark.parametrize(("name", "copy"), MAPPED.items())
def test_the_columns_that_searches_read_are_mapped(mixed: Path, name: str, copy: str) -> None:
    snapshot, columns = Store(str(mixed)).open(), SCHEMAS[copy].names
    before = pa.total_allocated_bytes()
    mapped = snapshot.table(name, columns)
    assert pa.total_allocated_bytes() <= before
    assert mapped.num_rows > 0
    assert mapped.equals(snapshot.folder.read_table(name, columns))


def test_a_jsonl_file_of_passages_is_a_corpus(mixed: Path) -> None:
    context = open_index(mixed).search("What replaces MARA?")
    assert context.chunks[0].text == "MARA\n\nZMARA replaces MARA."
    assert context.chunks[0].title == "MARA"

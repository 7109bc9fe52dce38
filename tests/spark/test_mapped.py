"""Extract and embed on Spark give the rows of their stages."""

from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import EmbedConfig, ExtractConfig, LanguageConfig, load_config
from graphrag_tasks.embed.stage import embed, make_embedder
from graphrag_tasks.extract.stage import extract
from graphrag_tasks.integrations.batches import (
    TRIPLES,
    VECTORS,
    documents_with_tables,
    triples_of_documents,
    vectors_of_chunks,
)
from graphrag_tasks.integrations.spark import embed_on_spark, extract_on_spark
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.storage.snapshots.store import Store

pytestmark = pytest.mark.spark

TEXTS = {
    "gateway": "# Gateway\n\nThe Gateway replaces the Spooler. It needs the Driver.\n",
    "tables": "# Tables\n\n| Table | Use |\n|---|---|\n| VBBS | stock |\n| VBBE | needs |\n\n"
    "Table VBBE replaces table VBBS. It reads stock.\n",
    "empty": "# Nothing\n",
}
EXTRACT, LANGUAGE, EMBED = ExtractConfig(), LanguageConfig(), EmbedConfig()


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pa.Table]:
    """The tables of a corpus of three documents."""
    folder = tmp_path_factory.mktemp("mapped")
    (folder / "docs").mkdir()
    for name, text in TEXTS.items():
        (folder / "docs" / f"{name}.md").write_text(text)
    settings = {"sources": [str(folder / "docs")], "store": str(folder / "store")}
    config = load_config(overrides=settings | {"load": {"vector_store": "none"}})
    run_index(config, workers=1)
    snapshot = Store(config.store).open()
    return {read.name: snapshot.table(read.name) for read in extract.reads}


@pytest.fixture(scope="module")
def triples(tables: dict[str, pa.Table]) -> pa.Table:
    """What the stage gives for the corpus in one shard."""
    found = extract(*(tables[read.name] for read in extract.reads), config=EXTRACT, language=LANGUAGE).tables["triples"]
    assert found.num_rows
    return found.cast(TRIPLES).sort_by("triple_id")


@pytest.fixture(scope="module")
def vectors(tables: dict[str, pa.Table]) -> pa.Table:
    empty = (schemas.SCHEMAS[name].empty_table() for name in ("entities", "relations"))
    found = embed(tables["chunks"], *empty, embedder=make_embedder(EMBED))
    return found.tables["chunk_vectors"].cast(VECTORS).sort_by("id")


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    with session.getOrCreate() as started:
        yield started


def test_batches_give_the_rows_of_the_stages(tables: dict[str, pa.Table], triples: pa.Table, vectors: pa.Table) -> None:
    documents = documents_with_tables(tables).to_batches(max_chunksize=2)
    found = pa.Table.from_batches(triples_of_documents(EXTRACT, LANGUAGE)(iter(documents)), TRIPLES)
    assert found.sort_by("triple_id").equals(triples)
    chunks = tables["chunks"].to_batches(max_chunksize=2)
    found = pa.Table.from_batches(vectors_of_chunks(EMBED)(iter(chunks)), VECTORS)
    assert found.sort_by("id").equals(vectors)


def test_spark_gives_the_rows_of_the_stages(
    spark: SparkSession, tables: dict[str, pa.Table], triples: pa.Table, vectors: pa.Table
) -> None:
    documents = spark.createDataFrame(documents_with_tables(tables)).repartition(2)
    found = extract_on_spark(documents, EXTRACT, LANGUAGE).toArrow()
    assert found.cast(TRIPLES).sort_by("triple_id").equals(triples)
    chunks = spark.createDataFrame(tables["chunks"].select(["chunk_id", "text", "heading_path"]))
    found = embed_on_spark(chunks.repartition(2), EMBED).toArrow()
    assert found.cast(VECTORS).sort_by("id").equals(vectors)

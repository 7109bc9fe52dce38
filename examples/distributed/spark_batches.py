"""Extract and embed the documents of a store again on Spark, and compare with what the store has.

python examples/distributed/spark_batches.py STORE
"""

import sys

from pyspark.sql import SparkSession

from graphrag_tasks.core.config import Config
from graphrag_tasks.extract.stage import extract
from graphrag_tasks.integrations.batches import documents_with_tables
from graphrag_tasks.integrations.spark import embed_on_spark, extract_on_spark
from graphrag_tasks.storage.snapshots.store import Store


def main(store: str) -> None:
    """Print how many rows Spark made, and how many the store has."""
    snapshot, config = Store(store).open(), Config()
    tables = {read.name: snapshot.table(read.name) for read in extract.reads}
    spark = SparkSession.builder.getOrCreate()
    documents = spark.createDataFrame(documents_with_tables(tables)).repartition(8)
    triples = extract_on_spark(documents, config.extract, config.language)
    columns = ["chunk_id", "text", "heading_path"]
    chunks = spark.createDataFrame(tables["chunks"].select(columns)).repartition(8)
    vectors = embed_on_spark(chunks, config.embed)
    for name, made in (("triples", triples), ("chunk_vectors", vectors)):
        print(f"{name}: {made.count()} on Spark, {snapshot.table(name).num_rows} in the store")


if __name__ == "__main__":
    main(sys.argv[1])

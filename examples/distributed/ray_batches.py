"""Extract and embed the documents of a store again on Ray, and compare with what the store has.

python examples/distributed/ray_batches.py STORE
"""

import sys

import ray.data

from graphrag_tasks.core.config import Config
from graphrag_tasks.extract.stage import extract
from graphrag_tasks.integrations.batches import documents_with_tables
from graphrag_tasks.integrations.ray import embed_on_ray, extract_on_ray
from graphrag_tasks.snapshots.store import Store


def main(store: str) -> None:
    """Print how many rows Ray made, and how many the store has."""
    snapshot, config = Store(store).open(), Config()
    tables = {read.name: snapshot.table(read.name) for read in extract.reads}
    documents = ray.data.from_arrow(documents_with_tables(tables)).repartition(8)
    triples = extract_on_ray(documents, config.extract)
    columns = ["chunk_id", "text", "heading_path"]
    chunks = ray.data.from_arrow(tables["chunks"].select(columns)).repartition(8)
    vectors = embed_on_ray(chunks, config.embed)
    for name, made in (("triples", triples), ("chunk_vectors", vectors)):
        print(f"{name}: {made.count()} on Ray, {snapshot.table(name).num_rows} in the store")


if __name__ == "__main__":
    main(sys.argv[1])

"""Load stage: the graph as arrays, BM25 and name tables for search, and vectors for a server."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from graphrag_tasks.core.schemas import CLUSTER_TABLES, ENTITY_ROWS, EVIDENCE_ROWS, MAPPED, NO_ROW, SCHEMAS
from graphrag_tasks.core.stage import StageResult, scan, stage, table
from graphrag_tasks.graph.arrays import build_edges, build_nodes
from graphrag_tasks.graph.clusters import cluster_tables
from graphrag_tasks.graph.name_tables import NAME_TABLES, name_tables
from graphrag_tasks.graph.statistics import graph_statistics
from graphrag_tasks.language.bm25 import word_tables
from graphrag_tasks.storage.artifacts import batches_of
from graphrag_tasks.storage.sql import Rows, sql_over, with_row

ROW_TABLES = ("evidence_rows", "entity_rows")

_EVIDENCE = """
    SELECT r.row::INTEGER AS relation, s.row::INTEGER AS sentence, c.row::INTEGER AS chunk,
        evidence.confidence::FLOAT AS confidence, valid_kind, valid_from, valid_to
    FROM evidence
    JOIN relations AS r USING (relation_id)
    JOIN sentences AS s USING (sentence_id)
    JOIN chunks AS c ON c.chunk_id = evidence.chunk_id
    ORDER BY relation, confidence DESC, sentence_id
"""
_FIRST = """
    SELECT e.row AS entity, s.row::INTEGER AS sentence
    FROM (SELECT entity_id, arg_min(sentence_id, row) AS sentence_id FROM mentions GROUP BY 1)
    JOIN entities AS e USING (entity_id) JOIN sentences AS s USING (sentence_id)
"""


def row_tables(
    entities: pa.Table, chunks: pa.Table, relations: Rows, mentions: Rows, sentences: Rows,
    evidence: Rows,
) -> dict[str, pa.Table]:  # fmt: skip
    """Return `ROW_TABLES`. Each has one chunk, as an Arrow file of one batch needs it."""
    inputs = {
        "evidence": evidence, "relations": with_row(relations, ["relation_id"]),
        "sentences": with_row(sentences, ["sentence_id"]),
        "chunks": with_row(chunks, ["chunk_id"]),
    }  # fmt: skip
    with sql_over(inputs) as connection:
        stated = connection.sql(_EVIDENCE).to_arrow_table()
    inputs = {
        "mentions": with_row(mentions, ["entity_id", "sentence_id"]),
        "entities": with_row(entities, ["entity_id"]),
        "sentences": with_row(sentences, ["sentence_id"]),
    }
    with sql_over(inputs) as connection:
        found = connection.sql(_FIRST).fetchnumpy()
    first = np.full(entities.num_rows, NO_ROW, dtype=np.int32)
    first[found["entity"]] = found["sentence"]
    return {
        "evidence_rows": stated.cast(EVIDENCE_ROWS).combine_chunks(),
        "entity_rows": pa.table({"sentence": first}, schema=ENTITY_ROWS),
    }


_PLACES = ["chunk_id", "document_id", "next_id", "ordinal"]
_READS = (
    table("documents", "document_id", "title", "title_source"), scan("chunks"),
    table("entities", "entity_id", "name", "type", "mentions", "is_named", "chunks"),
    table("aliases", "entity_id", "alias"), scan("relations"), scan("mentions"), scan("titles"),
    scan("sentences"), scan("evidence"),
)  # fmt: skip


@stage(
    per="corpus",
    reads=_READS,
    makes=(
        "nodes",
        "edges",
        *ROW_TABLES,
        "text_terms",
        "text_postings",
        "heading_terms",
        "heading_postings",
        *NAME_TABLES,
        *CLUSTER_TABLES,
        *MAPPED.values(),
    ),
    given=("upload", "chunk_vectors"),
    libraries=("duckdb", "python-igraph", "scipy", "pystemmer"),
    reusable=False,
)
def load(
    documents: pa.Table, chunks: Rows, entities: pa.Table, aliases: pa.Table, relations: Rows,
    mentions: Rows, titles: Rows, sentences: Rows, evidence: Rows,
    *, upload: Callable[[], int] = lambda: 0, chunk_vectors: pa.Table | None = None,
) -> StageResult:  # fmt: skip
    """Build the graph's arrays, BM25, name and row tables, clusters, and the paper's statistics.

    `upload` sends missing vectors to their server, and returns their number. `chunk_vectors` are those of the chunks,
    which are clustered if they are many.
    """
    words = word_tables(documents, chunks)
    read_from = {
        "documents": documents, "chunks": chunks, "entities": entities, "aliases": aliases,
        "mentions": mentions, "titles": titles, "sentences": sentences,
    }  # fmt: skip
    names = name_tables(lambda name, columns: batches_of(read_from[name], columns).read_all())
    placed = batches_of(chunks, _PLACES).read_all()
    nodes = build_nodes(entities, placed)
    edges = build_edges(nodes, placed, relations, mentions, titles)
    rows = row_tables(entities, placed, relations, mentions, sentences, evidence)
    copied = {
        "chunks": chunks, "sentences": sentences, "entities": entities, "relations": relations
    }  # fmt: skip
    mapped = {copy: batches_of(copied[name], SCHEMAS[copy].names).cast(SCHEMAS[copy]) for name, copy in MAPPED.items()}
    stats = graph_statistics(nodes, edges) | {"vectors_inserted": upload()}
    clusters = cluster_tables(chunk_vectors)
    tables = {"nodes": nodes, "edges": edges, **rows, **words, **names, **clusters, **mapped}
    return StageResult(tables, stats)

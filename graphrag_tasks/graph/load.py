"""Load stage: the graph as arrays for igraph, and words for BM25."""

from __future__ import annotations

import pyarrow as pa

from graphrag_tasks.core.config import GraphConfig, SqlConfig
from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.graph import build_edges, build_nodes, graph_statistics, linked_chunks
from graphrag_tasks.language.bm25 import word_tables
from graphrag_tasks.storage.row_groups import batches_of
from graphrag_tasks.storage.sql import Rows

REQUIRES = (
    "documents", "chunks", "entities", "relations", "mentions", "titles", "links", "anchors",
)  # fmt: skip
PRODUCES = (
    "nodes", "edges", "text_terms", "text_postings", "heading_terms", "heading_postings",
)  # fmt: skip
DEPENDENCIES = ("duckdb", "scipy", "bm25s", "pystemmer")

_PLACES = ["chunk_id", "document_id", "next_id", "ordinal"]


def load(
    documents: pa.Table,
    chunks: Rows,
    entities: pa.Table,
    relations: Rows,
    mentions: Rows,
    titles: Rows,
    links: pa.Table,
    anchors: pa.Table,
    *,
    config: GraphConfig,
    sql: SqlConfig,
) -> StageResult:
    """Build the graph's arrays and BM25, and count what the paper counts.

    Args:
        documents: Rows of `schemas.DOCUMENTS`.
        chunks: Rows of `schemas.CHUNKS`.
        entities: Rows of `schemas.ENTITIES`.
        relations: Rows of `schemas.RELATIONS`.
        mentions: Rows of `schemas.MENTIONS`.
        titles: Rows of `schemas.TITLES`.
        links: Rows of `schemas.LINKS`.
        anchors: Rows of `schemas.ANCHORS`.
        config: How edges are weighed.
        sql: Memory and threads.

    Returns:
        `PRODUCES`; statistics of the graph.
    """
    words = word_tables(documents, chunks)
    placed = batches_of(chunks, _PLACES).read_all()
    nodes = build_nodes(entities, placed)
    linked = linked_chunks(links, anchors, placed)
    edges = build_edges(nodes, placed, relations, mentions, titles, linked, config=config, sql=sql)
    return StageResult({"nodes": nodes, "edges": edges, **words}, graph_statistics(nodes, edges))

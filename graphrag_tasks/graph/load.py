"""Load stage: the graph as arrays for igraph, words for BM25, and vectors into a vector server."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from graphrag_tasks.core.config import GraphConfig, SqlConfig
from graphrag_tasks.core.stage import StageResult, scan, stage, table
from graphrag_tasks.graph import build_edges, build_nodes, graph_statistics, linked_chunks
from graphrag_tasks.language.bm25 import word_tables
from graphrag_tasks.storage.row_groups import batches_of
from graphrag_tasks.storage.sql import Rows

_PLACES = ["chunk_id", "document_id", "next_id", "ordinal"]


@stage(
    per="corpus",
    reads=(
        table("documents", "document_id", "title", "title_source"),
        scan("chunks"),
        table("entities", "entity_id"),
        scan("relations"),
        scan("mentions"),
        scan("titles"),
        table("links"),
        table("anchors"),
    ),
    makes=("nodes", "edges", "text_terms", "text_postings", "heading_terms", "heading_postings"),
    settings={"config": "graph", "sql": "sql"},
    given=("upload",),
    libraries=("duckdb", "scipy", "bm25s", "pystemmer"),
    reusable=False,
)
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
    upload: Callable[[], int] = lambda: 0,
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
        upload: Brings the vectors to their server, and returns how many it lacked.

    Returns:
        Nodes, edges and the tables of BM25; statistics of the graph.
    """
    words = word_tables(documents, chunks)
    placed = batches_of(chunks, _PLACES).read_all()
    nodes = build_nodes(entities, placed)
    linked = linked_chunks(links, anchors, placed)
    edges = build_edges(nodes, placed, relations, mentions, titles, linked, config=config, sql=sql)
    stats = graph_statistics(nodes, edges) | {"vectors_inserted": upload()}
    return StageResult({"nodes": nodes, "edges": edges, **words}, stats)

"""Provenance of a part of a graph: sentences of its relations, with chunks and documents."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.core.visible import visible
from graphrag_tasks.graph.selection import Selection
from graphrag_tasks.storage.snapshots.store import Snapshot


@dataclass(frozen=True)
class Provenance:
    """The sources of a selection; each table is ordered by id.

    Attributes:
        evidence: `relation_id`, `sentence_id`, `chunk_id`: each sentence of a relation once.
        mentions: `entity_id`, `chunk_id`, `mentions`: how often a chunk mentions an entity.
        aliases: `entity_id`, `alias`.
        sentences: `sentence_id`, `chunk_id`, `text`, `page` of the evidence.
        chunks: `chunk_id`, `document_id`, `ordinal`, `heading_path`, `text`, `page_start`, `page_end` of the evidence
            and the mentions; by document and position.
        documents: `document_id`, `title`, `uri`, `media_type`, `content_sha256` of the chunks.
    """

    evidence: pa.Table
    mentions: pa.Table
    aliases: pa.Table
    sentences: pa.Table
    chunks: pa.Table
    documents: pa.Table


def provenance(snapshot: Snapshot, selection: Selection) -> Provenance:
    """Return the provenance of a part of a snapshot's graph."""
    entities, relations = selection.entities["entity_id"], selection.relations["relation_id"]
    evidence = snapshot.table("evidence", ["relation_id", "sentence_id", "chunk_id"])
    evidence = _once(_those(evidence, "relation_id", relations))
    mentions = snapshot.table("mentions", ["entity_id", "chunk_id"])
    mentions = _those(mentions, "entity_id", entities)
    mentions = mentions.group_by(["entity_id", "chunk_id"]).aggregate([([], "count_all")])
    mentions = mentions.rename_columns(["entity_id", "chunk_id", "mentions"])
    aliases = snapshot.table("aliases", ["entity_id", "alias"])
    sentences = snapshot.table("sentences", ["sentence_id", "chunk_id", "text", "page"])
    columns = ["chunk_id", "document_id", "ordinal", "heading_path", "text", "page_start",
               "page_end"]  # fmt: skip
    chunks = _those(
        snapshot.table("chunks", columns),
        "chunk_id",
        pa.chunked_array([*evidence["chunk_id"].chunks, *mentions["chunk_id"].chunks], pa.string()),
    )
    columns = ["document_id", "title", "uri", "media_type", "content_sha256"]
    documents = _those(snapshot.table("documents", columns), "document_id", chunks["document_id"])
    for column in ("title", "uri"):  # a file's name may hold what turns the direction of writing
        shown = [one and visible(one) for one in documents[column].to_pylist()]
        at = documents.column_names.index(column)
        documents = documents.set_column(at, column, pa.array(shown, pa.string()))
    return Provenance(
        evidence=evidence,
        mentions=_ordered(mentions, "entity_id", "chunk_id"),
        aliases=_once(_those(aliases, "entity_id", entities)),
        sentences=_ordered(_those(sentences, "sentence_id", evidence["sentence_id"]), "sentence_id"),
        chunks=_ordered(chunks, "document_id", "ordinal"),
        documents=_ordered(documents, "document_id"),
    )


def _those(table: pa.Table, key: str, ids: pa.ChunkedArray) -> pa.Table:
    return table.filter(pc.is_in(table[key], value_set=ids.combine_chunks()))


def _once(table: pa.Table) -> pa.Table:
    names = table.column_names
    return _ordered(table.group_by(names).aggregate([]), *names)


def _ordered(table: pa.Table, *keys: str) -> pa.Table:
    return table.sort_by([(key, "ascending") for key in keys])

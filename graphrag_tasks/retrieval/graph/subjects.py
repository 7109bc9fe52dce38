"""What each chunk is about: its document's title, or the name that it begins with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.language.bm25.index import FILE_NAME
from graphrag_tasks.retrieval.graph.name_graph import Pairs
from graphrag_tasks.retrieval.graph.names import is_written_as_name
from graphrag_tasks.retrieval.view.arrays import Rows, column, rows_of
from graphrag_tasks.snapshots.store import Snapshot

_TITLE = "title"
_BEGINNING = 100
_MOST_TEXTS = 20


def what_chunks_are_about(
    snapshot: Snapshot, chunk_ids: pa.Array[Any], entity_ids: pa.Array[Any],
    named: NDArray[np.bool_],
) -> Pairs:  # fmt: skip
    """Return chunks with the entities that their document's title names.

    A chunk of a document without a title is about the first name that it mentions at its
    beginning, unless that is so of many chunks.

    Args:
        snapshot: The pinned snapshot.
        chunk_ids: Ids of the chunks, by row.
        entity_ids: Ids of the entities, by row.
        named: Shape (entities,): which of them are names.
    """
    where = f"{snapshot.folder.uri}, titles"
    titles = snapshot.table("titles", ["entity_id", "chunk_id", "document_id", "source"])
    untitled = untitled_documents(snapshot)
    titles = titles.filter(
        pc.and_(
            pc.equal(titles["source"], _TITLE),
            pc.invert(pc.is_in(titles["document_id"], value_set=untitled)),
        )
    )
    chunks = rows_of(titles, "chunk_id", chunk_ids, where)
    entities = rows_of(titles, "entity_id", entity_ids, where)
    if not len(untitled):
        return Pairs(chunks, entities)
    first = _first_names(snapshot, untitled, chunk_ids, entity_ids, named)
    return Pairs(np.concatenate([chunks, first.chunks]), np.concatenate([entities, first.entities]))


def untitled_documents(snapshot: Snapshot) -> pa.Array[Any]:
    """Return the ids of the documents that are called by their files only."""
    documents = snapshot.table("documents", ["document_id", "title_source"])
    untitled = documents.filter(pc.equal(documents["title_source"], FILE_NAME))
    found: pa.Array[Any] = column(untitled, "document_id")
    return found


def _first_names(
    snapshot: Snapshot, documents: pa.Array[Any], chunk_ids: pa.Array[Any],
    entity_ids: pa.Array[Any], named: NDArray[np.bool_],
) -> Pairs:  # fmt: skip
    """Return, for each chunk of the documents, the name that its text begins with."""
    where = f"{snapshot.folder.uri}, mentions"
    mentions = snapshot.table("mentions")
    mentions = mentions.filter(pc.is_in(mentions["document_id"], value_set=documents))
    sentences = snapshot.table("sentences", ["sentence_id", "char_start", "text"])
    sentence = rows_of(mentions, "sentence_id", column(sentences, "sentence_id"), where)
    chunks = rows_of(mentions, "chunk_id", chunk_ids, where)
    entities = rows_of(mentions, "entity_id", entity_ids, where)
    begins = column(snapshot.table("chunks", ["char_start"]), "char_start").to_numpy()
    start, end = (column(mentions, name).to_numpy() for name in ("start", "end"))
    place = column(sentences, "char_start").to_numpy()[sentence] + start - begins[chunks]
    early = (end > start) & (place < _BEGINNING) & named[entities]
    order = np.flatnonzero(early)[np.lexsort((-end[early], place[early], chunks[early]))]
    texts = column(sentences, "text").take(pa.array(sentence[order])).to_pylist()
    written = [
        is_written_as_name(text[start[one] : end[one]].split())
        for text, one in zip(texts, order.tolist(), strict=True)
    ]
    order = order[np.array(written, dtype=bool)]
    _, first = np.unique(chunks[order], return_index=True)
    return _few_only(chunks[order[first]], entities[order[first]])


def _few_only(chunks: Rows, entities: Rows) -> Pairs:
    often = np.bincount(entities)[entities] if len(entities) else entities
    return Pairs(chunks[often <= _MOST_TEXTS], entities[often <= _MOST_TEXTS])

"""Entities that are names by how they are written, though nothing labels them: "Ellis Island"."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.language.bm25 import STOP_WORDS
from graphrag_tasks.retrieval.graph.subjects import untitled_documents
from graphrag_tasks.retrieval.view.arrays import Rows, column, rows_of
from graphrag_tasks.snapshots.store import Snapshot

_MOST_CHUNKS = 20
"""A name of more chunks leads everywhere, and the recogniser knows most of those."""


def spelled_as_names(snapshot: Snapshot, entity_ids: pa.Array[Any]) -> NDArray[np.bool_]:
    """Return which entities without a label are written as names wherever they are mentioned.

    A recogniser misses names that it has seen in no text: places, works, call signs. Only documents
    without a title are searched for them: the others have their titles, and beside these more names
    lead astray (`docs/retrieval.md`).
    """
    untitled = untitled_documents(snapshot)
    found = np.zeros(len(entity_ids), dtype=bool)
    if not len(untitled):
        return found
    mentions = snapshot.table("mentions", ["entity_id", "document_id"])
    mentions = mentions.filter(pc.is_in(mentions["document_id"], value_set=untitled))
    found[_rows(snapshot, mentions, entity_ids, "mentions")] = True
    entities = snapshot.table("entities", ["type", "chunks"])
    found &= column(entities, "type").is_null().to_numpy(zero_copy_only=False)
    found &= column(entities, "chunks").to_numpy() <= _MOST_CHUNKS
    aliases = snapshot.table("aliases", ["entity_id", "alias"])
    rows = _rows(snapshot, aliases, entity_ids, "aliases")
    asked = np.flatnonzero(found[rows])
    written = column(aliases, "alias").take(pa.array(asked)).to_pylist()
    found[rows[asked][[not _is_name(one) for one in written]]] = False
    return found


def _rows(snapshot: Snapshot, table: pa.Table, entity_ids: pa.Array[Any], name: str) -> Rows:
    return rows_of(table, "entity_id", entity_ids, f"{snapshot.folder.uri}, {name}")


def _is_name(written: str) -> bool:
    """Tell whether every word has a capital or begins with a digit, but those of grammar inside."""
    words = written.split()
    told = words[:1] + [word for word in words[1:] if word not in STOP_WORDS]
    capitals = written != written.lower()
    return capitals and not any(word[0].isalpha() and word.islower() for word in told)

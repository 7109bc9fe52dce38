"""What chunks mention by a name: mentions less the words that are written like any other."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.retrieval.graph.name_graph import Pairs
from graphrag_tasks.retrieval.view.arrays import column, rows_of
from graphrag_tasks.snapshots.store import Snapshot

_COMMON_WORD = r"^\p{Ll}+$"


def named_mentions(
    snapshot: Snapshot, chunk_ids: pa.Array[Any], entity_ids: pa.Array[Any]
) -> Pairs:
    """Return which chunks mention which entities by a name.

    A single word in lower case is left out: a page called "Song" is not what a text means by
    "song". Only entities that are called so somewhere are looked up in the text.
    """
    where = f"{snapshot.folder.uri}, mentions"
    mentions = snapshot.table("mentions", ["entity_id", "sentence_id", "chunk_id", "start", "end"])
    aliases = snapshot.table("aliases", ["entity_id", "alias"])
    common = aliases.filter(pc.match_substring_regex(aliases["alias"], _COMMON_WORD))
    doubtful = pc.is_in(mentions["entity_id"], value_set=column(common, "entity_id"))
    doubtful = pc.fill_null(doubtful, fill_value=False).to_numpy()
    chunks = rows_of(mentions, "chunk_id", chunk_ids, where)
    entities = rows_of(mentions, "entity_id", entity_ids, where)
    kept = ~doubtful
    kept[doubtful] = [not one.islower() for one in _written(snapshot, mentions.filter(doubtful))]
    return Pairs(chunks[kept], entities[kept])


def _written(snapshot: Snapshot, mentions: pa.Table) -> list[str]:
    """Return mentions of one word as their sentences write them; of several words, nothing."""
    sentences = snapshot.table("sentences", ["sentence_id", "text"])
    ids = column(sentences, "sentence_id")
    rows = rows_of(mentions, "sentence_id", ids, f"{snapshot.folder.uri}, mentions")
    texts = column(sentences, "text").take(pa.array(rows)).to_pylist()
    starts, ends = (column(mentions, name).to_pylist() for name in ("start", "end"))
    surface_forms = [text[start:end] for text, start, end in zip(texts, starts, ends, strict=True)]
    return [surface if len(surface.split()) == 1 else "" for surface in surface_forms]

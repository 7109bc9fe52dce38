"""Boxes on pages: where a span of a document's text stands on paper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphrag_tasks.retrieval.context.hits import PageBox
from graphrag_tasks.retrieval.view.arrays import column, rows_of
from graphrag_tasks.snapshots.store import Snapshot

_SIDES = ("left", "top", "right", "bottom")


class Boxes:
    """The blocks that have a box, by document and place; never changed once built.

    Args:
        snapshot: The pinned snapshot.
        document_ids: Ids of the documents, by row.
    """

    def __init__(self, snapshot: Snapshot, document_ids: pa.Array[Any]) -> None:
        blocks = snapshot.table("blocks", ["document_id", "char_start", "char_end", "page", "bbox"])
        blocks = blocks.filter(pc.and_(pc.is_valid(blocks["bbox"]), pc.is_valid(blocks["page"])))
        where = f"{snapshot.folder.uri}, blocks"
        documents = rows_of(blocks, "document_id", document_ids, where)
        starts = column(blocks, "char_start").to_numpy()
        order = np.lexsort((starts, documents))
        self._documents, self._starts = documents[order], starts[order]
        self._ends = column(blocks, "char_end").to_numpy()[order]
        self._pages = column(blocks, "page").to_numpy(zero_copy_only=False)[order]
        boxes = column(blocks, "bbox")
        self._sides = np.column_stack([boxes.field(side).to_numpy() for side in _SIDES])[order]
        self._with_boxes = frozenset(self._documents.tolist())

    def of(self, document: int, start: int, end: int) -> tuple[PageBox, ...]:
        """Return the boxes of the blocks that a span lies in, in reading order."""
        if document not in self._with_boxes:
            return ()
        first, last = np.searchsorted(self._documents, [document, document + 1])
        inside = (self._starts[first:last] < end) & (self._ends[first:last] > start)
        return tuple(
            PageBox(
                page=int(self._pages[row]),
                **dict(zip(_SIDES, self._sides[row].tolist(), strict=True)),
            )
            for row in (first + np.flatnonzero(inside)).tolist()
        )

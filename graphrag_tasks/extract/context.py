"""What stands around a sentence: the kind of its block, and the sentence that leads to its list."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

LINE_KINDS = frozenset({"code", "table"})
"""Kinds of blocks whose lines are no sentences."""

_COLUMNS = ["document_id", "kind", "text", "char_start"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a sentence stands.

    Attributes:
        kind: Kind of its block.
        lead: Text of the paragraph that leads to the list it is an item of; None elsewhere, and
            for what follows the first sentence of an item.
    """

    kind: str
    lead: str | None = None


class Places:
    """Finds the places of sentences.

    Args:
        blocks: Blocks of their documents, in any order (`schemas.BLOCKS`).
    """

    def __init__(self, blocks: pa.Table) -> None:
        by_document: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for row in blocks.select(_COLUMNS).sort_by("char_start").to_pylist():
            by_document[row["document_id"]].append(row)
        self._blocks = by_document
        self._starts = {
            document_id: [row["char_start"] for row in rows]
            for document_id, rows in by_document.items()
        }

    def of(self, sentence: Mapping[str, Any]) -> Place:
        """Return the place of a sentence.

        Args:
            sentence: A row with `document_id` and `char_start`; where its document has no blocks,
                it is taken for a paragraph.
        """
        document_id, start = sentence["document_id"], sentence["char_start"]
        index = bisect_right(self._starts.get(document_id, []), start) - 1
        if index < 0:
            return Place("paragraph")
        block = self._blocks[document_id][index]
        is_first = block["char_start"] == start
        if block["kind"] != "list_item" or not is_first:
            return Place(block["kind"])
        return Place("list_item", self._lead(document_id, index))

    def _lead(self, document_id: str, index: int) -> str | None:
        blocks = self._blocks[document_id]
        while index >= 0 and blocks[index]["kind"] == "list_item":
            index -= 1
        return (
            blocks[index]["text"] if index >= 0 and blocks[index]["kind"] == "paragraph" else None
        )

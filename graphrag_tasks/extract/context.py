"""What stands around a sentence: its block, its section, and the sentence before its list."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from graphrag_tasks.extract.linear.pointers import leads_elsewhere

LINE_KINDS = frozenset({"code", "table"})
"""Kinds of blocks whose lines are no sentences."""

_LONGEST_HEADING = 80
_COLUMNS = ["document_id", "kind", "level", "text", "char_start", "links"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a sentence stands.

    Attributes:
        kind: Kind of its block.
        lead: Text of the paragraph that leads to the list it is an item of; None elsewhere, and
            for what follows the first sentence of an item.
        is_pointer: Whether its block only leads to other pages: an item, or a text with a link,
            below "See also" and the like.
    """

    kind: str
    lead: str | None = None
    is_pointer: bool = False


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
        self._pointers = {document_id: _pointers(rows) for document_id, rows in by_document.items()}

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
        is_pointer = index in self._pointers[document_id]
        is_first = block["char_start"] == start
        if block["kind"] != "list_item" or not is_first:
            return Place(block["kind"], is_pointer=is_pointer)
        return Place("list_item", self._lead(document_id, index), is_pointer)

    def _lead(self, document_id: str, index: int) -> str | None:
        blocks = self._blocks[document_id]
        while index >= 0 and blocks[index]["kind"] == "list_item":
            index -= 1
        return (
            blocks[index]["text"] if index >= 0 and blocks[index]["kind"] == "paragraph" else None
        )


def _pointers(blocks: Sequence[Mapping[str, Any]]) -> frozenset[int]:
    """Return the numbers of the blocks of a document that only lead to other pages."""
    found: list[int] = []
    level: int | None = None  # of the heading that leads elsewhere
    in_list = False  # behind a paragraph that does
    for number, block in enumerate(blocks):
        kind, leads = block["kind"], leads_elsewhere(block["text"][:_LONGEST_HEADING])
        if kind in ("title", "heading"):
            own = block["level"] or 0
            if level is None or own <= level:
                level = own if leads else None
        if kind != "list_item":
            in_list = kind == "paragraph" and leads
        if (level is not None or in_list) and (kind == "list_item" or block["links"]):
            found.append(number)
    return frozenset(found)

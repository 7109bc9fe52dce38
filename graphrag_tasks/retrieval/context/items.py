"""Find the list items, or table rows, around a sentence.

Items are consecutive list items, rows of a table, or paragraphs between one that ends with a colon and one that ends
with a full stop, as some writers make lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_NOT_LAST = (";", ",")  # Ends of a paragraph that is an item and not the last one of its list.

_LEADS = ("paragraph", "heading", "title", "caption")
_BELOW = 2  # Blocks below a sentence in which its list may begin: a lead and the list.
_TERM_WORDS, _LEAST_DEFINITION = 6, 3  # Most words of a term that stands alone, and least of its definition; chosen.
_ENDS = (".", ":")
_LEAST_PAIRS = 2

_LONGEST = 40  # Most items of a list of paragraphs.

Row = Mapping[str, Any]  # A row of the table `blocks`: kind, text, char_start, char_end.


@dataclass(frozen=True)
class Span:
    """A span of a document; `end` is exclusive."""

    start: int
    end: int

    def holds(self, place: int) -> bool:
        """Tell whether a position is inside."""
        return self.start <= place < self.end


def items_around(blocks: Sequence[Row], place: int) -> list[Span]:
    """Return the items of the list or table at a position of a document, in order.

    An introducing heading or paragraph stands for its list. Empty if there is none. `blocks` are the document's, in
    reading order; `place` is a character offset.
    """
    at = next((row for row, block in enumerate(blocks) if _span(block).holds(place)), None)
    if at is None:
        return []
    for near in range(at, min(at + 1 + _BELOW, len(blocks))):
        if near > at and blocks[near]["kind"] not in _LEADS and not _in_list(blocks[near]):
            return []
        if found := _items(blocks, near):
            return found
    return []


def _items(blocks: Sequence[Row], at: int) -> list[Span]:
    if blocks[at]["kind"] == "table":
        return _lines(blocks[at])
    if blocks[at]["kind"] == "list_item":
        return _entries(_run(blocks, at))
    return [_span(block) for block in _paragraphs(blocks, at)]


def defines(line: str, text: str) -> bool:
    """Tell whether a text may define the line before it: a few words without an end."""
    return (
        line.count(" ") < _TERM_WORDS
        and line[-1:].isalnum()
        and text.count(" ") + 1 >= _LEAST_DEFINITION
        and text.endswith(_ENDS)
    )


def _entries(items: Sequence[Row]) -> list[Span]:
    """Return the spans of items; where terms and definitions alternate, of both together."""
    pairs = list(zip(items[::2], items[1::2], strict=False))
    if (
        len(items) % 2
        or len(pairs) < _LEAST_PAIRS
        or not all(defines(term["text"], told["text"]) for term, told in pairs)
    ):
        return [_span(item) for item in items]
    return [Span(term["char_start"], told["char_end"]) for term, told in pairs]


def _span(block: Row) -> Span:
    return Span(block["char_start"], block["char_end"])


def _in_list(block: Row) -> bool:
    return block["kind"] in ("list_item", "table")


def _lines(table: Row) -> list[Span]:
    spans, start = [], table["char_start"]
    for line in table["text"].split("\n"):
        if line.strip():
            spans.append(Span(start, start + len(line)))
        start += len(line) + 1
    return spans


def _run(blocks: Sequence[Row], at: int) -> Sequence[Row]:
    first = last = at
    while first > 0 and blocks[first - 1]["kind"] == "list_item":
        first -= 1
    while last + 1 < len(blocks) and blocks[last + 1]["kind"] == "list_item":
        last += 1
    return blocks[first : last + 1]


def _paragraphs(blocks: Sequence[Row], at: int) -> Sequence[Row]:
    """Return the paragraphs of the list that a block belongs to, or introduces."""
    for lead in range(at, max(at - _LONGEST, -1), -1):
        if blocks[lead]["kind"] != "paragraph":
            return []
        if _ends_with(blocks[lead], ":"):
            items = _led(blocks, lead)
            return items if len(items) > 1 and at <= lead + len(items) else []
    return []


def _led(blocks: Sequence[Row], lead: int) -> list[Row]:
    """Return the paragraphs of a list after its introduction."""
    items: list[Row] = []
    goes_on = False
    for block in blocks[lead + 1 : lead + 1 + _LONGEST]:
        if block["kind"] != "paragraph":
            break
        items.append(block)
        is_last = goes_on and not _ends_with(block, *_NOT_LAST)
        goes_on = goes_on or _ends_with(block, *_NOT_LAST)
        if is_last or (not goes_on and len(items) > 1):
            break
    return items if goes_on else []


def _ends_with(block: Row, *ends: str) -> bool:
    return str(block["text"]).rstrip().endswith(ends)

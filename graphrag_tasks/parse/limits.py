"""The limit on a document's text, which bounds the work of all later stages.

It counts characters, not time: the same file and settings give the same rows on any machine.
"""

from __future__ import annotations

from dataclasses import replace

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.core.schemas import BLOCK_SEPARATOR
from graphrag_tasks.parse.blocks import Block, ParsedDocument
from graphrag_tasks.parse.tables import Table


def limit_characters(parsed: ParsedDocument, most: int) -> ParsedDocument:
    """Keep the first `most` characters of a document's text, up to the end of a line or word."""
    if parsed.characters <= most:
        return parsed
    blocks: list[Block] = []
    left = most
    for block in parsed.blocks:
        if len(block.text) > left:
            if left > 0:
                blocks.append(_first(block, left))
            break
        blocks.append(block)
        left -= len(block.text) + len(BLOCK_SEPARATOR)
    kept = replace(parsed, blocks=blocks)
    beyond = parsed.characters - kept.characters
    return replace(kept, left_out={**parsed.left_out, LeftOut.BEYOND_BOUND: beyond})


def _first(block: Block, most: int) -> Block:
    places = (block.text.rfind(mark, 0, most + 1) for mark in ("\n", " "))
    text = block.text[: next((place for place in places if place > 0), most)].rstrip()
    table = None if block.table is None else _within(block.table, len(text))
    return replace(block, text=text, table=table)


def _within(table: Table, most: int) -> Table:
    ends = table.cells["end"]
    kept = [number for number, end in enumerate(ends) if end is not None and end <= most]
    cells = {name: [values[number] for number in kept] for name, values in table.cells.items()}
    return replace(table, cells=cells)

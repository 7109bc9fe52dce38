"""Limits on a document: seconds and memory of reading it, and characters of its text.

It counts characters, not time: the same file and settings give the same rows on any machine.
"""

from __future__ import annotations

import math
import time
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.core.progress import mapped_bytes
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


# Limits on reading one document: seconds and memory.

_GRACE = 0.125  # share of all its time by which a document may be late
MAX_QUEUED = 4.0  # of a document's seconds that waiting for a processor may add


class Watch:
    """A stopwatch that leaves out time spent waiting for a processor (Linux).

    At most `most_queued` seconds of waiting are left out.
    """

    def __init__(self, most_queued: float = math.inf, process: int | str = "self") -> None:
        self._most_queued = most_queued
        self._process = process
        self._began, self._queued = time.monotonic(), self._queued_seconds()

    @property
    def seconds(self) -> float:
        """Seconds since the watch was made."""
        queued = min(self._queued_seconds() - self._queued, self._most_queued)
        return time.monotonic() - self._began - queued

    def _queued_seconds(self) -> float:
        try:
            return int(Path(f"/proc/{self._process}/schedstat").read_text().split()[1]) / 1e9
        except (OSError, IndexError):
            return 0.0


@dataclass(frozen=True)
class Allowance:
    """Limits on reading and joining the pages of one document.

    Attributes:
        total: Seconds.
        mapped: Bytes that the process may map with another page; joining them needs more.
        watch: Counts the seconds since the document was begun.
    """

    total: float = math.inf
    mapped: float = math.inf
    watch: Watch = field(default_factory=Watch)

    @property
    def left(self) -> float:
        """Seconds left."""
        return self.total - self.watch.seconds

    @property
    def is_late(self) -> bool:
        """Whether the time limit is exceeded by more than the tolerance."""
        return self.left <= -_GRACE * self.total

    @property
    def is_full(self) -> bool:
        """Whether the process has mapped all the memory that it may."""
        return mapped_bytes() > self.mapped


allowance: ContextVar[Allowance] = ContextVar("allowance")
"""The current document's allowance; if unset, nothing is limited."""


def current_allowance() -> Allowance:
    """Return the allowance of the current document."""
    return allowance.get(Allowance())

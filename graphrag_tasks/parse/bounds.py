"""What one document may cost its reader."""

from __future__ import annotations

from contextvars import ContextVar
from typing import NamedTuple

PAGES_SHARE = 0.7
"""Of a document's seconds, what the pages of a PDF file may take; the rest is for joining them."""


class ReadBounds(NamedTuple):
    """Bounds that go to the worker with each document.

    Attributes:
        seconds: After these the worker is killed.
        memory_bytes: What it may map in all.
        max_cells: Table cells that are kept of it.
        rendition_characters: Length beyond which a document gets no renditions.
    """

    seconds: float
    memory_bytes: int
    max_cells: int
    rendition_characters: int


page_seconds: ContextVar[float | None] = ContextVar("page_seconds", default=None)
"""Seconds after which no more pages of the current document are read; None: no bound."""

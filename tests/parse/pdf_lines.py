"""Lines of PDF pages made by hand."""

from __future__ import annotations

from dataclasses import replace

from graphrag_tasks.parse.blocks import Box
from graphrag_tasks.parse.pdf.lines import Font, Line

REGULAR = Font("Serif")
MONO = Font("Mono", mono=True)


def line(
    text: str,
    top: float,
    *,
    left: float = 72,
    right: float | None = None,
    page: int = 1,
    height: float = 10,
    font: Font = REGULAR,
) -> Line:
    """Return a line of 5 points a letter whose row is its place from the top."""
    end = left + 5 * len(text) if right is None else right
    box = Box(left, top, end, top + height)
    return Line(text, box, page, font, height, row=round(top))


def words(text: str, top: float, *, left: float = 72, font: Font = REGULAR) -> list[Line]:
    """Return a row of words; a tab stands for 100 points."""
    row: list[Line] = []
    for cell in text.split("\t"):
        at = left
        for word in cell.split():
            row.append(line(word, top, left=at, font=font))
            at += 5 * len(word) + 3
        left += 100
    return [replace(word, row=0) for word in row]

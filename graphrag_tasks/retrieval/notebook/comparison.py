"""Compare modes on one question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from graphrag_tasks.core.extras import brought_by
from graphrag_tasks.retrieval.context.cells import paragraph, table
from graphrag_tasks.retrieval.context.context import Context
from graphrag_tasks.retrieval.context.hits import ChunkHit, chunk_place, one_line

if TYPE_CHECKING:
    import pandas as pd

COMPARED = ("dense", "bm25", "hybrid", "ranked")  # Default modes of a comparison.
_SHOWN_CHARACTERS = 120  # Characters shown of a hit, so that several modes fit side by side; chosen.


@dataclass(frozen=True, repr=False)
class ModeComparison:
    """The results of several modes for one question; a notebook shows them as a table.

    `contexts` maps each mode to its result, in the requested order.
    """

    question: str
    contexts: Mapping[str, Context]

    @cached_property
    def found_by(self) -> Mapping[str, int]:
        """Number of modes that found each chunk, by id, most frequent first."""
        found = (hit.chunk_id for context in self.contexts.values() for hit in context.chunks)
        return dict(Counter(found).most_common())

    @property
    def shared(self) -> tuple[str, ...]:
        """Ids of the chunks that every mode found."""
        return tuple(one for one, count in self.found_by.items() if count == len(self.contexts))

    def to_dataframe(self) -> pd.DataFrame:
        """Return one row per mode and passage.

        Columns: `mode`, `place` from 1, `score` (0 to 1: how probably it answers the question, the same in every mode),
        `modes` (how many of them found it), `title`, `headings`, `page`, `text`, `chunk_id` and `document_id`.
        """
        with brought_by("notebook"):
            import pandas as pd

        rows = [
            {
                "mode": mode,
                "place": hit.rank,
                "score": hit.score,
                "modes": self.found_by[hit.chunk_id],
                "title": hit.title,
                "headings": " > ".join(hit.heading_path),
                "page": hit.page_start,
                "text": hit.text,
                "chunk_id": hit.chunk_id,
                "document_id": hit.document_id,
            }
            for mode, context in self.contexts.items()
            for hit in context.chunks
        ]
        columns = ["mode", "place", "score", "modes", "title", "headings", "page", "text",
                   "chunk_id", "document_id"]  # fmt: skip
        frame = pd.DataFrame(rows, columns=columns)
        return frame.astype({"place": "int64", "score": "float64", "modes": "int64", "page": "Int64"})

    def __repr__(self) -> str:
        return f"ModeComparison({self.question!r}, {', '.join(self.contexts)})"

    def __str__(self) -> str:
        lines = [self.question, self._agreement]
        for hit, cells in self._passages():
            placed = zip(self.contexts, cells, strict=True)
            found = ", ".join(f"{mode} {cell}" for mode, cell in placed if cell)
            lines.append(f"{chunk_place(hit)}: {found}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [[chunk_place(hit), *cells, _without_headings(hit)] for hit, cells in self._passages()]
        shown = table(["passage", *self.contexts, "text"], rows)
        return paragraph(self.question, "b") + paragraph(self._agreement) + shown

    @property
    def _agreement(self) -> str:
        modes = len(self.contexts)
        shared = f"{len(self.shared)} of them found by each of the {modes} modes"
        return f"{len(self.found_by)} passages, {shared}. Place and score by mode:"

    def _passages(self) -> Iterator[tuple[ChunkHit, list[str]]]:
        """Yield each passage with its place and score in each mode, most found first."""
        found = {mode: {hit.chunk_id: hit for hit in context.chunks} for mode, context in self.contexts.items()}
        for chunk_id in self.found_by:
            hits = [of.get(chunk_id) for of in found.values()]
            first = next(hit for hit in hits if hit)
            yield first, [f"{hit.rank} ({hit.score:.2f})" if hit else "" for hit in hits]


def _without_headings(hit: ChunkHit) -> str:
    """Return the text of a chunk on one line, cut, without headings at its start."""
    text = one_line(hit.text)
    for heading in reversed(hit.heading_path):
        text = text.removeprefix(one_line(heading)).lstrip()
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"

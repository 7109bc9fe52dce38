"""Extraction from lines of text by patterns: what a dependency parse misses in technical prose.

Source: Min et al., "Towards Practical GraphRAG" (arXiv 2507.03226), where the triples are those of
the dependency parse together with those of linear heuristics.
"""

from __future__ import annotations

from graphrag_tasks.extract.frames import Frame
from graphrag_tasks.extract.linear.aliases import aliases
from graphrag_tasks.extract.linear.cookbook import arrows, cookbook
from graphrag_tasks.extract.linear.labels import labels, list_items

__all__ = ["linear_frames"]


def linear_frames(text: str, lead: str | None = None) -> list[Frame]:
    """Return the frames of a sentence's patterns; `lead` is the text before the list it is in."""
    frames = [*aliases(text), *labels(text), *cookbook(text), *arrows(text)]
    if lead is not None:
        frames.extend(list_items(text, lead))
    return frames

"""Extract frames from lines by patterns: facts that a dependency parse misses.

In: the text of a line, and the text before its list. Out: frames. Source: Min et al., "Towards Practical GraphRAG"
(arXiv 2507.03226), which joins dependency triples and linear heuristics.
"""

from __future__ import annotations

from graphrag_tasks.extract.frames import Frame
from graphrag_tasks.extract.linear.patterns import aliases, cookbook, list_items

__all__ = ["linear_frames"]


def linear_frames(text: str, lead: str | None = None) -> list[Frame]:
    """Return the frames of a sentence's patterns; `lead` is the text before its list."""
    frames = [*aliases(text), *cookbook(text)]
    if lead is not None:
        frames.extend(list_items(text, lead))
    return frames

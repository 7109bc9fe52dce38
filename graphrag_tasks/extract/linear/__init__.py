"""Extract frames from lines by patterns: facts that a dependency parse misses.

In: the text of a line, and the title of its document. Out: frames. Source: Min et al., "Towards Practical GraphRAG"
(arXiv 2507.03226), which joins dependency triples and linear heuristics.
"""

from __future__ import annotations

from graphrag_tasks.extract.frames import Frame
from graphrag_tasks.extract.linear.patterns import aliases, roles


def linear_frames(text: str, title: str | None = None) -> list[Frame]:
    """Return the frames of a sentence's patterns; `title` names its document."""
    return [*aliases(text), *roles(text, title)]

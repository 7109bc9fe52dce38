"""What the tests of both frameworks ask, and the words that a reader must not see."""

from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path

from graphrag_tasks.retrieval import MODES, ChunkHit, Index, open_index

QUESTION = "Which table replaces VBBS?"
AT_ONCE = 20
HIDDEN = ("zephyr", "quorum", "merger", "funds", "threatens", "board")
"""Words of the document that is labelled `board`, and of no other."""
PROBES = ("What does the Gateway replace?", "Who funds Zephyr?", "Quorum threatens the merger")
FIELDS = {"citation", "title", "page", "uri", "score", "chunk_id", "document_id", "snapshot_id"}


def opened(store: Path, label: str) -> Index:
    """Open a store without spaCy, which two modes need and the core does not bring."""
    return open_index(store, principals=[label], noun_phrases=lambda text: [text])


def hidden_words(said: Callable[[str, str], Iterable[str]]) -> set[str]:
    """Return the hidden words in what is said to the probes in each mode."""
    asked = product(("auto", *MODES), PROBES)
    texts = [text.lower() for mode, probe in asked for text in said(mode, probe)]
    assert texts, "nothing is said at all"
    return {word for word in HIDDEN if any(word in text for text in texts)}


def in_order(hits: Iterable[ChunkHit]) -> list[tuple[str, str, float]]:
    """Return id, text and score of passages, as they come."""
    return [(hit.chunk_id, hit.text, hit.score) for hit in hits]

"""Names with similar vectors: candidates that a confirmer must decide.

No rule ties them, so none is merged without the confirmer. All pairs of names are compared, block by block: hundreds of
thousands of names take minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.entities.resolve.candidates import Candidate, Name

RULE = "similar"


class NameEncoder(Protocol):
    """Embeds names as vectors."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors as rows, shape (len(texts), dimension)."""


_BLOCK = 1024  # Names compared with all others at once: with 100,000 names that is 400 MB of cosines.
_MOST = 10  # Most pairs of one name; a name near many is a word that many names contain.


def similar_names(names: Sequence[Name], encoder: NameEncoder, least: float) -> list[Candidate]:
    """Return the pairs of names whose cosine is at least `least`, the nearest of each name."""
    names = sorted(names, key=lambda name: (-name.mentions, name.key))
    vectors = encoder.encode([name.name for name in names])
    found: dict[tuple[str, str], Candidate] = {}
    for start in range(0, len(names), _BLOCK):
        cosines = vectors[start : start + _BLOCK] @ vectors[start:].T
        # Each pair once: of the more frequent name, which stands first.
        for row, near in enumerate(np.triu(cosines, k=1)):
            columns = np.flatnonzero(near >= least)
            order = np.argsort(-near[columns], kind="stable")[:_MOST]
            for column in columns[order]:
                left, right = names[start + row].key, names[start + int(column)].key
                score = round(min(float(near[column]), 1.0), 4)
                found[left, right] = Candidate(left, right, (RULE,), score)
    return [found[pair] for pair in sorted(found)]

"""Entity linking: finds the longest runs of words that are a name, an alias or a code.

All users share it: search, the starts of `local`, `list` and `path`, and commands such as `entities explain`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.language.known_names import NameMatch, can_be_named, find_names, folded_name
from graphrag_tasks.retrieval.graph.spellings import Spellings

_SHORTEST = 3  # Shortest name: "tag" and "SAP" have three letters; a word that is no name needs four.


@dataclass(frozen=True)
class Link:
    """A name in a text and its entities, most mentioned first.

    Attributes:
        match: The folded name and its position.
        rows: The entities.
        is_telling: Whether it is surely a name: written as one, of several words, or a term of the corpus.
    """

    match: NameMatch
    rows: tuple[int, ...]
    is_telling: bool


class Linker:
    """Finds the entities that texts name; immutable.

    Args:
        spellings: Entities by folded name, alias and code.
        terms: Shape (entities,): whether each is a term of the corpus.
    """

    def __init__(self, spellings: Spellings, terms: NDArray[np.bool_]) -> None:
        self._spellings = spellings
        self._terms = terms

    def entities(self, name: str) -> tuple[int, ...]:
        """Return the entities with a name, alias or code, ignoring punctuation and case."""
        return self._spellings.entities(folded_name(name))

    def links(self, text: str) -> list[Link]:
        """Return the names in a text, in order; longer ones win overlaps."""
        found = []
        for match in find_names(text, self._spellings, _SHORTEST):
            rows = self._spellings.entities(match.key)
            is_telling = match.is_telling or any(self._terms[row] for row in rows)
            if is_telling or can_be_named(match.key):
                found.append(Link(match, rows, is_telling))
        return found

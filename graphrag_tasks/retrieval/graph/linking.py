"""Spellings of entities, and linking: finds the longest runs of words that are a name, an alias or a code.

All users share it: search, the starts of `local`, `list` and `path`, and commands such as `entities`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.language.known_names import NameMatch, can_be_named, find_names, folded_name
from graphrag_tasks.storage.columns import SortedTexts, column, numbers


class Spellings:
    """The tables `spellings` and `spelled`; immutable.

    A lookup is a binary search of the sorted spellings, as bytes: 5 microseconds for 50,000.
    """

    def __init__(self, spellings: pa.Table, spelled: pa.Table) -> None:
        self._sorted = SortedTexts(column(spellings, "spelling"))
        self._ends = numbers(column(spellings, "end"))
        self._names = column(spellings, "name")
        self._is_code = column(spellings, "is_code")
        self._entities = numbers(column(spelled, "entity"))

    def __contains__(self, spelling: object) -> bool:
        return self._sorted.row_of(spelling) is not None

    def begins(self, text: str) -> bool:
        """Tell whether a spelling begins with a text."""
        return self._sorted.begins(text)

    def entities(self, spelling: str) -> tuple[int, ...]:
        """Return the entities with this spelling, most mentioned first."""
        row = self._sorted.row_of(spelling)
        if row is None:
            return ()
        start = self._ends[row - 1] if row else 0
        found: list[int] = self._entities[start : self._ends[row]].tolist()
        return tuple(found)

    @property
    def called(self) -> Container[str]:
        """The spellings of display names and aliases, without codes inside names."""
        return _Called(self._sorted, self._is_code)

    @property
    def places(self) -> Mapping[str, int]:
        """The row in `name_nodes` of each spelling that is a name."""
        return _Places(self._sorted, self._names)


class _Called(Container[str]):
    def __init__(self, sorted_texts: SortedTexts, is_code: Any) -> None:  # noqa: ANN401 - an array
        self._sorted = sorted_texts
        self._is_code = is_code

    def __contains__(self, spelling: object) -> bool:
        row = self._sorted.row_of(spelling)
        return row is not None and not self._is_code[row].as_py()

    def begins(self, text: str) -> bool:
        return self._sorted.begins(text)


class _Places(Mapping[str, int]):
    def __init__(self, sorted_texts: SortedTexts, names: Any) -> None:  # noqa: ANN401 - an array
        self._sorted = sorted_texts
        self._names = names

    def __getitem__(self, spelling: str) -> int:
        row = self._sorted.row_of(spelling)
        place = None if row is None else self._names[row].as_py()
        if place is None:
            raise KeyError(spelling)
        return int(place)

    def begins(self, text: str) -> bool:
        return self._sorted.begins(text)

    def __iter__(self) -> Iterator[str]:
        rows = np.flatnonzero(numbers(self._names.is_valid()))
        return (self._sorted[row].decode() for row in rows.tolist())

    def __len__(self) -> int:
        return len(self._names) - int(self._names.null_count)


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

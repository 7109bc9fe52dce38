"""Which entities a text names: the longest runs of words that are a name, an alias or a code.

One linking for all: what a search recognises, where `local`, `list` and `path` begin, and what a
command such as `entities explain` finds by a name.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from graphrag_tasks.retrieval.graph.names import NameMatch, can_be_named, find_names, folded_name

_KIND_AND_CODE = re.compile(r"(?:[a-z]+ ){1,3}(?P<code>(?=\S*[A-Z0-9_/])\S{2,})")
"""An entity whose name is a code behind its kind: "table VBBE", "function module CONVERT_DATE"."""


_SENSE = re.compile(r"(?P<name>.+) \([^()]+\)")
"""An entity of which a name means one sense: "Mercury (planet)"."""

_SHORTEST = 3
"""Letters of the shortest name: "tag" and "SAP" are; a word that is no name has four."""


@dataclass(frozen=True)
class Link:
    """A name in a text and the entities that have it, those of most mentions first.

    Attributes:
        match: Where the name stands, folded.
        rows: The entities.
        is_telling: Whether it is a name and not just a word: it is written as one, has several
            words, or is a term of the corpus.
    """

    match: NameMatch
    rows: tuple[int, ...]
    is_telling: bool


def notes_on_senses(names: Iterable[str]) -> list[str]:
    """Return a note on each name that several of these entities have, as senses of it."""
    senses: dict[str, list[str]] = {}
    for name in sorted(set(names)):
        if match := _SENSE.fullmatch(name):
            senses.setdefault(folded_name(match["name"]), []).append(name)
    return [
        f"One name means {len(found)} things: {', '.join(found)}. Name one for it alone."
        for found in senses.values()
        if len(found) > 1
    ]


class Linker:
    """Finds the entities that texts name; never changed once built.

    Args:
        called: Entities by folded name and alias, those of most mentions first.
        names: Display name of each entity.
        terms: Whether each entity is a term of the corpus.
    """

    def __init__(
        self, called: Mapping[str, Sequence[int]], names: Sequence[str], terms: Sequence[bool]
    ) -> None:
        self._called = called
        self._names = names
        self._terms = terms

    def entities(self, name: str) -> tuple[int, ...]:
        """Return the entities with a name, an alias or a code; signs and case do not matter."""
        return tuple(self._known.get(folded_name(name), ()))

    def links(self, text: str) -> list[Link]:
        """Return the names in a text, in order; of two that overlap, the longer."""
        found = []
        for match in find_names(text, self._known, _SHORTEST):
            rows = tuple(self._known[match.key])
            is_telling = match.is_telling or any(self._terms[row] for row in rows)
            if is_telling or can_be_named(match.key):
                found.append(Link(match, rows, is_telling))
        return found

    @cached_property
    def _known(self) -> ChainMap[str, Sequence[int]]:
        return ChainMap(dict(self._called), self._codes)

    @cached_property
    def _codes(self) -> dict[str, Sequence[int]]:
        """Entities by the code in their names, where no entity is called by the code alone."""
        found: dict[str, list[int]] = {}
        for row, name in enumerate(self._names):
            match = _KIND_AND_CODE.fullmatch(name)
            if match and (key := folded_name(match["code"])):
                found.setdefault(key, []).append(row)
        return {key: rows for key, rows in found.items() if key not in self._called}

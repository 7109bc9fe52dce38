"""Find names in texts: a trie over tokens, longest match first.

A trie over token numbers, as one dictionary from (node, token) to node, was measured against the
character automata of `ahocorasick-rs` and spaCy's `PhraseMatcher` on half a million names: it is
built in a fifth of the time, takes a quarter of the memory, and lets a shorter name in where the
spelling forbids the longer one (`docs/graph.md`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from graphrag_tasks.forms import singular_noun
from graphrag_tasks.mention.spelling import ANY, TOKEN, Spelling, folded

_BITS = 32
_UNKNOWN = -1
"""Number of a token that no name has, and of a node that is none: no key of edges or ends."""
_SHORTEST_TIED = 3
_Span = tuple[int, int]
_Token = tuple[int, int]
_PREPOSITIONS = ("of", "in", "for", "with", "from", "to", "on", "by", "at", "between", "into")


class Match(NamedTuple):
    """A name at its place: characters `start` to `end` of the text."""

    start: int
    end: int
    name: int


class _End(NamedTuple):
    """A name that ends at a node, and how it must be written."""

    name: int
    spelling: Spelling


class NameMatcher:
    """Names to be found in texts.

    Case, accents, a possessive and, in common nouns, the plural do not keep a text from its name.
    A name inside a longer one is none ("York" in "New York"), but one that a preposition ties to a
    common noun is: "VBBE" in "rows of VBBE".
    """

    def __init__(self) -> None:
        self._edges: dict[int, int] = {}
        self._ends: dict[int, _End] = {}
        self._nodes = 1
        self._numbers: dict[str, int] = {}
        self._tokens: dict[str, tuple[int, int]] = {}
        self._prepositions = {
            self._numbers.setdefault(word, len(self._numbers)) for word in _PREPOSITIONS
        }

    def add(self, key: str, name: int, spelling: Spelling) -> None:
        """Add a name.

        Of names that are the same in folded tokens the first that is added is found, so add the
        most frequent first.

        Args:
            key: The name, normalised.
            name: What `find` gives for it.
            spelling: How it must be written.
        """
        tokens = [folded(token) for token in TOKEN.findall(key)]
        if not tokens:
            return
        if not spelling.capital and not spelling.forms:
            tokens[-1] = singular_noun(tokens[-1])
        node = 0
        for token in tokens:
            edge = node << _BITS | self._numbers.setdefault(token, len(self._numbers))
            if edge not in self._edges:
                self._edges[edge] = self._nodes
                self._nodes += 1
            node = self._edges[edge]
        self._ends.setdefault(node, _End(name, spelling))

    def find(self, text: str) -> Iterator[Match]:
        """Yield the names in a text, the longest at each place, in their order."""
        spans = [token.span() for token in TOKEN.finditer(text)]
        tokens = [self._number(text[start:end]) for start, end in spans]
        place = 0
        while place < len(tokens):
            match = self._longest(text, spans, tokens, place)
            if match is None:
                place += 1
            else:
                end, name = match
                start = spans[place][0]
                yield Match(start, spans[end - 1][1], name)
                place = self._behind_preposition(text, spans, tokens, place, end)

    def _behind_preposition(
        self, text: str, spans: list[_Span], tokens: list[_Token], place: int, end: int
    ) -> int:
        """Return where to look on: behind a name, or inside it where it is a common noun's."""
        if end - place > _SHORTEST_TIED - 1 and text[spans[place][0]].islower():
            for one in range(place + 1, end - 1):
                if tokens[one][0] in self._prepositions:
                    return one + 1
        return end

    def _number(self, token: str) -> _Token:
        """Return the numbers of a token and of its singular."""
        found = self._tokens.get(token)
        if found is None:
            word = folded(token)
            one = self._numbers.get(word, _UNKNOWN)
            found = one, self._numbers.get(singular_noun(word), _UNKNOWN)
            self._tokens[token] = found
        return found

    def _longest(
        self, text: str, spans: list[_Span], tokens: list[_Token], place: int
    ) -> tuple[int, int] | None:
        """Return the end and the name of the longest match that begins at a token."""
        found: list[tuple[int, _End]] = []
        edges, ends = self._edges, self._ends
        node = 0
        for end in range(place, len(tokens)):
            exact, singular = tokens[end]
            below = edges.get(node << _BITS | exact, _UNKNOWN)
            if singular != exact:
                last = ends.get(edges.get(node << _BITS | singular, _UNKNOWN))
                if last is not None:
                    found.append((end, last))
            last = ends.get(below)
            if last is not None:
                found.append((end, last))
            if below == _UNKNOWN:
                break
            node = below
        for end, last in reversed(found):
            if last.spelling is ANY or last.spelling.allows(
                text[spans[place][0] : spans[end][1]], opening=place == 0
            ):
                return end + 1, last.name
        return None

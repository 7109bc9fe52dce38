"""Find names in texts with a trie over tokens: longest match first, a batch of texts at a time.

The automata of `ahocorasick-rs` and spaCy's `PhraseMatcher` take longer and more memory to build, and cannot fall back
to a shorter name where the spelling forbids the longer one (`benchmarks/README.md`).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.entities.link_mentions.spelling import ANY, CAPITAL, TOKEN, Spelling, folded
from graphrag_tasks.entities.link_mentions.trie import NONE, ROOT, Rows, Trie
from graphrag_tasks.entities.link_mentions.vocabulary import PREPOSITIONS, Tokens, Vocabulary
from graphrag_tasks.language.forms import singular_noun

_SHORTEST_TIED = 3  # Fewest tokens of a name whose parts a preposition joins, behind which other names are still found.
_ANY, _CAPITAL, _OTHER = range(3)
_KINDS = {ANY: _ANY, CAPITAL: _CAPITAL}
_BETWEEN = "\n"


class Matches(NamedTuple):
    """Name matches, one array element each, sorted by text and start.

    `start` and `end` are character offsets; `alias` is the matched text.
    """

    text: Rows
    start: Rows
    end: Rows
    name: Rows
    alias: list[str]


class NameMatcher:
    """Finds names in texts.

    Matching ignores case, accents, possessives and, in common nouns, the plural. A name inside a longer name does not
    match ("York" in "New York"), except behind a common noun and a preposition: "VBBE" in "rows of VBBE".
    """

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()
        self._tokens, self._ends = array("i"), array("q", [0])
        self._names, self._kinds = array("q"), array("b")
        self._spellings: dict[int, Spelling] = {}
        self._trie: Trie | None = None

    def add(self, key: str, name: int, spelling: Spelling) -> None:
        """Add a name; all names are added before the first search.

        `find` returns the number `name` for the normalised name `key`. Of names with equal folded tokens the first one
        added wins, so add the most frequent first.
        """
        tokens = [folded(token) for token in TOKEN.findall(key)]
        if not tokens:
            return
        if not spelling.capital and not spelling.forms:
            tokens[-1] = singular_noun(tokens[-1])
        self._tokens.extend(map(self._vocabulary.number, tokens))
        self._ends.append(len(self._tokens))
        kind = _KINDS.get(spelling, _OTHER)
        if kind == _OTHER:
            self._spellings[len(self._names)] = spelling
        self._names.append(name)
        self._kinds.append(kind)

    def find(self, texts: Sequence[str]) -> Matches:
        """Return the name matches in texts, the longest at each place."""
        if self._trie is None:
            self._trie = Trie(np.array(self._tokens, np.int32), np.array(self._ends))
        starts = np.array([0, *accumulate(len(text) + len(_BETWEEN) for text in texts)])[:-1]
        joined = _BETWEEN.join(texts)
        tokens = self._vocabulary.read(joined, starts)
        ends, found = self._longest(self._trie, joined, tokens)
        first = _from_left(tokens, ends)
        last = ends[first] - 1
        spans = zip(tokens.start[first].tolist(), tokens.end[last].tolist(), strict=True)
        of = tokens.text[first]
        return Matches(
            of,
            tokens.start[first] - starts[of],
            tokens.end[last] - starts[of],
            np.array(self._names, np.int64)[found[first]],
            [joined[start:end] for start, end in spans],
        )

    def _longest(self, trie: Trie, joined: str, tokens: Tokens) -> tuple[Rows, Rows]:
        """Return the end and the number of the longest name that begins at each token.

        The end is the token after the name, 0 where no name begins. An exact token is preferred to its singular.
        """
        spelled = _Spelled(joined, tokens, np.array(self._kinds), self._spellings)
        ends = np.zeros(len(tokens.start), np.int64)
        names = np.full(len(ends), NONE, np.int64)
        places = np.arange(len(ends))  # where paths began that still go on
        nodes = np.full(len(ends), ROOT, np.int64)
        last = places
        while len(places):
            plural = np.flatnonzero(tokens.singular[last] != tokens.exact[last])
            singles = trie.below(nodes[plural], tokens.singular[last[plural]])
            nodes = trie.below(nodes, tokens.exact[last])
            for at, reached in ((plural, singles), (slice(None), nodes)):
                found = trie.names(reached)
                allowed = spelled.allowed(places[at], last[at], found)
                ends[places[at][allowed]] = last[at][allowed] + 1
                names[places[at][allowed]] = found[allowed]
            on = np.flatnonzero((nodes != ROOT) & (last + 1 < tokens.stop[places]))
            places, nodes, last = places[on], nodes[on], last[on] + 1
        return ends, names


class _Spelled:
    """Checks whether matches in a batch are spelled as their names require."""

    def __init__(self, joined: str, tokens: Tokens, kinds: NDArray[np.int8], spellings: dict[int, Spelling]) -> None:
        self._joined, self._tokens = joined, tokens
        self._kinds, self._spellings = kinds, spellings
        self._capitals = np.append(0, np.cumsum(tokens.is_capital))
        self._small = np.append(0, np.cumsum(tokens.is_small))

    def allowed(self, first: Rows, last: Rows, names: NDArray[np.int32]) -> Rows:
        """Return the indices of matches (other than `NONE`) whose spelling is allowed.

        A match begins at token `first` and ends with token `last`.
        """
        held = np.flatnonzero(names != NONE)
        kinds = self._kinds[names[held]]
        first, last = first[held], last[held]
        no_capital = self._capitals[first] == self._capitals[last + 1]
        is_lower = no_capital & (self._small[first] < self._small[last + 1])
        good = (kinds == _ANY) | ((kinds == _CAPITAL) & ~is_lower)
        for one in np.flatnonzero(kinds == _OTHER).tolist():
            good[one] = self._allows(int(names[held[one]]), int(first[one]), int(last[one]))
        allowed: Rows = held[good]
        return allowed

    def _allows(self, name: int, first: int, last: int) -> bool:
        tokens = self._tokens
        text = self._joined[tokens.start[first] : tokens.end[last]]
        opening = first == 0 or bool(tokens.text[first - 1] < tokens.text[first])
        return self._spellings[name].allows(text, opening=opening)


def _from_left(tokens: Tokens, ends: Rows) -> Rows:
    """Return the first tokens of non-overlapping matches; the leftmost match wins.

    `ends` holds the token after the longest name that begins at each token; 0 where none begins.
    """
    begun = np.flatnonzero(ends)
    after = ends[begun]
    place = np.arange(len(ends) + 1)
    is_tie = (tokens.exact >= 0) & (tokens.exact < len(PREPOSITIONS))
    ties = np.minimum.accumulate(np.where(np.append(is_tie, True), place, len(ends))[::-1])[::-1]
    tie = ties[begun + 1]
    inside = (after - begun >= _SHORTEST_TIED) & (tie + 1 < after) & (tokens.opens_small[begun] > 0)
    after = np.where(inside, tie + 1, after)
    following = np.searchsorted(begun, after)
    there = np.minimum(following, max(len(begun) - 1, 0))
    goes_on = (following < len(begun)) & (tokens.text[begun[there]] == tokens.text[begun])
    _, at = np.unique(tokens.text[begun], return_index=True)
    chosen = [np.empty(0, np.int64)]
    while len(at):  # one name further in every text
        chosen.append(at)
        at = following[at[goes_on[at]]]
    return begun[np.sort(np.concatenate(chosen))]

"""Find names in texts with a trie over tokens: longest match first, a batch of texts at a time.

The automata of `ahocorasick-rs` and spaCy's `PhraseMatcher` take longer and more memory to build, and cannot fall back
to a shorter name where the spelling forbids the longer one (`benchmarks/README.md`).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate, count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.language.names import singular_noun, unaccented

Rows = NDArray[np.int64]
Numbers = NDArray[np.int32]

ROOT, NONE = 0, -1
_BITS = 32  # Bits of the token in a 64-bit edge; the other bits hold the node.


class Trie:
    """Names as paths of token numbers.

    Args:
        tokens: Token numbers of all names, concatenated.
        starts: Where the tokens of each name begin, and where the last name's tokens end.
    """

    def __init__(self, tokens: Numbers, starts: Rows) -> None:
        sizes = np.diff(starts)
        nodes = np.full(len(sizes), ROOT, np.int64)
        levels = [np.empty(0, np.int64)]
        count = 0
        names = np.flatnonzero(sizes > 0)
        for depth in range(int(sizes.max(initial=0))):
            names = names[sizes[names] > depth]
            edges = _edges(nodes[names], tokens[starts[names] + depth])
            found, places = np.unique(edges, return_inverse=True)
            nodes[names] = count + places + 1
            count += len(found)
            levels.append(found)
        self._edges = np.concatenate(levels)
        self._names = np.full(count + 1, NONE, np.int32)
        backwards = np.flatnonzero(sizes > 0)[::-1]
        self._names[nodes[backwards]] = backwards  # of names with one path the first stays
        self._is_inner = np.zeros(count + 1, np.bool_)
        self._is_inner[self._edges >> _BITS] = True

    def below(self, nodes: Rows, tokens: Numbers) -> Rows:
        """Return the child of each node for a token; `ROOT` where there is none."""
        below = np.full(len(nodes), ROOT, np.int64)
        inner = np.flatnonzero(self._is_inner[nodes] & (tokens >= 0))
        if len(inner):
            edges = _edges(nodes[inner], tokens[inner])
            places = np.minimum(np.searchsorted(self._edges, edges), len(self._edges) - 1)
            below[inner] = np.where(self._edges[places] == edges, places + 1, ROOT)
        return below

    def names(self, nodes: Rows) -> Numbers:
        """Return the number of the name that ends at each node; `NONE` where there is none."""
        return self._names[nodes]


def _edges(nodes: Rows, tokens: Numbers) -> Rows:
    return nodes << _BITS | tokens


# Spelling: with which capitals a text must write a name for it to match.

TOKEN = re.compile(r"\w+://\S+|(?:[^\W_]+(?:_+[^\W_]+)*|_+)(?:\(\))?|[^\w\s]")
"""A token: a URL, a word with its underscores and the "()" of a call, or a punctuation mark."""


def folded(token: str) -> str:
    """Return a token without case, accents and compatibility forms."""
    return unaccented(token.casefold())


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a text must write a name.

    It needs a `capital` letter somewhere, or must equal one of `forms`; where `opens` is false, a match at the start of
    a sentence does not count, as its capital is no evidence.
    """

    capital: bool = False
    forms: frozenset[str] = frozenset()
    opens: bool = True

    def allows(self, text: str, *, opening: bool) -> bool:
        """Return whether a stretch of text may be the name."""
        if self.capital and text.islower():
            return False
        if self.forms and text not in self.forms:
            return False
        return self.opens or not opening or _is_shouted(text)


ANY, CAPITAL = Spelling(), Spelling(capital=True)


def spelling_of(
    forms: Collection[str], *, is_named: bool, is_title: bool, is_known: Callable[[str], bool]
) -> Spelling | None:
    """Return how a name must be written to match, or None if it is not searched for.

    * A single common word is searched for only with capitals: if it is the title of a document, or
      never occurs in small letters and has an entity label or more than one capital.
    * Any other name that some text writes in small letters matches in any case.
    * All other names need a capital.

    `is_named`: the name has an entity label or is a title.
    """
    words = TOKEN.findall(min(forms))
    if len(words) == 1 and (len(words[0]) == 1 or is_known(words[0].casefold())):
        return _of_common_word(forms, is_named=is_named, is_title=is_title)
    return ANY if any(form == form.lower() for form in forms) else CAPITAL


def _of_common_word(forms: Collection[str], *, is_named: bool, is_title: bool) -> Spelling | None:
    as_names = frozenset(form for form in forms if form != form.lower())
    if len(as_names) < len(forms) and not is_title:
        return None
    if not as_names or not (is_named or all(map(_is_shouted, as_names))):
        return None
    return Spelling(forms=as_names, opens=is_title)


def _is_shouted(form: str) -> bool:
    """Return whether a form has a capital after its first letter: "SAP", "BAdI"."""
    return form[1:] != form[1:].lower()


# Token numbers and properties for the matcher; each distinct token is read once.

PREPOSITIONS = ("of", "in", "for", "with", "from", "to", "on", "by", "at", "between", "into")
_SPLIT = re.compile(f"({TOKEN.pattern})")
_UNKNOWN = -1
_MOST_KEPT = 1 << 20
"""Distinct tokens cached before the cache is cleared; bounds memory where texts are full of numbers. Chosen."""
_NO_TRAITS = np.empty((0, 5), np.int32)


class Tokens(NamedTuple):
    """Tokens of some texts, an array element each.

    Attributes:
        start, end: Character offsets in the joined texts.
        stop: The first token after its text.
        exact: Number of the token; -1 where no name contains it.
        is_small: Whether it has letters, none of them a capital.
    """

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    text: NDArray[np.int64]
    stop: NDArray[np.int64]
    exact: NDArray[np.int32]
    singular: NDArray[np.int32]
    is_capital: NDArray[np.int32]
    is_small: NDArray[np.int32]
    opens_small: NDArray[np.int32]


class Vocabulary:
    """Numbers of the folded tokens of names; prepositions are numbered first."""

    def __init__(self) -> None:
        self._numbers = {word: number for number, word in enumerate(PREPOSITIONS)}
        self._rows: dict[str, int] = {}
        self._traits = _NO_TRAITS

    def number(self, word: str) -> int:
        """Return the number of a folded token; a new token gets the next number."""
        return self._numbers.setdefault(word, len(self._numbers))

    def read(self, joined: str, starts: NDArray[np.int64]) -> Tokens:
        """Return the tokens of texts joined by white space; `starts` holds each text's offset."""
        parts = _SPLIT.split(joined)  # white space and tokens in turn
        reached = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
        places, ends, words = reached[:-1:2], reached[1::2], parts[1::2]
        texts = np.searchsorted(starts, places, side="right") - 1
        stops = np.append(np.searchsorted(places, starts[1:]), len(places))
        return Tokens(places, ends, texts, stops[texts], *self._traits_of(words).T)

    def _traits_of(self, words: list[str]) -> NDArray[np.int32]:
        if len(self._rows) > _MOST_KEPT:
            self._rows, self._traits = {}, _NO_TRAITS
        new = sorted(set(words).difference(self._rows))
        if new:
            self._rows.update(zip(new, count(len(self._rows)), strict=False))
            seen = np.array(list(map(self._look_at, new)), np.int32)
            self._traits = np.concatenate([self._traits, seen])
        rows = np.fromiter(map(self._rows.__getitem__, words), np.int64, len(words))
        return self._traits[rows]

    def _look_at(self, token: str) -> tuple[int, ...]:
        word = folded(token)
        exact = self._numbers.get(word, _UNKNOWN)
        singular = self._numbers.get(singular_noun(word), _UNKNOWN)
        is_capital = not f"{token}a".islower()
        return exact, singular, is_capital, token.islower(), token[0].islower()


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

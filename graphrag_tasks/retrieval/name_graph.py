"""The graph that names span: which chunks hold which names, and which are about one.

Names are the titles of documents and the aliases of entities that have a label; a chunk holds a
name that its text mentions, and is about its document's title, or without one about the name that
it begins with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain

import numpy as np
from scipy import sparse

from graphrag_tasks.retrieval.names import (
    NameKey,
    NameTrie,
    can_be_named,
    name_words,
    title_aliases,
)
from graphrag_tasks.retrieval.propagate import Floats, Walk

_MENTIONED = 1.0
_OWN_TITLE = 10.0
"""Weights of an edge between a chunk and a name: what it is about counts for more."""

_BEGINNING = 100
_MOST_TEXTS = 20
_MOST_BETWEEN = 50


class NameGraph:
    """Names, and the chunks that hold them; never changed once built.

    Args:
        texts: The chunks' texts, in order of their rows.
        titles: What each chunk is about, in the same order.
        entities: Further names.

    Attributes:
        keys: The names, titles first.
        trie: Finds names in a text.
        weights: Shape (chunks, names).
        rarity: Shape (names,): inverse chunk frequency; the rarest name has 1.
        is_title: Shape (names,): whether a document has it as its title.
    """

    def __init__(
        self, texts: Sequence[str], titles: Sequence[Sequence[str]], entities: Iterable[str]
    ) -> None:
        further = [key for key in map(name_words, entities) if can_be_named(key)]
        if not all(titles):
            titles = _with_subjects(texts, titles, NameTrie(dict.fromkeys(further)))
        rows: dict[NameKey, int] = {}
        for key in _own_keys(chain.from_iterable(titles)):
            rows.setdefault(key, len(rows))
        count = len(rows)
        for key in further:
            rows.setdefault(key, len(rows))
        self.keys = list(rows)
        self.trie = NameTrie(rows)
        self.is_title = np.arange(len(rows)) < count
        # A title inside a longer name counts as well: "film composer Hans Salter".
        tries = (self.trie, NameTrie(self.keys[:count]))
        self.weights = _weigh(tries, rows, texts, titles)
        held = np.bincount(self.weights.indices, minlength=len(rows))
        rarity = np.log((len(texts) + 1) / (held + 0.5)).astype(np.float32)
        self.rarity = rarity / max(float(rarity.max(initial=0.0)), 1e-9)

    def names_of(self, chunk: int) -> list[int]:
        """Return the names that a chunk holds."""
        begin, end = self.weights.indptr[chunk : chunk + 2]
        names: list[int] = self.weights.indices[begin:end].tolist()
        return names

    def leads(self, chunks: Sequence[int], seeds: Floats, visits: Floats) -> list[tuple[str, ...]]:
        """Return how a seed leads to each chunk: a name it holds, or one over another chunk.

        Args:
            chunks: The chunks.
            seeds: Shape (names,): weight of each seed.
            visits: Shape (chunks,): the higher, the better a chunk serves as the one between.

        Returns:
            For each chunk the seed; or the seed, what the chunk between is about, and the name
            that both hold; empty where neither is so.
        """
        if not seeds.any():
            return [()] * len(chunks)
        holders = np.flatnonzero(self.weights @ seeds)
        holders = holders[np.argsort(-visits[holders], kind="stable")][:_MOST_BETWEEN].tolist()
        return [self._lead(chunk, seeds, holders) for chunk in chunks]

    def _lead(self, chunk: int, seeds: Floats, holders: Sequence[int]) -> tuple[str, ...]:
        own = self.names_of(chunk)
        best = max(own, key=seeds.__getitem__, default=None)
        if best is not None and seeds[best]:
            return (self._words(best),)
        for other in holders:
            held = self.names_of(other)
            shared = set(own).intersection(held)
            if shared:
                seed = max(held, key=seeds.__getitem__)
                title = next((name for name in held if self.is_title[name]), seed)
                name = max(shared, key=self.rarity.__getitem__)
                return tuple(dict.fromkeys(map(self._words, (seed, title, name))))
        return ()

    def _words(self, name: int) -> str:
        return " ".join(self.keys[name])

    @cached_property
    def walk(self) -> Walk:
        """The random surfer between chunks and names."""
        return Walk(self.weights)


def _weigh(
    tries: Sequence[NameTrie],
    rows: Mapping[NameKey, int],
    texts: Sequence[str],
    titles: Sequence[Sequence[str]],
) -> sparse.csr_matrix:
    chunk_rows: list[int] = []
    name_rows: list[int] = []
    weights: list[float] = []
    for chunk, (text, own) in enumerate(zip(texts, titles, strict=True)):
        found = [match for trie in tries for match in trie.find(text)]
        held = {match.row: _MENTIONED for match in found if match.as_name}
        held |= {rows[key]: _OWN_TITLE for key in _own_keys(own)}
        chunk_rows += [chunk] * len(held)
        name_rows += held.keys()
        weights += held.values()
    values = np.array(weights, dtype=np.float32)
    return sparse.csr_matrix((values, (chunk_rows, name_rows)), shape=(len(texts), len(rows)))


def _with_subjects(
    texts: Sequence[str], titles: Sequence[Sequence[str]], trie: NameTrie
) -> list[Sequence[str]]:
    """Return the titles, and for a text without any the name that it begins with.

    A name that many texts begin with is the title of none.
    """
    subjects = [
        "" if own else _subject(text, trie) for text, own in zip(texts, titles, strict=True)
    ]
    often = Counter(map(name_words, subjects))
    return [
        own or ([subject] if subject and often[name_words(subject)] <= _MOST_TEXTS else [])
        for own, subject in zip(titles, subjects, strict=True)
    ]


def _subject(text: str, trie: NameTrie) -> str:
    for match in trie.find(text[:_BEGINNING]):
        if match.as_name:
            return text[match.start : match.end]
    return ""


def _own_keys(titles: Iterable[str]) -> list[NameKey]:
    keys = [name_words(alias) for title in titles for alias in title_aliases(title)]
    return [key for key in keys if can_be_named(key)]

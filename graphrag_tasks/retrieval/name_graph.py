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

from graphrag_tasks.retrieval.arrays import Rows
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

    @cached_property
    def _by_name(self) -> sparse.csc_matrix:
        return self.weights.tocsc()

    def names_of(self, chunk: int) -> Rows:
        """Return the names that a chunk holds."""
        begin, end = self.weights.indptr[chunk : chunk + 2]
        names: Rows = self.weights.indices[begin:end]
        return names

    def chunks_of(self, name: int) -> Rows:
        """Return the chunks that hold a name."""
        begin, end = self._by_name.indptr[name : name + 2]
        chunks: Rows = self._by_name.indices[begin:end]
        return chunks

    def lead(self, chunk: int, seeds: Floats, visits: Floats) -> tuple[str, ...]:
        """Return how a seed leads to a chunk: a name it holds, or one over another chunk.

        Args:
            chunk: The chunk.
            seeds: Shape (names,): weight of each seed.
            visits: Shape (chunks,): the higher, the better a chunk serves as the one between.

        Returns:
            The seed; or the seed, what the chunk between is about, and the name that both hold;
            empty where neither is so.
        """
        own = self.names_of(chunk)
        if seeds[own].any():
            return (self._words(int(own[np.argmax(seeds[own])])),)
        best: tuple[float, int, int] | None = None
        for name in own.tolist():
            for other in self.chunks_of(name).tolist():
                held = self.names_of(other)
                if other != chunk and seeds[held].any():
                    best = max(best or (-np.inf, 0, 0), (float(visits[other]), other, name))
        if best is None:
            return ()
        _, other, name = best
        held = self.names_of(other)
        seed = int(held[np.argmax(seeds[held])])
        title = next((row for row in held.tolist() if self.is_title[row]), seed)
        return tuple(dict.fromkeys(map(self._words, (seed, title, name))))

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

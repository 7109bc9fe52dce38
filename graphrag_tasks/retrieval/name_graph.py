"""The graph that names span: which chunks hold which names, and which are about one.

Names are the titles of documents and the aliases of entities that have a label; a chunk holds a
name that its text mentions, and is about its document's title.
"""

from __future__ import annotations

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
from graphrag_tasks.retrieval.propagate import Walk

_MENTIONED = 1.0
_OWN_TITLE = 10.0
"""Weights of an edge between a chunk and a name: what it is about counts for more."""


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
        rows = {
            key: row
            for row, key in enumerate(dict.fromkeys(_own_keys(chain.from_iterable(titles))))
        }
        count = len(rows)
        for key in map(name_words, entities):
            if can_be_named(key):
                rows.setdefault(key, len(rows))
        self.keys = list(rows)
        self.trie = NameTrie(rows)
        self.is_title = np.arange(len(rows)) < count
        self.weights = _weigh(self.trie, rows, texts, titles)
        held = np.bincount(self.weights.indices, minlength=len(rows))
        rarity = np.log((len(texts) + 1) / (held + 0.5)).astype(np.float32)
        self.rarity = rarity / max(float(rarity.max(initial=0.0)), 1e-9)

    @cached_property
    def walk(self) -> Walk:
        """The random surfer between chunks and names."""
        return Walk(self.weights)


def _weigh(
    trie: NameTrie,
    rows: Mapping[NameKey, int],
    texts: Sequence[str],
    titles: Sequence[Sequence[str]],
) -> sparse.csr_matrix:
    chunk_rows: list[int] = []
    name_rows: list[int] = []
    weights: list[float] = []
    for chunk, (text, own) in enumerate(zip(texts, titles, strict=True)):
        held = {match.row: _MENTIONED for match in trie.find(text) if match.as_name}
        held |= {rows[key]: _OWN_TITLE for key in _own_keys(own)}
        chunk_rows += [chunk] * len(held)
        name_rows += held.keys()
        weights += held.values()
    values = np.array(weights, dtype=np.float32)
    return sparse.csr_matrix((values, (chunk_rows, name_rows)), shape=(len(texts), len(rows)))


def _own_keys(titles: Iterable[str]) -> list[NameKey]:
    keys = [name_words(alias) for title in titles for alias in title_aliases(title)]
    return [key for key in keys if can_be_named(key)]

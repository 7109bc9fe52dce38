"""The bipartite graph of chunks and names: which chunks contain a name, or are about it.

`graph.names` defines names, and when a chunk contains one. Random walks on it are personalised PageRank by sparse power
iteration: Jeh and Widom, "Scaling personalized web search", WWW 2003, as in HippoRAG (Gutiérrez et al., arXiv
2405.14831).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.retrieval.view.arrays import Floats
from graphrag_tasks.storage.columns import Rows, column, numbers

if TYPE_CHECKING:
    from scipy import sparse

_MENTIONED = 1.0
_OWN_TITLE = 10.0  # Edge weights: for a name that a chunk mentions, or is about.
_MOST_BETWEEN = 50  # Chunks considered between a seed and a hit when explaining the path; chosen to bound that time.


class NameGraph:
    """Names, and the chunks that contain them; immutable.

    Args:
        tables: The tables `name_nodes` and `name_edges`.
        places: The name for each folded name, titles before others.
        names: Display name of each entity.
        chunks: Number of chunks.

    Attributes:
        entities: Shape (names,): entity row of each name.
        keys: `places`.
        weights: Shape (chunks, names): weight of each edge.
        often: Shape (names,): number of chunks that contain the name.
        rarity: Shape (names,): inverse chunk frequency; the rarest name has 1.
        is_title: Shape (names,): whether a chunk is about the name.
    """

    def __init__(
        self, tables: Mapping[str, pa.Table], places: Mapping[str, int], names: Sequence[str], chunks: int
    ) -> None:
        nodes, edges = tables["name_nodes"], tables["name_edges"]
        self.keys = places
        self._names = names
        self.entities: Rows = numbers(column(nodes, "entity")).astype(np.int64)
        self.is_title: NDArray[np.bool_] = numbers(column(nodes, "is_title"))
        self.weights = _matrix(edges, (chunks, len(self.entities)))
        self.often: Rows = np.bincount(self.weights.indices, minlength=len(self.entities))
        rarity = np.log((chunks + 1) / (self.often + 0.5)).astype(np.float32)
        self.rarity = rarity / max(float(rarity.max(initial=0.0)), 1e-9)

    def names_of(self, chunk: int) -> Rows:
        """Return the names in a chunk, ascending."""
        begin, end = self.weights.indptr[chunk : chunk + 2]
        names: Rows = self.weights.indices[begin:end]
        return names

    def holders(self, name: int) -> tuple[Rows, NDArray[np.bool_]]:
        """Return the chunks that contain a name, and whether each is about it."""
        begin, end = self._by_name.indptr[name : name + 2]
        return self._by_name.indices[begin:end], self._by_name.data[begin:end] > _MENTIONED

    def leads(self, chunks: Sequence[int], seeds: Mapping[int, float], visits: Floats) -> list[tuple[str, ...]]:
        """Return the path from a seed to each chunk.

        For a chunk that contains a seed, this is the seed. Otherwise, with one chunk in between, it is the seed, the
        title of that chunk, and the name that both chunks share. Intermediate chunks with more `visits` are preferred.
        """
        if not seeds:
            return [()] * len(chunks)
        holders = np.unique(np.concatenate([self.holders(name)[0] for name in seeds]))
        nearest = holders[np.argsort(-visits[holders], kind="stable")][:_MOST_BETWEEN]
        between = [self.names_of(chunk).tolist() for chunk in nearest.tolist()]
        return [self._lead(chunk, seeds, between) for chunk in chunks]

    def _lead(self, chunk: int, seeds: Mapping[int, float], between: Sequence[Sequence[int]]) -> tuple[str, ...]:
        own = set(self.names_of(chunk).tolist())
        if own & seeds.keys():
            return (self.name(_heaviest(own, seeds)),)
        for held in between:
            if shared := own.intersection(held):
                seed = _heaviest(held, seeds)
                title = next((name for name in held if self.is_title[name]), seed)
                name = max(sorted(shared), key=self.rarity.__getitem__)
                return tuple(dict.fromkeys(map(self.name, (seed, title, name))))
        return ()

    def name(self, place: int) -> str:
        """Return a name as text."""
        return self._names[int(self.entities[place])]

    @cached_property
    def _by_name(self) -> sparse.csc_matrix:
        return self.weights.tocsc()

    @cached_property
    def walk(self) -> Walk:
        """The random walk between chunks and names."""
        return Walk(self.weights)


def _heaviest(names: Iterable[int], weight: Mapping[int, float]) -> int:
    return min(weight.keys() & set(names), key=lambda name: (-weight[name], name))


def _matrix(edges: pa.Table, shape: tuple[int, int]) -> sparse.csr_matrix:
    from scipy import sparse  # here, as the modes without the graph do not need it

    of_chunks = np.bincount(numbers(column(edges, "chunk")), minlength=shape[0])
    ends = np.concatenate([[0], np.cumsum(of_chunks)]).astype(np.int32)
    is_about = numbers(column(edges, "is_about"))
    weights = np.where(is_about, np.float32(_OWN_TITLE), np.float32(_MENTIONED))
    return sparse.csr_matrix((weights, numbers(column(edges, "name")), ends), shape=shape)


class Walk:
    """A random walk between chunks and names, by weights of shape (chunks, names).

    Three of four names are in a single chunk. A walk to such a name can only return, which equals staying: only shared
    names are walked over.
    """

    def __init__(self, weights: sparse.csr_matrix) -> None:
        by_name = np.asarray(weights.sum(axis=0)).ravel()
        by_chunk = np.asarray(weights.sum(axis=1)).ravel()
        from_names = weights.multiply(_inverse(by_name)[None, :]).tocsc().astype(np.float32)
        from_chunks = weights.multiply(_inverse(by_chunk)[:, None]).tocsc().astype(np.float32)
        held = np.diff(from_names.indptr)
        # In order of length, as a loop whose length seldom changes takes half the time.
        shared = np.argsort(held, kind="stable")[np.count_nonzero(held < 2) :]
        self._from_names = from_names
        self._to_chunks = from_names[:, shared]
        self._to_names = from_chunks[:, shared].T
        alone = from_chunks[:, held < 2].sum(axis=1)
        self._stays: Floats = np.asarray(alone, dtype=np.float32).ravel()

    def visits(self, chunks: Floats, names: Mapping[int, float], *, damping: float, rounds: int) -> Floats:
        """Return the visits of each chunk, shape (chunks,).

        The walk restarts with probability 1 - `damping`, in proportion to the weights of `chunks`, shape (chunks,), and
        `names`. A round of Chebyshev's semi-iteration (Golub and Varga, Numerische Mathematik 3, 1961) reaches one
        chunk farther; four are nearer to the visits of a walk without end than six rounds of plain power iteration.
        """
        total = max(float(chunks.sum()) + sum(names.values()), 1e-12)
        scale = np.float32((1.0 - damping) / total)
        damp = np.float32(damping)
        start = scale * chunks + damp * scale * self._reached(names)
        # A step from chunks leads to names only, so two are taken at once. Their matrix, with `twice`, has eigenvalues
        # from 0 to `twice`.
        twice = damp * damp
        stays = twice * self._stays
        spread, weight = twice / (2 - twice), np.float32(2)
        rate = 2 / (2 - twice)
        before, at = np.zeros_like(start), rate * start
        for _ in range(rounds):
            weight = 1 / (1 - spread * spread * weight / 4)
            moved = start + stays * at + twice * (self._to_chunks @ (self._to_names @ at))
            before, at = at, weight * (rate * (moved - at) + at - before) + before
        visits: Floats = np.maximum(at, 0, out=at)
        return visits

    def _reached(self, names: Mapping[int, float]) -> Floats:
        reached = np.zeros(len(self._stays), dtype=np.float32)
        steps = self._from_names
        for name, weight in names.items():
            part = slice(*steps.indptr[name : name + 2])
            reached[steps.indices[part]] += weight * steps.data[part]
        return reached


def _inverse(sums: Floats) -> Floats:
    return np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)

"""Spellings of entities, and linking: finds the longest runs of words that are a name, an alias or a code.

All users share it: search, the starts of `local`, `list` and `path`, and commands such as `entities`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.language.known_names import NameMatch, can_be_named, find_names, folded_name
from graphrag_tasks.retrieval.view.arrays import Floats
from graphrag_tasks.storage.artifacts import Rows, SortedTexts, column, numbers

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

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
_DAMPING, _ROUNDS = np.float32(0.85), 4
"""Probability that a walk goes on, as in PageRank (Brin and Page, 1998), and the chunks that it goes through: more find
nothing more (benchmarks/README.md)."""
_WALKED, _STEPS = 5_000, 2
"""Chunks that are walked over, if there are no more. Of more, those that hold the rarest names within two steps of
where it starts, about as many: others have few visits (benchmarks/README.md)."""
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
        self._sums = [np.asarray(self.weights.sum(axis=axis)).ravel() for axis in (1, 0)]
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
    def _by_name(self) -> sparse.csr_matrix:
        return self.weights.T.tocsr()

    def visits(self, chunks: Floats, names: Mapping[int, float]) -> tuple[Rows, Floats]:
        """Return chunks, and how often a random walk between chunks and names visits each.

        It follows an edge by its share of its end's weight, and restarts with probability 1 - `_DAMPING`, in proportion
        to the weights of `chunks`, shape (chunks,), and `names`. Of many chunks, near ones are walked over.
        """
        rows, near, reached = np.arange(len(chunks)), self.weights, np.arange(len(self.entities))
        if len(chunks) > _WALKED:
            rows, near, reached = self._near(np.flatnonzero(chunks), np.array(list(names), np.int64))
        seeds = np.zeros(len(self.entities), np.float32)
        seeds[list(names)] = list(names.values())
        of_chunks, of_names = self._sums
        return rows, _visits(near, of_chunks[rows], of_names[reached], chunks[rows], seeds[reached])

    def _near(self, rows: Rows, names: Rows) -> tuple[Rows, sparse.csr_matrix, Rows]:
        """Return the chunks near some chunks and names, with their edges, and the names in them."""
        is_near, is_reached = np.zeros(self.weights.shape[0], bool), np.zeros(self.weights.shape[1], bool)
        is_near[rows], is_reached[names] = True, True
        for _ in range(_STEPS):
            is_reached[self.weights[np.flatnonzero(is_near)].indices] = True
            reached = np.flatnonzero(is_reached)
            often = np.minimum(self.often[reached], _WALKED + 1)
            rarest = reached[often < np.searchsorted(np.cumsum(np.bincount(often, often)), _WALKED, side="right")]
            is_near[self._by_name[rarest].indices] = True
        near = self.weights[rows := np.flatnonzero(is_near)]
        is_reached[near.indices] = True
        reached = np.flatnonzero(is_reached)
        places = np.empty(len(is_reached), np.int32)
        places[reached] = np.arange(len(reached))
        local = (near.data, places[near.indices], near.indptr)
        return rows, type(near)(local, shape=(len(rows), len(reached))), reached


def _visits(weights: sparse.csr_matrix, by_chunk: Floats, by_name: Floats, chunks: Floats, names: Floats) -> Floats:
    """Return the visits of chunks, by weights of shape (chunks, names) and all weights of each name and chunk.

    A round of Chebyshev's semi-iteration (Golub and Varga, Numerische Mathematik 3, 1961) reaches one chunk farther;
    four are nearer to the visits of a walk without end than six rounds of plain power iteration.
    """
    to_chunks, to_names = weights.copy(), weights.copy()
    to_chunks.data *= _inverse(by_name)[weights.indices]
    to_names.data *= np.repeat(_inverse(by_chunk), np.diff(weights.indptr))
    to_names = to_names.T
    scale = (1 - _DAMPING) / np.float32(max(chunks.sum() + names.sum(), 1e-12))
    start = scale * (chunks + _DAMPING * (to_chunks @ names))
    # A step from chunks leads to names only, so two are taken at once. Their matrix, with `twice`, has eigenvalues from
    # 0 to `twice`.
    twice = _DAMPING * _DAMPING
    spread, weight = twice / (2 - twice), np.float32(2)
    rate = 2 / (2 - twice)
    before, at = np.zeros_like(start), rate * start
    for _ in range(_ROUNDS):
        weight = 1 / (1 - spread * spread * weight / 4)
        moved = start + twice * (to_chunks @ (to_names @ at))
        before, at = at, weight * (rate * (moved - at) + at - before) + before
    visits: Floats = np.maximum(at, 0, out=at)
    return visits


def _heaviest(names: Iterable[int], weight: Mapping[int, float]) -> int:
    return min(weight.keys() & set(names), key=lambda name: (-weight[name], name))


def _matrix(edges: pa.Table, shape: tuple[int, int]) -> sparse.csr_matrix:
    from scipy import sparse  # here, as the modes without the graph do not need it

    of_chunks = np.bincount(numbers(column(edges, "chunk")), minlength=shape[0])
    ends = np.concatenate([[0], np.cumsum(of_chunks)]).astype(np.int32)
    is_about = numbers(column(edges, "is_about"))
    weights = np.where(is_about, np.float32(_OWN_TITLE), np.float32(_MENTIONED))
    return sparse.csr_matrix((weights, numbers(column(edges, "name")), ends), shape=shape)


def _inverse(sums: Floats) -> Floats:
    return np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)


class _Sorted:
    def __init__(self, sorted_texts: SortedTexts) -> None:
        self._sorted = sorted_texts

    def begins(self, text: str) -> bool:
        """Tell whether a spelling begins with a text."""
        return self._sorted.begins(text)


class Spellings(_Sorted):
    """The tables `spellings` and `spelled`; immutable.

    A lookup is a binary search of the sorted spellings, as bytes: 5 microseconds for 50,000.
    """

    def __init__(self, spellings: pa.Table, spelled: pa.Table) -> None:
        super().__init__(SortedTexts(column(spellings, "spelling")))
        self._ends = numbers(column(spellings, "end"))
        self._names = column(spellings, "name")
        self._is_code = column(spellings, "is_code")
        self._entities = numbers(column(spelled, "entity"))

    def __contains__(self, spelling: object) -> bool:
        return self._sorted.row_of(spelling) is not None

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


class _Called(_Sorted, Container[str]):
    def __init__(self, sorted_texts: SortedTexts, is_code: Any) -> None:  # noqa: ANN401 - an array
        super().__init__(sorted_texts)
        self._is_code = is_code

    def __contains__(self, spelling: object) -> bool:
        row = self._sorted.row_of(spelling)
        return row is not None and not self._is_code[row].as_py()


class _Places(_Sorted, Mapping[str, int]):
    def __init__(self, sorted_texts: SortedTexts, names: Any) -> None:  # noqa: ANN401 - an array
        super().__init__(sorted_texts)
        self._names = names

    def __getitem__(self, spelling: str) -> int:
        row = self._sorted.row_of(spelling)
        place = None if row is None else self._names[row].as_py()
        if place is None:
            raise KeyError(spelling)
        return int(place)

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

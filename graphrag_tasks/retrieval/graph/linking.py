"""Spellings of entities, and linking: finds the longest runs of words that are a name, an alias or a code.

All users share it: search, the starts of `local`, `list` and `path`, and commands such as `entities`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.language.known_names import NameMatch, can_be_named, find_names, folded_name
from graphrag_tasks.retrieval.view.arrays import Adjacency, Floats
from graphrag_tasks.storage.artifacts import Rows, SortedTexts, column, numbers

Numbers = NDArray[np.float64]
_MENTIONED = 1.0
_OWN_TITLE = 10.0  # Edge weights: for a name that a chunk mentions, or is about.
_DAMPING, _ROUNDS = 0.85, 4
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
        held = numbers(column(edges, "name"))
        self._chunk_of = numbers(column(edges, "chunk"))
        ends = np.cumsum(np.bincount(self._chunk_of, minlength=chunks))
        self._held = Adjacency(np.concatenate([[0], ends]), held, len(self.entities))
        self._is_about: NDArray[np.bool_] = numbers(column(edges, "is_about"))
        self.often: Rows = np.bincount(held, minlength=len(self.entities))
        rarity = np.log((chunks + 1) / (self.often + 0.5)).astype(np.float32)
        self.rarity = rarity / max(float(rarity.max(initial=0.0)), 1e-9)

    def names_of(self, chunk: int) -> Rows:
        """Return the names in a chunk, ascending."""
        return self._held.of(chunk)

    def holders(self, name: int) -> tuple[Rows, NDArray[np.bool_]]:
        """Return the chunks that contain a name, and whether each is about it."""
        edges = self._edges_of.of(name)
        return self._chunk_of[edges], self._is_about[edges]

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
    def _edges_of(self) -> Adjacency:
        """The edges of each name."""
        order = np.argsort(self._held.neighbours, kind="stable")
        return Adjacency(np.concatenate([[0], np.cumsum(self.often)]), order, len(order))

    @cached_property
    def _shares(self) -> tuple[Floats, Floats]:
        """The share of each edge in the weight of its chunk, and in that of its name."""
        weights = np.where(self._is_about, np.float32(_OWN_TITLE), np.float32(_MENTIONED))
        ends = (self._chunk_of, self._held.neighbours)
        of_chunks, of_names = (weights / np.bincount(end, weights)[end] for end in ends)
        return of_chunks.astype(np.float32), of_names.astype(np.float32)

    def visits(self, chunks: Floats, names: Mapping[int, float]) -> tuple[Rows, Floats]:
        """Return chunks, and how often a random walk between chunks and names visits each.

        It follows an edge by its share of its end's weight, and restarts with probability 1 - `_DAMPING`, in proportion
        to the weights of `chunks`, shape (chunks,), and `names`. Of many chunks, near ones are walked over.

        A round of Chebyshev's semi-iteration (Golub and Varga, Numerische Mathematik 3, 1961) reaches one chunk
        farther; four are nearer to the visits of a walk without end than six rounds of plain power iteration.
        """
        rows = np.arange(len(chunks)) if len(chunks) <= _WALKED else self._near(chunks > 0, list(names))
        edges, of_chunk = self._held.edges(rows)
        held = self._held.neighbours[edges]
        is_reached, place = np.zeros(len(self.often), bool), np.empty(len(self.often), np.int32)
        is_reached[held] = True
        reached = np.flatnonzero(is_reached)
        place[reached] = np.arange(len(reached))
        of_name, (to_names, to_chunks) = place[held].astype(np.int64), (share[edges] for share in self._shares)
        seeds = np.zeros(len(reached))
        for name, weight in names.items():
            if is_reached[name]:
                seeds[place[name]] = weight

        def led(at: Numbers) -> Numbers:  # from names to chunks
            return _sums(of_chunk, to_chunks * at[of_name], len(rows))

        scale = (1 - _DAMPING) / max(float(chunks.sum()) + sum(names.values()), 1e-12)
        start = scale * (chunks[rows] + _DAMPING * led(seeds))
        # A step from chunks leads to names only, so two are taken at once. Their matrix, with `twice`, has eigenvalues
        # from 0 to `twice`.
        twice = _DAMPING * _DAMPING
        spread, weight, rate = twice / (2 - twice), 2.0, 2 / (2 - twice)
        before, at = np.zeros_like(start), rate * start
        for _ in range(_ROUNDS):
            weight = 1 / (1 - spread * spread * weight / 4)
            moved = start + twice * led(_sums(of_name, to_names * at[of_chunk], len(reached)))
            before, at = at, weight * (rate * (moved - at) + at - before) + before
        return rows, np.maximum(at, 0).astype(np.float32)

    def _near(self, is_near: NDArray[np.bool_], names: Sequence[int]) -> Rows:
        """Return the chunks near some chunks, shape (chunks,), and names."""
        is_reached = np.zeros(len(self.often), bool)
        is_reached[names] = True
        for _ in range(_STEPS):
            held, _ = self._held.pairs(np.flatnonzero(is_near))
            is_reached[held] = True
            reached = np.flatnonzero(is_reached)
            often = np.minimum(self.often[reached], _WALKED + 1)
            rarest = reached[often < np.searchsorted(np.cumsum(np.bincount(often, often)), _WALKED, side="right")]
            edges, _ = self._edges_of.pairs(rarest)
            is_near[self._chunk_of[edges]] = True
        return np.flatnonzero(is_near)


def _sums(places: Rows, values: Numbers, count: int) -> Numbers:
    return np.bincount(places, values, count).astype(np.float64, copy=False)


def _heaviest(names: Iterable[int], weight: Mapping[int, float]) -> int:
    return min(weight.keys() & set(names), key=lambda name: (-weight[name], name))


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

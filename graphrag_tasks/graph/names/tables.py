"""Tables of names: spellings, names, and which chunk contains which name.

Names are entities that are proper names (by type or label), are capitalised everywhere, or are the title of a document.
A chunk contains the names that it mentions and the titles inside them; it is about its document's title or, without
one, about the name at its beginning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.core import schemas
from graphrag_tasks.graph.names.chunk_names import ChunkNames
from graphrag_tasks.graph.names.pairs import Pairs
from graphrag_tasks.language.known_names import find_names, folded_name, runs
from graphrag_tasks.storage.columns import Rows, column, rows_of

NAME_TABLES = ("spellings", "spelled", "name_nodes", "name_edges")

Read = Callable[[str, list[str]], pa.Table]  # Returns some columns of a table by its name.

_KIND_AND_CODE = re.compile(r"(?:[a-z]+ ){1,3}(?P<code>(?=\S*[A-Z0-9_/])\S{2,})")
"""An entity whose name is a code after its kind: "table VBBE", "function module CONVERT_DATE"."""

_Keys = Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class NameEdges:
    """Which chunks contain which names, and the entity of each name.

    Attributes:
        entities: Shape (names,): entity row of each name.
        is_title: Shape (names,): whether a chunk is about the name.
        places: Row of the name for each folded name, titles before others.
        held: Pairs of a chunk and a name that it mentions.
        about: Pairs of a chunk and a name that it is about.
    """

    entities: Rows
    is_title: NDArray[np.bool_]
    places: Mapping[str, int]
    held: Rows
    about: Rows


def name_tables(read: Read) -> dict[str, pa.Table]:
    """Return `NAME_TABLES`, made from the tables of a snapshot."""
    entities = read("entities", ["entity_id", "name", "mentions", "is_named"])
    ids = column(entities, "entity_id")
    chunk_ids = column(read("chunks", ["chunk_id"]), "chunk_id")
    aliases = read("aliases", ["entity_id", "alias"])
    surface_forms = _surface_forms(entities["name"].to_pylist(), aliases, ids)
    called = _called(surface_forms, _most_mentioned_first(entities))
    of_chunks = ChunkNames(read, chunk_ids, ids)
    named = np.array(column(entities, "is_named"), dtype=np.bool_)
    named |= of_chunks.spelled_as_names()
    edges = name_edges(
        of_chunks.mentioned(), of_chunks.about(named),
        named=named, called=called, surface_forms=surface_forms,
    )  # fmt: skip
    return tables_of(called, edges, [forms[0] for forms in surface_forms])


def tables_of(called: _Keys, edges: NameEdges, names: Sequence[str]) -> dict[str, pa.Table]:
    """Return `NAME_TABLES` from entities by name, name edges and display names."""
    pairs, is_about = _joined(edges.held, edges.about)
    return spelling_tables(called, names, edges.places) | {
        "name_nodes": pa.table(
            {"entity": edges.entities.astype(np.int32), "is_title": edges.is_title}, schema=schemas.NAME_NODES
        ),
        "name_edges": pa.table(
            {"chunk": pairs[:, 0], "name": pairs[:, 1], "is_about": is_about}, schema=schemas.NAME_EDGES
        ),
    }


def spelling_tables(called: _Keys, names: Sequence[str], places: Mapping[str, int]) -> dict[str, pa.Table]:
    """Return the tables `spellings` and `spelled`, including the codes in entities' names."""
    codes = _codes(names, called)
    everything = sorted({**called, **codes}.items())
    spellings = {
        "spelling": [spelling for spelling, _ in everything],
        "end": np.cumsum([len(rows) for _, rows in everything], dtype=np.int64),
        "name": pa.array([places.get(spelling) for spelling, _ in everything], pa.int32()),
        "is_code": [spelling in codes for spelling, _ in everything],
    }
    spelled = [row for _, rows in everything for row in rows]
    return {
        "spellings": pa.table(spellings, schema=schemas.SPELLINGS),
        "spelled": pa.table({"entity": spelled}, schema=schemas.SPELLED),
    }


def name_edges(
    mentions: Pairs, about: Pairs, *, named: NDArray[np.bool_], called: _Keys, surface_forms: Sequence[Sequence[str]]
) -> NameEdges:
    """Return which chunks contain which names.

    Args:
        mentions: Which chunks mention which entities.
        about: Which chunks are about which entities.
        named: Shape (entities,): entities that are names even if no chunk is about them.
        called: Entities by folded name, the most mentioned first.
        surface_forms: The names of each entity as written, its display name first.
    """
    titled = np.zeros(len(named), dtype=bool)
    titled[about.entities] = True
    entities: Rows = np.flatnonzero(named | titled)
    is_title = titled[entities]
    place_of = np.full(len(named), -1)
    place_of[entities] = np.arange(len(entities))
    places = _places(called, place_of, is_title)
    inside = _inside(called, places, place_of, is_title, surface_forms)
    held = np.concatenate([_of_names(mentions, place_of), _through(mentions, inside)])
    return NameEdges(entities, is_title, places, held, _of_names(about, place_of))


def _surface_forms(names: list[str], aliases: pa.Table, ids: pa.Array[Any]) -> list[list[str]]:
    found = [[name] for name in names]
    rows = rows_of(aliases, "entity_id", ids, "aliases").tolist()
    for row, alias in zip(rows, aliases["alias"].to_pylist(), strict=True):
        if alias != found[row][0]:
            found[row].append(alias)
    return found


def _most_mentioned_first(entities: pa.Table) -> list[int]:
    order = [("mentions", "descending"), ("entity_id", "ascending")]
    rows: list[int] = pa.compute.sort_indices(entities, sort_keys=order).to_pylist()
    return rows


def _called(surface_forms: Sequence[Sequence[str]], order: Iterable[int]) -> dict[str, list[int]]:
    """Return entities by folded display name and alias, in the given order."""
    found: dict[str, dict[int, None]] = {}
    for row in order:
        for form in surface_forms[row]:
            if key := folded_name(form):
                found.setdefault(key, {})[row] = None
    return {key: list(rows) for key, rows in found.items()}


def _codes(names: Sequence[str], called: _Keys) -> dict[str, list[int]]:
    """Return entities by the code in their names, where no entity is named by the code alone."""
    found: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        match = _KIND_AND_CODE.fullmatch(name)
        if match and (key := folded_name(match["code"])):
            found.setdefault(key, []).append(row)
    return {key: rows for key, rows in found.items() if key not in called}


def _places(called: _Keys, place_of: Rows, is_title: NDArray[np.bool_]) -> dict[str, int]:
    found: dict[str, int] = {}
    for key, entities in called.items():
        places = [int(place_of[row]) for row in entities if place_of[row] >= 0]
        if places:
            found[key] = next((place for place in places if is_title[place]), places[0])
    return found


def _inside(
    called: _Keys,
    places: Mapping[str, int],
    place_of: Rows,
    is_title: NDArray[np.bool_],
    surface_forms: Sequence[Sequence[str]],
) -> Rows:
    """Return sorted pairs of an entity and a name inside one of its names.

    Inside a name only titles count: "Hans Salter" in "film composer Hans Salter". Inside an entity that is not a name
    all names count: "Donna Summer" in "the Donna Summer album".
    """

    def pairs() -> Iterator[tuple[int, int]]:
        for key, entities in called.items():
            inside = {run for run in runs(key) if run in places}
            titles = {run for run in inside if is_title[places[run]]}
            for entity in entities if inside else ():
                known = titles if place_of[entity] >= 0 else inside
                for surface in surface_forms[entity]:
                    for match in find_names(surface, known):
                        if match.is_telling:
                            yield entity, places[match.key]

    return np.array(sorted(set(pairs())), dtype=np.int64).reshape(-1, 2)


def _of_names(pairs: Pairs, place_of: Rows) -> Rows:
    """Return the pairs whose entity is a name, as chunk and name: shape (pairs, 2)."""
    places = place_of[pairs.entities]
    known = places >= 0
    return np.column_stack([pairs.chunks[known], places[known]])


def _through(mentions: Pairs, inside: Rows) -> Rows:
    """Return the names inside each chunk's mentions, as chunk and name: shape (pairs, 2)."""
    counts = np.bincount(inside[:, 0]) if len(inside) else np.zeros(0, np.int64)
    ends = np.cumsum(counts)
    has_some = mentions.entities < len(counts)
    of_chunks, entities = mentions.chunks[has_some], mentions.entities[has_some]
    times = counts[entities]
    starts = np.repeat(ends[entities] - counts[entities] - (np.cumsum(times) - times), times)
    rows = starts + np.arange(len(starts))
    return np.column_stack([np.repeat(of_chunks, times), inside[rows, 1]])


def _joined(held: Rows, about: Rows) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return each pair once, sorted, and whether the chunk is about the name."""
    both = np.concatenate([held, about]).reshape(-1, 2)
    is_about = np.repeat([False, True], [len(held), len(about)])
    order = np.lexsort((~is_about, both[:, 1], both[:, 0]))
    both, is_about = both[order], is_about[order]
    first = np.ones(len(both), dtype=bool)
    first[1:] = (both[1:] != both[:-1]).any(axis=1)
    return both[first].astype(np.int32), is_about[first]

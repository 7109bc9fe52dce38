"""Tables of names: spellings, names, and which chunk mentions and contains which name.

Names are entities that are proper names (by type or label), are capitalised everywhere, or are the title of a document.
A chunk contains the names that it mentions and the titles inside them; it is about its document's title or, without
one, about the name at its beginning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.core import schemas
from graphrag_tasks.language.bm25 import STOP_WORDS
from graphrag_tasks.language.bm25.index import FILE_NAME
from graphrag_tasks.language.known_names import find_names, folded_name, is_written_as_name, runs
from graphrag_tasks.storage.artifacts import Rows, column, rows_of


@dataclass(frozen=True)
class Pairs:
    """Row numbers of chunks and of entities, equally long; a pair may occur twice."""

    chunks: Rows
    entities: Rows


# Which names each chunk mentions and is about, from the snapshot's tables.

_COMMON_WORD = r"^\p{Ll}+$"
_MOST_CHUNKS = 20  # Most chunks of a name: a more frequent name does not discriminate, and is no chunk's topic.
_READ_AT_ONCE = 50_000  # Sentences that are read together: bounds memory. Chosen.
_BEGINNING = 100  # Characters at the beginning of a chunk in which its topic's name must begin.


class ChunkNames:
    """Names of chunks, from tables.

    Args:
        read: Returns some columns of a table.
        chunk_ids: Ids of the chunks; results refer to them by row.
        entity_ids: Ids of the entities; results refer to them by row.
    """

    def __init__(
        self, read: Callable[[str, list[str]], pa.Table], chunk_ids: pa.Array[Any], entity_ids: pa.Array[Any]
    ) -> None:
        self._read = read
        self._ids = {"chunk_id": chunk_ids, "entity_id": entity_ids}

    def mentioned(self) -> Pairs:
        """Return which chunks mention which entities by a name.

        A single word in lower case is left out: "song" in a text does not mean a page called "Song". Only mentions of
        entities with such an alias are checked in the text.
        """
        found = self._pairs(self._table("mentions", "entity_id", "chunk_id"), "mentions")
        aliases = self._table("aliases", "entity_id", "alias")
        common = aliases.filter(pc.match_substring_regex(aliases["alias"], _COMMON_WORD))
        has_common = np.zeros(len(self._ids["entity_id"]), dtype=bool)
        has_common[self._rows(common, "entity_id", "aliases")] = True
        doubtful = has_common[found.entities]
        kept = ~doubtful
        places = self._table("mentions", "sentence_id", "start", "end").filter(doubtful)
        surface_forms = self._surface_forms(places)
        kept[doubtful] = [len(form.split()) != 1 or not form.islower() for form in surface_forms]
        return Pairs(found.chunks[kept], found.entities[kept])

    def spelled_as_names(self) -> NDArray[np.bool_]:
        """Return which entities without a label are capitalised wherever they are mentioned.

        Only documents without a title are searched for these names, which a recogniser misses: for titled documents,
        more names mislead (`benchmarks/README.md`).
        """
        found = np.zeros(len(self._ids["entity_id"]), dtype=bool)
        if not len(self._untitled):
            return found
        mentions = self._table("mentions", "entity_id", "document_id")
        mentions = mentions.filter(pc.is_in(mentions["document_id"], value_set=self._untitled))
        found[self._rows(mentions, "entity_id", "mentions")] = True
        entities = self._table("entities", "is_named", "chunks")
        found &= ~column(entities, "is_named").to_numpy(zero_copy_only=False)
        found &= column(entities, "chunks").to_numpy() <= _MOST_CHUNKS
        aliases = self._table("aliases", "entity_id", "alias")
        rows = self._rows(aliases, "entity_id", "aliases")
        asked = np.flatnonzero(found[rows])
        written = column(aliases, "alias").take(pa.array(asked)).to_pylist()
        found[rows[asked][[not _is_capitalised(one) for one in written]]] = False
        return found

    def about(self, named: NDArray[np.bool_]) -> Pairs:
        """Return which chunks are about which entities: those that their document's title names.

        A chunk of a document without a title is about the first name at its beginning (among `named`, shape
        (entities,)), unless many chunks begin with that name.
        """
        titles = self._table("titles", "entity_id", "chunk_id", "document_id", "source")
        of_untitled = pc.is_in(titles["document_id"], value_set=self._untitled)
        is_title = pc.equal(titles["source"], "title")
        found = self._pairs(titles.filter(pc.and_(is_title, pc.invert(of_untitled))), "titles")
        if not len(self._untitled):
            return found
        first = self._first_names(named)
        return Pairs(np.concatenate([found.chunks, first.chunks]), np.concatenate([found.entities, first.entities]))

    def _first_names(self, named: NDArray[np.bool_]) -> Pairs:
        """Return the name at the beginning of each chunk of an untitled document."""
        mentions = self._table("mentions", "entity_id", "sentence_id", "chunk_id", "document_id", "start", "end")
        mentions = mentions.filter(pc.is_in(mentions["document_id"], value_set=self._untitled))
        found = self._pairs(mentions, "mentions")
        sentences = column(self._table("sentences", "char_start"), "char_start").to_numpy()
        begins = column(self._table("chunks", "char_start"), "char_start").to_numpy()
        start, end = (column(mentions, name).to_numpy() for name in ("start", "end"))
        place = sentences[self._sentence_rows(mentions)] + start - begins[found.chunks]
        early = np.flatnonzero((end > start) & (place < _BEGINNING) & named[found.entities])
        order = early[np.lexsort((-end[early], place[early], found.chunks[early]))]
        surface_forms = self._surface_forms(mentions.take(pa.array(order)))
        written = [is_written_as_name(form.split()) for form in surface_forms]
        order = order[np.array(written, dtype=bool)]
        _, first = np.unique(found.chunks[order], return_index=True)
        chunks, entities = found.chunks[order[first]], found.entities[order[first]]
        often = np.bincount(entities)[entities] if len(entities) else entities
        return Pairs(chunks[often <= _MOST_CHUNKS], entities[often <= _MOST_CHUNKS])

    @cached_property
    def _untitled(self) -> pa.Array[Any]:
        """Ids of the documents whose title is only a file name."""
        documents = self._table("documents", "document_id", "title_source")
        untitled = documents.filter(pc.equal(documents["title_source"], FILE_NAME))
        found: pa.Array[Any] = column(untitled, "document_id")
        return found

    def _surface_forms(self, mentions: pa.Table) -> Iterator[str]:
        texts = self._table("sentences", "text")["text"]
        rows = pa.array(self._sentence_rows(mentions))
        bounds = [column(mentions, name) for name in ("start", "end")]
        for first in range(0, len(rows), _READ_AT_ONCE):
            places, starts, ends = (one.slice(first, _READ_AT_ONCE) for one in (rows, *bounds))
            written = texts.take(places).to_pylist()
            spans = zip(written, starts.to_pylist(), ends.to_pylist(), strict=True)
            yield from (text[start:end] for text, start, end in spans)

    def _sentence_rows(self, mentions: pa.Table) -> Rows:
        ids = column(self._table("sentences", "sentence_id"), "sentence_id")
        return rows_of(mentions, "sentence_id", ids, "mentions")

    def _pairs(self, table: pa.Table, name: str) -> Pairs:
        chunks, entities = (self._rows(table, key, name) for key in ("chunk_id", "entity_id"))
        return Pairs(chunks, entities)

    def _rows(self, table: pa.Table, key: str, name: str) -> Rows:
        return rows_of(table, key, self._ids[key], name)

    def _table(self, name: str, *columns: str) -> pa.Table:
        return self._read(name, list(columns))


def _is_capitalised(written: str) -> bool:
    """Return whether each word has a capital or digit, except function words inside the name."""
    words = written.split()
    own = words[:1] + [word for word in words[1:] if word not in STOP_WORDS]
    return written != written.lower() and not any(word[0].isalpha() and word.islower() for word in own)


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

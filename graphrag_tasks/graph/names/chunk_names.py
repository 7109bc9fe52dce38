"""Which names each chunk mentions and is about, from the snapshot's tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from graphrag_tasks.graph.names.pairs import Pairs
from graphrag_tasks.language.bm25 import STOP_WORDS
from graphrag_tasks.language.bm25.index import FILE_NAME
from graphrag_tasks.language.known_names import is_written_as_name
from graphrag_tasks.storage.columns import Rows, column, rows_of

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

"""Rows that the tables of a snapshot name in each other: published, or joined for some readers.

A reader who sees all documents maps what `load` numbered. For others the ids of visible rows are joined.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from graphrag_tasks.core.schemas import NO_ROW
from graphrag_tasks.graph.weights import MENTION
from graphrag_tasks.language.times import TIME_COLUMNS
from graphrag_tasks.retrieval.view.arrays import Adjacency, Floats, Records, Tables, id_ranks
from graphrag_tasks.storage.columns import Rows, column, numbers
from graphrag_tasks.storage.snapshots.store import Snapshot


class Evidence(NamedTuple):
    """The evidence of relation i is `offsets[i] : offsets[i + 1]` of the arrays, surest first."""

    offsets: Rows
    sentences: Rows
    chunks: Rows
    confidences: Floats
    times: Records


class Joins:
    """Row numbers of ends of relations, mentions, and evidence; threads may share it."""

    def __init__(self, snapshot: Snapshot, tables: Tables) -> None:
        self._snapshot, self._tables = snapshot, tables
        self._published = "edges" in snapshot.manifest.tables

    @cached_property
    def heads(self) -> Rows:
        """Head entity of each relation."""
        return self._ends("source") if self._published else self._rows("relations", "head_id")

    @cached_property
    def tails(self) -> Rows:
        """Tail entity of each relation."""
        return self._ends("target") if self._published else self._rows("relations", "tail_id")

    @cached_property
    def entity_chunks(self) -> Adjacency:
        """Chunks that mention each entity."""
        entities, chunks = (len(self._tables.ids(f"{kind}_id")) for kind in ("entity", "chunk"))
        if not self._published:
            rows = self._rows("mentions", "entity_id"), self._rows("mentions", "chunk_id")
            return Adjacency.from_pairs(*rows, entities, chunks)
        kinds = self._edges["kind"]
        end = bisect_left(range(len(kinds)), True, self._related, key=lambda row: kinds[row].as_py() != MENTION)
        source, target = (numbers(column(self._edges, name))[self._related : end] for name in ("source", "target"))
        return Adjacency(_offsets(source, entities), target - entities, chunks)

    @cached_property
    def evidence(self) -> Evidence:
        """Evidence of each relation."""
        count = len(self._tables.ids("relation_id"))
        if self._published:
            rows = self._snapshot.table("evidence_rows")
            of_relation, sentences, chunks, confidences = (
                numbers(column(rows, name)) for name in rows.column_names[: -len(TIME_COLUMNS)]
            )
            times = Records(rows.select(TIME_COLUMNS))
            return Evidence(_offsets(of_relation, count), sentences, chunks, confidences, times)
        of_relation, sentences, chunks = (
            self._rows("evidence", f"{kind}_id") for kind in ("relation", "sentence", "chunk")
        )
        confidences = self._tables.numbers("evidence", "confidence")
        ranks = id_ranks(self._tables.ids("sentence_id"))[sentences]
        order = np.lexsort((ranks, -confidences, of_relation))
        times = Records(self._snapshot.table("evidence", TIME_COLUMNS).take(order))
        return Evidence(_offsets(of_relation, count), sentences[order], chunks[order], confidences[order], times)

    @cached_property
    def first_sentences(self) -> Rows:
        """Sentence of each entity's first mention; `NO_ROW` without a mention."""
        if self._published:
            found: Rows = numbers(column(self._snapshot.table("entity_rows"), "sentence"))
            return found
        entities = self._rows("mentions", "entity_id")
        first_rows = np.full(len(self._tables.ids("entity_id")), NO_ROW, dtype=np.int64)
        mentioned, first = np.unique(entities, return_index=True)
        first_rows[mentioned] = self._rows("mentions", "sentence_id")[first]
        return first_rows

    @cached_property
    def _edges(self) -> pa.Table:
        return self._snapshot.table("edges")

    @property
    def _related(self) -> int:
        """Number of edges that are relations: those with a row, which come first."""
        known: int = self._edges.num_rows - self._edges["row"].null_count
        return known

    def _ends(self, name: str) -> Rows:
        ends: Rows = numbers(column(self._edges, name))[: self._related].astype(np.int64)
        return ends

    def _rows(self, table: str, key: str) -> Rows:
        return self._tables.rows(table, key)


def _offsets(sorted_rows: NDArray[Any], count: int) -> Rows:
    """Return where each row begins in an ascending list, and the end of the last."""
    offsets = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(sorted_rows, minlength=count), out=offsets[1:])
    return offsets

"""Metadata of documents: what people keep beside them, else what the files say of themselves."""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import pyarrow as pa

from graphrag_tasks.core.schemas import BESIDE, PROPERTIES

LEAST_SHARE, LEAST_DOCUMENTS = 0.8, 5
"""Of the dated documents of a folder so many are of one day if that is when they were built, not written. Chosen."""
_DATE, _LENGTH = "date", len("2024-03-01")
_Rows = Sequence[Mapping[str, str]]


def metadata_of(documents: pa.Table, beside: Sequence[_Rows | None]) -> Iterator[Any]:
    """Yield the metadata of each document, by key; what stands beside it wins."""
    said: list[_Rows] = [rows or () for rows in documents["said"].to_pylist()]
    built = _built(documents["uri"].to_pylist(), said)
    for place, own in enumerate(beside):
        found = [{**one, "origin": BESIDE} for one in own or ()]
        taken = {one["key"] for one in found} | ({_DATE} if place in built else set())
        found += [dict(one) for one in said[place] if one["key"] not in taken]
        yield sorted(found, key=lambda one: one["key"]) or None


def _built(uris: Sequence[str], said: Sequence[_Rows]) -> set[int]:
    """Return the documents whose date a program wrote when it built their folder."""
    dates = {
        place: date.fromisoformat(one["value"])
        for place, rows in enumerate(said) for one in rows
        if one["key"] == _DATE and one["origin"] == PROPERTIES and len(one["value"]) == _LENGTH
    }  # fmt: skip
    folders: dict[str, list[int]] = defaultdict(list)
    for place in dates:
        folder = uris[place]
        while folder := posixpath.dirname(folder):
            folders[folder].append(place)
    built: set[int] = set()
    for places in folders.values():
        counts = Counter(dates[place] for place in places)
        day = min(counts, key=lambda one: (-counts[one], one))
        near = [place for place in places if abs((dates[place] - day).days) <= 1]
        if len(places) >= LEAST_DOCUMENTS and len(near) >= LEAST_SHARE * len(places):
            built.update(near)
    return built

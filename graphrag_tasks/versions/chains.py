"""Documents that are versions of each other: of one path but for a release or a date.

`django-3.2/topics/cache.rst` and `django-5.1/topics/cache.rst`, or `policy-2023.pdf` and `policy-2024.pdf`. Numbers in
paths also count chapters, so versions must share sentences, too. In folders of releases a page that moved is found by
its title. What replaces another by its metadata needs to share nothing.
"""

from __future__ import annotations

import logging
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

from graphrag_tasks.core.schemas import BESIDE, MESSAGE, PROPERTIES
from graphrag_tasks.versions.changed import plain

_KEYS = ("replaces", "supersedes", "obsoletes")

log = logging.getLogger(__name__)

Row = Mapping[str, Any]


def replaced(rows: Iterable[Row]) -> Iterator[tuple[str, str, str | None]]:
    """Yield the document that says it replaces another, its words, and the other; None: unknown.

    Its words are a path, from its own folder or its source, a file name, or a title.
    """
    rows = list(rows)
    said = [(row, one["value"]) for row in rows for one in row["metadata"] or ()
            if one["key"] in _KEYS]  # fmt: skip
    names: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows if said else ():
        for name in (row["uri"], posixpath.basename(row["uri"]), row["title"].casefold()):
            names[row["source"], name].append(row["document_id"])
    for row, text in said:
        source, folder = row["source"], posixpath.dirname(row["uri"])
        paths = (posixpath.normpath(posixpath.join(start, text)) for start in (folder, source))
        found = (names.get((source, name), []) for name in (*paths, text, text.casefold()))
        yield row["document_id"], text, next((one[0] for one in found if len(one) == 1), None)


def in_order(chains: Sequence[Sequence[str]], rows: Sequence[Row]) -> list[list[str]]:
    """Return the chains with what replaces their documents, and new ones, the newest last.

    What names no document, or replaces in a circle, is told and ignored.
    """
    uris = {row["document_id"]: row["uri"] for row in rows}
    edges: dict[tuple[str, str], None] = {}
    for newer, text, older in replaced(rows):
        if older is None:
            log.warning("%s replaces '%s', which names no single document", uris[newer], text)
        else:
            edges[older, newer] = None
    before = [pair for chain in chains for pair in pairwise(chain)]
    while True:
        graph: dict[str, list[str]] = defaultdict(list)
        for older, newer in (*before, *edges):
            graph[newer].append(older)
        try:
            order = {one: at for at, one in enumerate(TopologicalSorter(graph).static_order())}
            break
        except CycleError as error:
            circle = set(error.args[1])
            named = ", ".join(sorted(uris[one] for one in circle))
            log.warning("ignored, as they replace each other in a circle: %s", named)
            edges = {pair: None for pair in edges if not circle.issuperset(pair)}
    groups: dict[str, list[str]] = {}
    for pair in (*before, *edges):
        left, right = (groups.get(one) or [one] for one in pair)
        joined = left if left is right else left + right
        groups |= dict.fromkeys(joined, joined)
    return [sorted(group, key=order.__getitem__) for group in {id(group): group for group in groups.values()}.values()]


LEAST_COMMON = 0.3
"""Least share of the shorter document's sentences that the other one has, too: of 35 pages of two releases of one
manual it is .78 and more, of different pages up to .08."""

_VERSION_KEYS = ("release", "version", "date")  # Keys of metadata that tell versions apart.

_NO_RELEASES = (PROPERTIES, MESSAGE)
"""Where dates tell no versions apart: each copy in another format has its own, and each message."""

_RELEASE = re.compile(r"(?<![^\W_])(?:[vV]?(\d+(?:\.\d+)+|\d{4}-\d\d(?:-\d\d)?|(?:19|20)\d\d)|[vV](\d+))(?![^\W_])")
"""A release (3.2, v2) or a date (2024, 2024-03, 2024-03-01) between other signs."""


@dataclass(frozen=True)
class Version:
    """A document as a version: `release` is what tells it from the others, as its path has it."""

    document_id: str
    release: str


@dataclass(frozen=True)
class _Dated:
    document_id: str
    title: str
    key: str
    folder: str
    releases: tuple[str, ...]

    @property
    def order(self) -> tuple[tuple[int, ...], ...]:
        return tuple(map(order_of, self.releases))


def order_of(release: str) -> tuple[int, ...]:
    """Return the numbers of a release or date, by which they are ordered."""
    return tuple(map(int, re.findall(r"\d+", release)))


def chains(documents: Iterable[Mapping[str, Any]], texts: Mapping[str, Set[str]]) -> list[list[Version]]:
    """Return the chains of versions, each from the oldest on, by the path of the first.

    Args:
        documents: Rows with `document_id`, `uri`, `title` and `metadata`.
        texts: The sentences of each document, as they are compared.
    """
    rows = list(documents)
    found = []
    for _, group in sorted(_groups(rows).items()):
        ordered = sorted(group, key=lambda one: (one.order, one.document_id))
        found += [_versions(part) for part in _parts(ordered, texts) if len(part) > 1]
    orders = in_order([[one.document_id for one in chain] for chain in found], rows)
    known = {one.document_id: one for chain in found for one in chain}
    by_id = {row["document_id"]: row for row in rows}
    return [[known.get(one) or _declared(by_id[one]) for one in order] for order in orders]


def candidates(documents: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the ids of the documents that may have versions."""
    rows = list(documents)
    found = {one.document_id for group in _groups(rows).values() if len(group) > 1 for one in group}
    return found.union(*((older, newer) for newer, _, older in replaced(rows) if older))


def _groups(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[_Dated]]:
    found: dict[str, list[_Dated]] = defaultdict(list)
    for row in rows:
        if dated := _dated(row):
            found[dated.key].append(dated)
    _add_moved(found)
    return found


def _dated(row: Mapping[str, Any]) -> _Dated | None:
    metadata = row["metadata"] or ()
    own = [one for one in metadata if one["origin"] == BESIDE and one["key"] != "date"]
    return _said(row, own) or _by_path(row) or _said(row, metadata)


def _said(row: Mapping[str, Any], metadata: Iterable[Mapping[str, str]]) -> _Dated | None:
    """Return a document by the release in its metadata, and its title."""
    found = (one for one in metadata if one["key"] in _VERSION_KEYS)
    known = [one for one in found if one["key"] != "date" or one["origin"] not in _NO_RELEASES]
    one = min(known, key=lambda one: _VERSION_KEYS.index(one["key"]), default=None)
    if one is None or not order_of(one["value"]):
        return None
    key = f"{row['source']}/\n{_RELEASE.sub('{}', row['title'].casefold())}"
    return _Dated(row["document_id"], row["title"], key, "", (one["value"],))


def _declared(row: Mapping[str, Any]) -> Version:
    dated = _dated(row)
    name = row["uri"].rpartition("/")[2].rpartition(".")[0] or row["uri"]
    return Version(row["document_id"], " ".join(dated.releases) if dated else name)


def _by_path(row: Mapping[str, Any]) -> _Dated | None:
    releases = tuple(one[1] or one[2] for one in _RELEASE.finditer(row["uri"]))
    if not releases:
        return None
    key = _RELEASE.sub("{}", row["uri"])
    folder = key[: key.find("/", key.rindex("{}")) + 1]
    return _Dated(row["document_id"], row["title"], key, folder, releases)


def _add_moved(by_key: dict[str, list[_Dated]]) -> None:
    """Join pages in folders of releases of one title, or file name, if no release has two."""
    for by_title in (True, False):
        alike: dict[tuple[str, str], list[str]] = defaultdict(list)
        for key, group in by_key.items():
            page = group[0]
            name = page.title.casefold() if by_title else key.rpartition("/")[2]
            if page.folder:
                alike[page.folder, name].append(key)
        for keys in alike.values():
            pages = [page for key in keys for page in by_key[key]]
            if len(keys) > 1 and len({page.releases for page in pages}) == len(pages):
                for key in keys:
                    del by_key[key]
                by_key[min(keys)] = pages


def _parts(ordered: Sequence[_Dated], texts: Mapping[str, Set[str]]) -> list[list[_Dated]]:
    """Cut where a document shares too few sentences with the one before, or its release.

    Their title says nothing: many a page is named Introduction.
    """
    parts = [[one] for one in ordered[:1]]
    for before, one in pairwise(ordered):
        old, new = (texts.get(page.document_id, frozenset()) - {plain(page.title)} for page in (before, one))
        common = len(old & new) / max(min(len(old), len(new)), 1)
        if before.releases != one.releases and common >= LEAST_COMMON:
            parts[-1].append(one)
        else:
            parts.append([one])
    return parts


def _versions(part: Sequence[_Dated]) -> list[Version]:
    columns = list(zip(*(one.releases for one in part), strict=True))
    differing = [place for place, column in enumerate(columns) if len(set(column)) > 1]
    return [
        Version(one.document_id, " ".join(dict.fromkeys(one.releases[place] for place in differing))) for one in part
    ]

"""Documents that are versions of each other: of one path but for a release or a date.

`django-3.2/topics/cache.rst` and `django-5.1/topics/cache.rst`, or `policy-2023.pdf` and
`policy-2024.pdf`. Numbers in paths also count chapters, so versions must share sentences, too. In
folders of releases a page that moved is found by its title.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

LEAST_COMMON = 0.3
"""Least share of the shorter document's sentences that the other one has, too: of 35 pages of two
releases of one manual it is .78 and more, of different pages up to .08."""

_KEYS = ("release", "version", "date")
"""Keys of metadata that tell versions apart."""

_RELEASE = re.compile(
    r"(?<![^\W_])(?:[vV]?(\d+(?:\.\d+)+|\d{4}-\d\d(?:-\d\d)?|(?:19|20)\d\d)|[vV](\d+))(?![^\W_])"
)
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


def chains(
    documents: Iterable[Mapping[str, Any]], texts: Mapping[str, Set[str]]
) -> list[list[Version]]:
    """Return the chains of versions, each from the oldest on, by the path of the first.

    Args:
        documents: Rows with `document_id`, `uri`, `title` and `metadata`.
        texts: The sentences of each document, as they are compared.
    """
    by_key: dict[str, list[_Dated]] = defaultdict(list)
    for row in documents:
        if dated := _dated(row):
            by_key[dated.key].append(dated)
    _add_moved(by_key)
    found = []
    for _, group in sorted(by_key.items()):
        ordered = sorted(group, key=lambda one: (one.order, one.document_id))
        found += [_versions(part) for part in _parts(ordered, texts) if len(part) > 1]
    return found


def candidates(documents: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the ids of the documents that may have versions."""
    return {row["document_id"] for row in documents if _dated(row)}


def _dated(row: Mapping[str, Any]) -> _Dated | None:
    own = [one["value"] for one in row["metadata"] or () if one["key"] in _KEYS]
    if own and order_of(own[0]):
        key = f"{row['source']}/\n{row['title'].casefold()}"
        return _Dated(row["document_id"], row["title"], key, "", (own[0],))
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
    """Cut where a document shares too few sentences with the one before, or its release."""
    parts = [[one] for one in ordered[:1]]
    for before, one in pairwise(ordered):
        old, new = (texts.get(page.document_id, frozenset()) for page in (before, one))
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
        Version(
            one.document_id, " ".join(dict.fromkeys(one.releases[place] for place in differing))
        )
        for one in part
    ]

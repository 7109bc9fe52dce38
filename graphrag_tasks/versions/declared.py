"""Documents that say which others they replace."""

from __future__ import annotations

import logging
import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

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

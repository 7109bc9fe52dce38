"""The registry of search modes, by name."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.retrieval.modes import listing, overview, paper, relationship
from graphrag_tasks.retrieval.question.query import Mode
from graphrag_tasks.retrieval.ranker import hybrid, learned, walk

AUTO = "auto"  # The router chooses one of `MODES`.

MODES: Mapping[str, Mode] = MappingProxyType(
    {
        "paper": paper.rank,
        "dense": hybrid.rank_dense,
        "bm25": hybrid.rank_bm25,
        "hybrid": hybrid.rank_hybrid,
        "graph": walk.rank,
        "ranked": learned.rank,
        "local": relationship.rank_local,
        "global": overview.rank,
        "path": relationship.rank_path,
        "list": listing.rank,
    }
)
"""Every mode by name, without `auto`."""


PLAIN_MODES = frozenset({"paper", "dense", "bm25", "hybrid", "graph"})
"""Baseline modes: reranked only if the caller asks for it."""


def mode_named(name: str) -> Mode:
    """Return a mode by its name."""
    if isinstance(name, str) and name in MODES:
        return MODES[name]
    known = (AUTO, *MODES)
    near = difflib.get_close_matches(str(name).lower(), known, n=1)
    suggestion = f"Did you mean '{near[0]}'? " if near else ""
    raise QueryError(f"there is no mode '{name}'", "", f"{suggestion}Modes: {', '.join(known)}")

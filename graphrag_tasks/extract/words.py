"""The word lists of `words.json`, which rules and patterns read."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

_LISTS: dict[str, Any] = json.loads(
    (resources.files(__package__) / "words.json").read_text("utf-8")
)


def words(name: str) -> frozenset[str]:
    """Return a list as a set."""
    return frozenset(_LISTS[name])


def mapping(name: str) -> dict[str, str]:
    """Return a list of pairs."""
    return dict(_LISTS[name])


def any_of(name: str) -> str:
    """Return the regular expression that matches any entry; entries are expressions themselves."""
    return f"(?:{'|'.join(_LISTS[name])})"

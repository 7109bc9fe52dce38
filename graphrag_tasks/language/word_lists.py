"""Word lists stored as JSON beside the rules that use them."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any


class WordLists:
    """The lists in a package's `words.json`, by name."""

    def __init__(self, package: str) -> None:
        text = (resources.files(package) / "words.json").read_text("utf-8")
        self._lists: dict[str, Any] = json.loads(text)

    def words(self, name: str) -> frozenset[str]:
        """Return a list as a set."""
        return frozenset(self._lists[name])

    def mapping(self, name: str) -> dict[str, str]:
        """Return a list of pairs."""
        return dict(self._lists[name])

    def any_of(self, name: str) -> str:
        """Return a regular expression that matches any entry; entries are expressions."""
        return f"(?:{'|'.join(self._lists[name])})"

"""Pages of a long answer: a cursor says where the next one begins, and nothing is kept here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphrag_tasks.core.errors import QueryError
from graphrag_tasks.core.ids import fingerprint

_CURSOR = re.compile(r"(\d{1,9})\.([0-9a-f]{16})")
_HINT = "Call again without a cursor"


@dataclass(frozen=True)
class Pages:
    """The pages of one answer.

    Args:
        snapshot_id: The snapshot that it is of; after a new publish a cursor is worth nothing.
        asked: The tool and its arguments.
        size: Items of a page.
    """

    snapshot_id: str
    asked: Mapping[str, Any]
    size: int

    def start(self, cursor: str) -> int:
        """Return the place of the first item of a page, from 0.

        Raises:
            QueryError: The cursor is of another question, of another snapshot, or none at all.
        """
        if not cursor:
            return 0
        found = _CURSOR.fullmatch(cursor)
        if found is None:
            raise QueryError("this is no cursor", "cursor", _HINT)
        if found[2] != self._key:
            raise QueryError("the cursor is of another call or snapshot", "cursor", _HINT)
        return int(found[1])

    def page(self, items: Sequence[Any], cursor: str) -> dict[str, Any]:
        """Return the items of a page and the cursor of the next one, where there is one."""
        start = self.start(cursor)
        end = start + self.size
        more = {"next_cursor": f"{end}.{self._key}"} if end < len(items) else {}
        return {"items": list(items[start:end]), "total": len(items), **more}

    @property
    def _key(self) -> str:
        return fingerprint({"snapshot": self.snapshot_id, **self.asked})[:16]

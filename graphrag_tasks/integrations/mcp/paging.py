"""Stateless paging of long answers: a cursor says where the next page begins."""

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
    """The pages of an answer.

    Args:
        snapshot_id: Its snapshot; a cursor becomes invalid after a new publish.
        asked: The tool and its arguments.
        size: Items per page.
    """

    snapshot_id: str
    asked: Mapping[str, Any]
    size: int

    def start(self, cursor: str) -> int:
        """Return the index of a page's first item.

        Raises:
            QueryError: The cursor is invalid, or of another call or snapshot.
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
        """Return the items of a page and the cursor of the next one, if any."""
        start = self.start(cursor)
        end = start + self.size
        more = {"next_cursor": f"{end}.{self._key}"} if end < len(items) else {}
        return {"items": list(items[start:end]), "total": len(items), **more}

    @property
    def _key(self) -> str:
        return fingerprint({"snapshot": self.snapshot_id, **self.asked})[:16]

"""The Markdown pages of a source, with their includes (see `includes`)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.sources.etags import Versions
from graphrag_tasks.sources.markdown.includes import (
    LOOK,
    MAX_FILE_BYTES,
    MAX_PAGE_BYTES,
    Assembled,
    assemble,
    is_fragment,
    may_hold_includes,
    may_include,
)

INCLUDE = "include"  # Media type of a file whose text is part of the pages that include it.

_MARKDOWN = "md"
_CACHED_FILES = 200  # Included files in the cache, each up to `MAX_FILE_BYTES`: 40 MB in all.

_Labels = Sequence[str] | None


class MarkdownPages:
    """The pages of one folder.

    Args:
        base: The folder.
        found: All its files, with their file system information.
        read: Returns the bytes of a file.
        labels: Returns the access labels of a path below the folder.
        versions: Remembers which S3 objects include nothing.
    """

    def __init__(
        self,
        base: str,
        found: Mapping[str, Mapping[str, Any]],
        *,
        read: Callable[[str], bytes],
        labels: Callable[[str], _Labels],
        versions: Versions,
    ) -> None:
        self._base, self._found, self._versions = base, found, versions
        self._read, self._labels = read, cache(labels)
        self._included = lru_cache(_CACHED_FILES)(self._file)

    def assemble(self, rows: Sequence[dict[str, Any]]) -> None:
        """Add to the rows of pages what they include, and mark the rows of included files."""
        shown: set[tuple[str, tuple[str, ...] | None]] = set()
        for row in rows:
            if row["media_type"] == _MARKDOWN and self._may_include(row["path"]):
                assembled = self._assembled(row)
                if assembled.includes:
                    row["includes"] = list(assembled.includes)
                    row["content_sha256"] = hashlib.sha256(assembled.data).hexdigest()
                    shown |= {(path, _hashable(row["labels"])) for path in assembled.includes}
        for row in rows:
            if is_fragment(row["path"]) and (row["path"], _hashable(row["labels"])) in shown:
                row |= {"media_type": INCLUDE, "content_sha256": None, "includes": None}

    def _may_include(self, path: str) -> bool:
        """Tell whether a page may include something; pages whose name is not UTF-8 do not."""
        full = f"{self._base}/{path}"
        if full not in self._found or self._size(full) > MAX_PAGE_BYTES:
            return False
        return self._versions.may_hold(full, LOOK, lambda: may_hold_includes(self._page(path)))

    def _assembled(self, row: Mapping[str, Any]) -> Assembled:
        labels = row["labels"]

        def read(path: str) -> bytes | None:
            if f"{self._base}/{path}" not in self._found:
                return None
            return self._included(path) if may_include(labels, self._labels(path)) else None

        return assemble(self._page(row["path"]), row["path"], read)

    def _page(self, path: str) -> bytes:
        try:
            return self._read(f"{self._base}/{path}")
        except (OSError, DocumentError):
            return b""

    def _file(self, path: str) -> bytes | None:
        if self._size(f"{self._base}/{path}") > MAX_FILE_BYTES:
            return None
        return self._page(path) or None

    def _size(self, full: str) -> int:
        return int(self._found[full].get("size") or 0)


def _hashable(labels: _Labels) -> tuple[str, ...] | None:
    return None if labels is None else tuple(labels)

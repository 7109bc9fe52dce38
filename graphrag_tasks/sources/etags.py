"""Avoid rereading S3 objects whose version was hashed before.

S3 lists each object with an ETag that changes with its content. A run stores the ETag that came with the bytes it
hashed; the next run reuses the hash if ETag and size are equal. The hash remains the document's identity. If the file
is lost or damaged, all objects are hashed again.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping
from typing import Any

from graphrag_tasks.core.errors import ArtifactError
from graphrag_tasks.core.ids import fingerprint
from graphrag_tasks.storage.artifacts import Folder

log = logging.getLogger(__name__)

VERSIONS_FILE = "source_versions.json"  # File in the store's root; absent if no source is on S3.
_READ_BYTES = 1 << 20  # Bytes read at a time.


class Versions:
    """Hashes files, and remembers the versions of S3 objects.

    `seen` maps a path to ETag, size and sha256 of an object and, for pages, whether it may include other files.
    """

    def __init__(self, known: Mapping[str, list[Any]] | None = None) -> None:
        self._known = dict(known or {})
        self.seen: dict[str, list[Any]] = {}

    @classmethod
    def of(cls, store: Folder) -> Versions:
        """Return the versions that the last run saw; empty if they cannot be read."""
        if not store.exists(VERSIONS_FILE):
            return cls()
        try:
            kept = store.read_json(VERSIONS_FILE)
        except ArtifactError as error:
            log.warning("all objects are hashed again: %s", error)
            return cls()
        versions = kept.get("versions") if isinstance(kept, dict) else None
        if not isinstance(versions, dict) or kept.get("fingerprint") != fingerprint(versions):
            log.warning("all objects are hashed again: %s/%s is damaged", store.uri, VERSIONS_FILE)
            return cls()
        return cls(versions)

    def sha256(self, fs: Any, path: str, info: Mapping[str, Any]) -> str:  # noqa: ANN401 - fsspec is untyped
        """Return the sha256 of a file."""
        if info.get("e_tag") is None:
            return _hashed(fs, path)
        known = self._known.get(path)
        if known is None or known[:2] != [info["e_tag"], info["size"]]:
            sha256, e_tag, size = fs.hashed(path)
            known = [e_tag, size, sha256]
        self.seen[path] = list(known)
        return str(known[2])

    def may_hold(self, path: str, what: str, look: Callable[[], bool]) -> bool:
        """Tell whether a file may contain `what`; `look` reads it if that is unknown.

        `sha256` must have been called for the file.
        """
        seen = self.seen.get(path)
        if seen is None:
            return look()
        if seen[3:4] != [what]:
            seen[3:] = [what, look()]
        return bool(seen[4])

    def keep(self, store: Folder) -> None:
        """Store the versions for the next run, if they changed."""
        if self.seen != self._known:
            kept = {"fingerprint": fingerprint(self.seen), "versions": self.seen}
            store.write_json(VERSIONS_FILE, kept)


def _hashed(fs: Any, path: str) -> str:  # noqa: ANN401 - fsspec is untyped
    digest = hashlib.sha256()
    with fs.open(path, "rb") as file:
        while data := file.read(_READ_BYTES):
            digest.update(data)
    return digest.hexdigest()

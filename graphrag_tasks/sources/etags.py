"""Hashes of objects in S3 that need not be read again: those whose version was hashed before.

S3 lists each object with an ETag, which changes with its content. A run that hashes an object
keeps the ETag that came with the very bytes it hashed; the next one takes the hash over where ETag
and size are still the same, and reads what is new. The hash stays the document's identity, and
each object is hashed again if the file that keeps them is lost or damaged.
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

VERSIONS_FILE = "source_versions.json"
"""Beside the snapshots of a store; absent where no source is in S3."""

_READ_BYTES = 1 << 20
"""At a time, however large the object is."""


class Versions:
    """Hashes files, and remembers which versions of objects in S3 it saw.

    `seen` has, by path, the ETag, size and sha256 of each object listed, and for pages whether they
    may include others.
    """

    def __init__(self, known: Mapping[str, list[Any]] | None = None) -> None:
        self._known = dict(known or {})
        self.seen: dict[str, list[Any]] = {}

    @classmethod
    def of(cls, store: Folder) -> Versions:
        """Return what the last run on a store saw; nothing where that cannot be read."""
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
        """Return the hash of a file's bytes.

        Raises:
            OSError: It cannot be read.
        """
        if info.get("e_tag") is None:
            return _hashed(fs, path)
        known = self._known.get(path)
        if known is None or known[:2] != [info["e_tag"], info["size"]]:
            sha256, e_tag, size = fs.hashed(path)
            known = [e_tag, size, sha256]
        self.seen[path] = list(known)
        return str(known[2])

    def may_hold(self, path: str, what: str, look: Callable[[], bool]) -> bool:
        """Return whether a file may hold `what`; `look` reads it where that is not known.

        `sha256` was asked for the file before.
        """
        seen = self.seen.get(path)
        if seen is None:
            return look()
        if seen[3:4] != [what]:
            seen[3:] = [what, look()]
        return bool(seen[4])

    def keep(self, store: Folder) -> None:
        """Write down what was seen, for the next run; nothing where that is known already."""
        if self.seen != self._known:
            kept = {"fingerprint": fingerprint(self.seen), "versions": self.seen}
            store.write_json(VERSIONS_FILE, kept)


def _hashed(fs: Any, path: str) -> str:  # noqa: ANN401 - fsspec is untyped
    digest = hashlib.sha256()
    with fs.open(path, "rb") as file:
        while data := file.read(_READ_BYTES):
            digest.update(data)
    return digest.hexdigest()

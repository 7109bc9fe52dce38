"""Identifiers and fingerprints, derived only from content and position.

No random number, clock or run id is used: the same input and configuration give the same ids on every machine, in any
order or sharding.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping

ID_HEX_DIGITS = 24  # Digits of an id: 96 bits; 10^8 rows collide with a probability below 10^-12.
ID_PATTERN = rf"^[0-9a-f]{{{ID_HEX_DIGITS}}}$"  # Pattern of every id.

_ID = re.compile(ID_PATTERN)


def content_id(kind: str, *parts: str | int) -> str:
    """Return the id of an object: lower-case hex digits, safe in file names, filters and URLs.

    Parts are length-prefixed before hashing, so ("ab", "c") and ("a", "bc") differ.
    """
    digest = hashlib.sha256()
    for part in (kind, *parts):
        data = str(part).encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()[:ID_HEX_DIGITS]


def is_id(text: str) -> bool:
    """Tell whether a text looks like an id, and is therefore safe as a folder name."""
    return _ID.fullmatch(text) is not None


def text_sha256(text: str) -> str:
    """Return the hex sha256 of a text's UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def fingerprint(fields: Mapping[str, object]) -> str:
    """Return a hex sha256 of JSON-serialisable fields, independent of their order."""
    canonical = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()

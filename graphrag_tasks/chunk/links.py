"""Links between documents: position and target.

A target is the uri that the address gives within the document's own source, whether or not a
document exists there; nothing is fetched, and no link leaves the source. Fragments refer to ids in
the document and to headings, as GitHub names them.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

from graphrag_tasks.core.ids import content_id

INTERNAL, EXTERNAL, OUTSIDE = "internal", "external", "outside"

_Row = Mapping[str, Any]
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:|//", re.IGNORECASE)
_DRIVE = re.compile(r"[a-z]:", re.IGNORECASE)
_HEADING_KINDS = ("title", "heading")


class Target(NamedTuple):
    """Target of a link: the columns of `schemas.LINKS` of the same names."""

    kind: str
    target: str | None = None
    fragment: str | None = None
    target_document_id: str | None = None


def resolve(href: str, document: _Row) -> Target:
    """Return the target of a link; a path that begins with `/` starts at the source's root."""
    if _ADDRESS.match(href) and not href.lower().startswith("file:"):
        return Target(EXTERNAL, href)
    address, _, fragment = href.replace("\\", "/").partition("#")
    path = _path(unquote(address.partition("?")[0]), str(document["path"]))
    is_single_file = document["uri"] == document["source"]
    if path is None or (is_single_file and path != document["path"]):
        return Target(OUTSIDE)
    uri = str(document["uri"] if path == document["path"] else f"{document['source']}/{path}")
    return Target(INTERNAL, uri, unquote(fragment) or None, content_id("document", uri))


def _path(relative: str, own: str) -> str | None:
    """Return a path below the source's root, or None if it leads outside."""
    if not relative:
        return own
    if _ADDRESS.match(relative) or _DRIVE.match(relative):
        return None
    base = "" if relative.startswith("/") else posixpath.dirname(own)
    path = posixpath.normpath(posixpath.join(base, relative.lstrip("/")))
    return None if path in (".", "..") or path.startswith("../") else path


def slug(heading: str) -> str:
    """Return the anchor that GitHub gives a heading: lower case, without punctuation."""
    kept = (one for one in heading.strip().lower() if one in "- " or _is_word(one))
    return "".join(kept).replace(" ", "-")


def _is_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LM" or category in ("Nd", "Pc")


def link_rows(
    document: _Row, blocks: Iterable[_Row], chunks: Sequence[_Row]
) -> Iterator[dict[str, Any]]:
    """Yield the `schemas.LINKS` rows of a document, in text order."""
    places = _Places(chunks)
    for block in blocks:
        for link in block["links"] or ():
            start, end = (block["char_start"] + link[side] for side in ("start", "end"))
            yield {
                "chunk_id": places.chunk(start, end),
                "document_id": document["document_id"],
                "anchor": block["text"][link["start"] : link["end"]],
                "char_start": start,
                "char_end": end,
                "href": link["href"],
                **resolve(link["href"], document)._asdict(),
            }


def anchor_rows(blocks: Sequence[_Row], chunks: Sequence[_Row]) -> Iterator[dict[str, Any]]:
    """Yield the `schemas.ANCHORS` rows of a document; a repeated name refers to its first place."""
    places = _Places(chunks)
    found: dict[str, int] = {}
    for block in blocks:
        for name in block["anchors"] or ():
            found.setdefault(name, block["char_start"])
    times: dict[str, int] = {}
    for block in blocks:
        if block["kind"] in _HEADING_KINDS and (name := slug(block["text"])):
            number = times[name] = times.get(name, -1) + 1
            found.setdefault(f"{name}-{number}" if number else name, block["char_start"])
    for name, start in found.items():
        yield {
            "document_id": blocks[0]["document_id"],
            "name": name,
            "chunk_id": places.chunk(start, start + 1),
        }


class _Places:
    """Finds the chunk of a position in a document's text."""

    def __init__(self, chunks: Sequence[_Row]) -> None:
        self._chunks = chunks
        self._starts = [chunk["char_start"] for chunk in chunks]

    def chunk(self, start: int, end: int) -> str:
        """Return the first chunk that contains the span, else the chunk where it begins."""
        index = max(0, bisect_right(self._starts, start) - 1)
        while index and self._chunks[index - 1]["char_end"] >= end:
            index -= 1
        return str(self._chunks[index]["chunk_id"])

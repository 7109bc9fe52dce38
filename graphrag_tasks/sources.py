"""Source documents: where they lie, what is there, and their bytes.

A source is a folder, a file or a URI (fsspec), optionally named: `docs=/mnt/handbook`. The name
and the path below the root make a document's `uri`, which identifies it on every machine; where
the root lies today is the run's business and is kept in the manifest only.

A file whose name ends with `.access.yaml` is no document: it has the access labels of the one whose
name stands before that (see `access`).

A `.jsonl` file named as a source is a set of passages: each line `{"id", "title", "text"}` is a
document of its own, whose path is its id.
"""

from __future__ import annotations

import hashlib
import json
import logging
import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from graphrag_tasks.access import SIDECAR_SUFFIX, Labeller, is_access_file
from graphrag_tasks.config import AccessConfig
from graphrag_tasks.errors import ConfigError, DocumentError, SourceError
from graphrag_tasks.ids import content_id
from graphrag_tasks.storage import file_system
from graphrag_tasks.versions import Versions

log = logging.getLogger(__name__)

MEDIA_TYPES = {
    ".pdf": "pdf",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".csv": "csv",
    ".docx": "docx",
    ".pptx": "pptx",
    ".md": "md",
    ".markdown": "md",
    ".txt": "txt",
}
"""File endings that are read, with the media type each stands for."""

PASSAGES_SUFFIX = ".jsonl"
PASSAGE = "passage"
UNKNOWN = "unknown"

LISTED = pa.schema(
    [
        ("document_id", pa.string()),
        ("uri", pa.string()),
        ("source", pa.string()),
        ("path", pa.string()),
        ("media_type", pa.string()),
        ("size_bytes", pa.int64()),
        ("content_sha256", pa.string()),
        ("labels", pa.list_(pa.string())),
        ("labels_error", pa.string()),
    ]
)
"""What a listing holds: the columns of `schemas.SOURCES` that do not depend on a plan."""


@dataclass(frozen=True)
class SourceRoot:
    """A named place that documents come from.

    Attributes:
        name: First part of the uri of every document below it.
        uri: Folder, or the parent folder of a single file.
        file: The single file's name, or None for a whole folder.
    """

    name: str
    uri: str
    file: str | None = None

    @property
    def holds_passages(self) -> bool:
        """Whether the root is a JSONL file of passages."""
        return self.file is not None and self.file.endswith(PASSAGES_SUFFIX)


def source_roots(specs: Sequence[str]) -> tuple[SourceRoot, ...]:
    """Read source specifications and check that the roots are there.

    Args:
        specs: Folders, files or URIs, each optionally as `NAME=URI`.

    Returns:
        One root for each, in the order given.

    Raises:
        ConfigError: No source is given, or two have one name.
        SourceError: A root does not exist; nothing was changed.
    """
    if not specs:
        raise ConfigError("no source is given", "sources", "Name a folder, a file or a URI")
    roots = tuple(_source_root(spec) for spec in specs)
    names = [root.name for root in roots]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(
                f"two sources are called '{name}'",
                "sources",
                f"Name one of them: other-{name}=PATH",
            )
    return roots


def _source_root(spec: str) -> SourceRoot:
    name, _, target = spec.rpartition("=")
    target = target.rstrip("/") or "/"
    if "://" not in target:
        target = str(Path(target).expanduser().absolute())
    fs, path = file_system(target)
    if not fs.exists(path):
        raise SourceError(
            "the source does not exist", spec, "Nothing was changed. Check the path or the mount"
        )
    base = posixpath.basename(str(path).rstrip("/")) or "root"
    if fs.isdir(path):
        return SourceRoot(name or base, target)
    return SourceRoot(name or base, posixpath.dirname(target), base)


def list_sources(
    roots: Iterable[SourceRoot],
    access: AccessConfig | None = None,
    versions: Versions | None = None,
) -> pa.Table:
    """List and hash every document below the roots, and say who may see it.

    Hidden files and folders, and the lock files of office programs, are passed over.

    Args:
        roots: Places to list.
        access: How documents get their labels; off by default.
        versions: Knows hashes of objects in S3; it gets those that are found.

    Returns:
        Rows of `LISTED`, sorted by uri; `content_sha256` is null where a file cannot be read.

    Raises:
        SourceError: There are access files, but labels are off.
    """
    access, versions = access or AccessConfig(), versions or Versions()
    rows = [row for root in roots for row in _list_root(root, access, versions)]
    rows.sort(key=lambda row: str(row["uri"]))
    return pa.Table.from_pylist(rows, schema=LISTED)


def _list_root(
    root: SourceRoot, access: AccessConfig, versions: Versions
) -> Iterable[dict[str, Any]]:
    fs, base = file_system(root.uri)
    base = str(base).rstrip("/")
    if root.file is not None:
        file = f"{base}/{root.file}"
        both = (file, f"{file}{SIDECAR_SUFFIX}")
        found = {name: fs.info(name) for name in both if fs.exists(name)}
    else:
        found = fs.find(base, detail=True)
    labeller = Labeller(access, root.name, found, lambda name: _read_inside(fs, base, name))
    if root.holds_passages:
        for row in _list_passages(root):
            yield row | labeller.columns(f"{base}/{root.file}", row["path"])
        return
    for full, info in found.items():
        path = full[len(base) :].lstrip("/")
        if is_access_file(path) or any(_is_passed_over(part) for part in path.split("/")):
            continue
        row = _row(fs, root, path, full, info, versions)
        yield row | labeller.columns(full, row["path"])


def _list_passages(root: SourceRoot) -> Iterable[dict[str, Any]]:
    for passage_id, line in read_passages(root).items():
        uri = f"{root.name}/{passage_id}"
        yield {
            "document_id": content_id("document", uri),
            "uri": uri,
            "source": root.name,
            "path": passage_id,
            "media_type": PASSAGE,
            "size_bytes": len(line),
            "content_sha256": hashlib.sha256(line).hexdigest(),
        }


def read_passages(root: SourceRoot) -> dict[str, bytes]:
    """Return the lines of a JSONL file of passages by their ids, in the file's order.

    Raises:
        SourceError: A line is not an object with `id` and `text`, or an id stands twice.
    """
    fs, base = file_system(root.uri)
    path = posixpath.join(str(base), str(root.file))
    lines: dict[str, bytes] = {}
    for number, line in enumerate(bytes(fs.cat_file(path)).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            passage = json.loads(line)
            passage_id = str(passage["id"])
            passage["text"]
        except (ValueError, TypeError, KeyError) as error:
            raise SourceError(
                "the line is not a JSON object with id and text", f"{path}, line {number}"
            ) from error
        if passage_id in lines:
            raise SourceError(f"the id {passage_id} stands twice", f"{path}, line {number}")
        lines[passage_id] = line
    return lines


def _is_passed_over(name: str) -> bool:
    return name.startswith((".", "~$"))


def _row(
    fs: Any,  # noqa: ANN401 - fsspec is untyped
    root: SourceRoot,
    path: str,
    full: str,
    info: dict[str, Any],
    versions: Versions,
) -> dict[str, Any]:
    printable = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    uri = root.name if root.file is not None else f"{root.name}/{printable}"
    readable = info.get("type") == "file" and printable == path
    suffix = posixpath.splitext(path)[1].lower()
    media_type = MEDIA_TYPES.get(suffix, UNKNOWN) if readable else UNKNOWN
    return {
        "document_id": content_id("document", uri),
        "uri": uri,
        "source": root.name,
        "path": printable,
        "media_type": media_type,
        "size_bytes": int(info.get("size") or 0),
        "content_sha256": _sha256(fs, full, info, versions) if media_type != UNKNOWN else None,
    }


def _sha256(
    fs: Any,  # noqa: ANN401 - fsspec is untyped
    path: str,
    info: dict[str, Any],
    versions: Versions,
) -> str | None:
    try:
        return versions.sha256(fs, path, info)
    except OSError as error:
        log.warning("cannot read %s: %s", path, error)
        return None


class SourceReader:
    """Gives the bytes of documents by uri, and never anything outside the roots.

    Args:
        roots: Places the uris were listed from.
    """

    def __init__(self, roots: Iterable[SourceRoot]) -> None:
        self._roots = {root.name: root for root in roots}
        self._passages: dict[str, dict[str, bytes]] = {}

    def fetch(self, uri: str) -> bytes:
        """Return a document's bytes.

        Args:
            uri: As listed: the source's name and the path below it.

        Raises:
            DocumentError: The uri leads out of its source, or to a pipe or a device.
            OSError: The file is gone or cannot be read.
        """
        name, _, path = uri.partition("/")
        root = self._roots.get(name)
        if root is None:
            raise DocumentError("unreadable", f"there is no source '{name}' in this run", uri)
        if root.holds_passages:
            return self._passage(root, path)
        fs, base = file_system(root.uri)
        return _read_inside(fs, str(base), posixpath.join(str(base), root.file or path), uri)

    def _passage(self, root: SourceRoot, passage_id: str) -> bytes:
        if root.name not in self._passages:
            self._passages[root.name] = read_passages(root)
        try:
            return self._passages[root.name][passage_id]
        except KeyError as error:
            raise FileNotFoundError(f"{root.file} has no passage {passage_id}") from error


def _read_inside(
    fs: Any,  # noqa: ANN401 - fsspec is untyped
    base: str,
    full: str,
    where: str = "",
) -> bytes:
    """Read a file that must lie below `base`, links followed, and be a regular one."""
    if "file" in fs.protocol:
        resolved, inside = Path(full).resolve(), Path(base).resolve()
        if not resolved.is_relative_to(inside):
            raise DocumentError("unreadable", "the path leads out of its source", where)
        if resolved.exists() and not resolved.is_file():  # opening a pipe would never end
            raise DocumentError("unreadable", "it is no longer a regular file", where)
    elif ".." in full.split("/"):
        raise DocumentError("unreadable", "the path leads out of its source", where)
    return bytes(fs.cat_file(full))

"""List the documents of sources, and read their bytes.

A source is a folder, a file or a URI (fsspec), optionally named: `docs=/mnt/handbook`. Its name and the path below its
root form a document's `uri`, the same on every machine.

Files ending in `.access.yaml` are access files, not documents.

A Markdown page may include other files of its source (`includes`): its bytes and hash contain their text. A file below
a folder such as `includes` that a page includes is listed as `include`, without a hash.

A `.jsonl` file named as a source holds passages: each line `{"id", "title", "text"}` is a document, whose path is its
id.
"""

from __future__ import annotations

import hashlib
import json
import logging
import posixpath
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from graphrag_tasks.core.config import AccessConfig
from graphrag_tasks.core.errors import DocumentError, SourceError, TransientError
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.sources.labels import Labeller, is_access_file, may_label
from graphrag_tasks.sources.markdown import MarkdownPages, assemble
from graphrag_tasks.sources.media_types import (
    DIRECTORY_BYTES,
    FACTS,
    HEAD_BYTES,
    MEDIA_TYPES,
    METADATA_TYPE,
    PACKAGE,
    UNKNOWN,
    is_text,
    may_hold_facts,
    media_type_of,
)
from graphrag_tasks.sources.metadata import MetadataFiles
from graphrag_tasks.sources.roots import ESCAPED, SourceRoot, is_passed_over, printable, source_roots, unescaped
from graphrag_tasks.storage import file_system

_BAD_LINE = "./line "  # Path prefix of a line that is not a passage; no id begins like this.

_NO_PASSAGE = "is not a JSON object with id and text"


class PassageLine(NamedTuple):
    """A line of a passage file, and its problem; None for a valid passage."""

    data: bytes
    problem: str | None = None


def read_passages(root: SourceRoot) -> dict[str, PassageLine]:
    """Return the lines of a JSONL passage file by path, in file order.

    The path of a passage is its id. An invalid line, or one that repeats an id, is named by its number.
    """
    fs, base = file_system(root.uri)
    lines: dict[str, PassageLine] = {}
    data = bytes(fs.cat_file(posixpath.join(str(base), str(root.file))))
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        passage_id, problem = _read_id(line)
        if passage_id in lines:
            problem = f"has the id {passage_id}, which stands before it"
        if problem is None:
            lines[passage_id] = PassageLine(line)
        else:
            lines[f"{_BAD_LINE}{number}"] = PassageLine(line, f"line {number} {problem}")
    return lines


def _read_id(line: bytes) -> tuple[str, str | None]:
    """Return the id of a line, and its problem if it is not a passage."""
    try:
        passage = json.loads(line)
        found = passage["id"]
        passage["text"]
    except (ValueError, TypeError, KeyError):
        return "", _NO_PASSAGE
    except RecursionError:
        return "", "is nested too deep"
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        return "", "has an id that is neither text nor a number"
    passage_id = str(found)
    try:
        passage_id.encode("utf-8")
    except UnicodeEncodeError:
        return "", "has an id that holds half a character (a lone surrogate)"
    if not passage_id or passage_id.startswith(_BAD_LINE):
        return "", f"has an id that is empty or begins with {_BAD_LINE!r}"
    return passage_id, None


__all__ = [
    "LINK", "LISTED", "MEDIA_TYPES", "PASSAGE", "SPECIAL", "UNKNOWN", "SourceReader", "SourceRoot",
    "ending", "list_sources", "source_roots",
]  # fmt: skip

log = logging.getLogger(__name__)

_LEADS_OUT, _PUT_THERE = "the path leads out of its source", "Put the file itself in its place"

_NO_ENDING = "no ending"
_READ_BYTES = 1 << 20  # Bytes read at a time.
_TOLD_BY_BYTES = frozenset({_NO_ENDING, ".doc", ".xls", ".ppt"})
"""Extensions whose media type is detected from bytes: programs write HTML and newer formats under old names."""

PASSAGE = "passage"
INCLUDE = "include"
LINK = "link"  # Media type of symbolic links, which are not followed.
SPECIAL = "special"  # Media type of pipes, sockets and devices, which are not opened.

LISTED = pa.schema(
    [
        ("document_id", pa.string()),
        ("uri", pa.string()),
        ("source", pa.string()),
        ("path", pa.string()),
        ("media_type", pa.string()),
        ("size_bytes", pa.int64()),
        ("content_sha256", pa.string()),
        ("includes", pa.list_(pa.string())),
        ("labels", pa.list_(pa.string())),
        ("labels_from", pa.string()),
        ("labels_error", pa.string()),
        ("metadata", pa.list_(pa.struct([("key", pa.string()), ("value", pa.string())]))),
        ("problem", pa.string()),
    ]
)
"""Columns of a listing: those of `schemas.SOURCES` that do not depend on a plan, and `labels_from`, the access file
or rule that gives a document its labels."""


def list_sources(
    roots: Iterable[SourceRoot], access: AccessConfig | None = None, passed_over: Counter[str] | None = None
) -> pa.Table:
    """List and hash every document below the roots, with its labels.

    Hidden files and folders, and lock files of office programs, are skipped; `passed_over` counts them by source.
    Returned are rows of `LISTED`, sorted by uri; `content_sha256` is null if a file cannot be read.
    """
    access = access or AccessConfig()
    counted = Counter[str]() if passed_over is None else passed_over
    rows = [row for root in roots for row in _list_root(root, access, counted)]
    rows.sort(key=lambda row: str(row["uri"]))
    return pa.Table.from_pylist(rows, schema=LISTED)


def _list_root(root: SourceRoot, access: AccessConfig, passed_over: Counter[str]) -> Iterable[dict[str, Any]]:
    fs, base = file_system(root.uri)
    base = str(base).rstrip("/")
    read = partial(_read_inside, fs, base)
    if root.file is not None:
        file = f"{base}/{root.file}"
        found = {file: fs.info(file)} if fs.exists(file) else {}
        beside = [name for name in _names_in(fs, base) if may_label(name, file)]
        labeller = Labeller(access, root.name, [*found, *beside], read)
        labeller.refuse_strays(base, ())
    else:
        found, folders = _files_below(fs, base or "/")
        labeller = Labeller(access, root.name, found, read)
        labeller.refuse_strays(base, folders)
    if root.holds_passages and found:
        for row in _list_passages(root):
            yield row | labeller.columns(f"{base}/{root.file}", row["path"].removeprefix(ESCAPED))
        return
    rows = []
    metadata = MetadataFiles(found if root.file is None else (), read)
    for full, info in found.items():
        path = full[len(base) :].removeprefix("/")
        if is_access_file(path) or metadata.has(full):
            continue
        if root.file is None and is_passed_over(path):
            passed_over[root.name] += 1
            continue
        row = _row(fs, root, path, full, info)
        row["metadata"] = metadata.of(full) or None
        rows.append(row | labeller.columns(full, row["path"].removeprefix(ESCAPED)))
    if root.file is None:
        MarkdownPages(
            base, found, read=read, labels=lambda path: labeller.columns(f"{base}/{path}", path)["labels"]
        ).assemble(rows)
    for full, problem in metadata.problems():
        path = full[len(base) :].removeprefix("/")
        if not is_passed_over(path):
            row = _row(fs, root, path, full, {}) | labeller.columns(full, path)
            row["labels"] = None if row["labels"] is None else []  # it may name hidden documents
            version = hashlib.sha256(problem.encode()).hexdigest()
            about = {"media_type": METADATA_TYPE, "problem": problem, "content_sha256": version}
            rows.append(row | about)
    yield from rows


def _files_below(
    fs: Any,  # noqa: ANN401 - fsspec is untyped
    base: str,
) -> tuple[dict[str, dict[str, Any]], set[str]]:
    """Return all files below a folder, sorted, and its folders.

    Local disks are walked here, because `find` silently skips folders without permission.
    """
    if "file" not in fs.protocol:
        found = dict(fs.find(base, detail=True, on_error=_refuse_to_omit))
        return found, _folders_of(found, base)
    found, folders, left = dict[str, dict[str, Any]](), set[str](), [base]
    while left:
        try:
            infos = fs.ls(left.pop(), detail=True)
        except OSError as error:
            _refuse_to_omit(error)
            continue
        below = [info["name"] for info in infos if info["type"] == "directory"]
        left += below
        folders.update(below)
        found |= {info["name"]: info for info in infos if info["type"] != "directory"}
    return dict(sorted(found.items())), folders


def _folders_of(files: Iterable[str], base: str) -> set[str]:
    """Return the folders below `base` that hold files, at any depth."""
    found: set[str] = set()
    for file in files:
        folder = posixpath.dirname(file)
        while len(folder) > len(base) and folder not in found:
            found.add(folder)
            folder = posixpath.dirname(folder)
    return found


def _refuse_to_omit(error: OSError) -> None:
    """Raise for a folder that cannot be listed: its documents would count as removed."""
    if isinstance(error, FileNotFoundError):
        return
    what = f"a folder cannot be listed: {error.strerror or error}"
    where = printable(str(error.filename or ""))
    if isinstance(error, PermissionError):
        hint = "Nothing was changed. Allow reading it, or name folders that may be read"
        raise SourceError(what, where, hint) from error
    raise TransientError(what, where, "Nothing was changed. Run again") from error


def _names_in(fs: Any, folder: str) -> list[str]:  # noqa: ANN401 - fsspec is untyped
    try:
        return [str(name) for name in fs.ls(folder, detail=False)]
    except OSError as error:
        _refuse_to_omit(error)
        return []


def _list_passages(root: SourceRoot) -> Iterable[dict[str, Any]]:
    for path, line in read_passages(root).items():
        uri = f"{root.name}/{path}"
        yield {
            "document_id": content_id("document", uri),
            "uri": uri,
            "source": root.name,
            "path": path,
            "media_type": PASSAGE,
            "size_bytes": len(line.data),
            "content_sha256": hashlib.sha256(line.data).hexdigest(),
        }


def _row(
    fs: Any,  # noqa: ANN401 - fsspec is untyped
    root: SourceRoot,
    path: str,
    full: str,
    info: Mapping[str, Any],
) -> dict[str, Any]:
    shown = printable(path)
    uri = root.name if root.file is not None else f"{root.name}/{shown}"
    media_type = _media_type(fs, path, full, info)
    is_read = media_type in MEDIA_TYPES.values()
    return {
        "document_id": content_id("document", uri),
        "uri": uri,
        "source": root.name,
        "path": shown,
        "media_type": media_type,
        "size_bytes": int(info.get("size") or 0),
        "content_sha256": _sha256(fs, full) if is_read else None,
    }


def ending(path: str) -> str:
    """Return a file name's extension in lower case, or `no ending`."""
    return posixpath.splitext(path)[1].lower() or _NO_ENDING


def _media_type(
    fs: Any,  # noqa: ANN401 - fsspec is untyped
    path: str,
    full: str,
    info: Mapping[str, Any],
) -> str:
    if info.get("type") != "file":
        return LINK if info.get("islink") else SPECIAL
    if may_hold_facts(path):
        return FACTS
    end = ending(path)
    if end not in _TOLD_BY_BYTES:
        return MEDIA_TYPES.get(end, UNKNOWN)
    try:
        data = bytes(fs.cat_file(full, end=HEAD_BYTES))
        if data.startswith(PACKAGE):
            data += bytes(fs.cat_file(full, start=-DIRECTORY_BYTES))
    except OSError:
        return "txt"  # whoever reads it says why it cannot be; `unknown` would take it out
    return media_type_of(data, "txt" if end == _NO_ENDING and is_text(data) else UNKNOWN)


def _sha256(fs: Any, path: str) -> str | None:  # noqa: ANN401 - fsspec is untyped
    digest = hashlib.sha256()
    try:
        with fs.open(path, "rb") as file:
            while data := file.read(_READ_BYTES):
                digest.update(data)
    except OSError as error:
        log.warning("cannot read %s: %s", printable(path), error.strerror or error)
        return None
    return digest.hexdigest()


class SourceReader:
    """Returns the bytes of documents by uri, never anything outside the roots.

    `roots` are those that the uris were listed from; `listed` are rows of `LISTED` or of a plan, with what pages
    include (without them, pages include nothing).
    """

    def __init__(self, roots: Iterable[SourceRoot], listed: pa.Table | None = None) -> None:
        self._roots = {root.name: root for root in roots}
        rows = listed.select(["uri", "includes"]).to_pylist() if listed is not None else []
        self._includes = {row["uri"]: set(row["includes"]) for row in rows if row["includes"]}
        self._passages: dict[str, dict[str, PassageLine]] = {}

    def fetch(self, uri: str) -> bytes:
        """Return a document's bytes, with its included texts."""
        name, _, path = uri.partition("/")
        root = self._roots.get(name)
        if root is None:
            what = f"there is no source '{name}' in this run"
            raise DocumentError("unreadable", what, uri, "Name it among the sources")
        if root.holds_passages:
            return self._passage(root, path, uri)
        fs, base = file_system(root.uri)
        slash = "" if base in ("", "/") else "/"

        def read(below: str) -> bytes:
            return _read_inside(fs, base, f"{base}{slash}{below}", uri)

        data = read(root.file or (unescaped(path) if "file" in fs.protocol else path))
        if allowed := self._includes.get(uri):
            return assemble(data, path, lambda one: read(one) if one in allowed else None).data
        return data

    def _passage(self, root: SourceRoot, path: str, uri: str) -> bytes:
        if root.name not in self._passages:
            self._passages[root.name] = read_passages(root)
        try:
            line = self._passages[root.name][path]
        except KeyError as error:
            raise FileNotFoundError(f"{root.file} has no passage {path}") from error
        if line.problem is not None:
            raise DocumentError("broken", line.problem, uri, f"Mend it in {root.file}")
        return line.data


def _read_inside(
    fs: Any,  # noqa: ANN401 - fsspec is untyped
    base: str,
    full: str,
    where: str = "",
) -> bytes:
    """Read a regular file that lies below `base` after resolving links."""
    if "file" in fs.protocol:
        resolved, inside = Path(full).resolve(), Path(base or "/").resolve()
        if not resolved.is_relative_to(inside):
            raise DocumentError("unreadable", _LEADS_OUT, where, _PUT_THERE)
        if resolved.exists() and not resolved.is_file():  # opening a pipe would never end
            raise DocumentError("unreadable", "it is no longer a regular file", where, _PUT_THERE)
    elif ".." in full.split("/"):
        raise DocumentError("unreadable", _LEADS_OUT, where, _PUT_THERE)
    return bytes(fs.cat_file(full))

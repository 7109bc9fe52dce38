"""Named sources, and uris of documents.

A document has the same uri on every machine: the source's name, then the path below its root. Uris are unique: a name
has no slash, no source lies in another, and printable paths are unique (see `printable`).
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path, PurePosixPath
from typing import Any

from graphrag_tasks.core.errors import ConfigError, SourceError
from graphrag_tasks.sources.media_types import may_hold_facts
from graphrag_tasks.storage import file_system

PASSAGES_SUFFIX = ".jsonl"
ESCAPED = "./"  # Prefix of a printable path whose bytes are not UTF-8; no listed path begins like this.

_ESCAPE = re.compile(rb"\\(\\|x[0-9a-f]{2})")


@dataclass(frozen=True)
class SourceRoot:
    """A named source of documents: a folder, or the parent folder of a single `file`.

    The name is the first part of the uri of every document below it.
    """

    name: str
    uri: str
    file: str | None = None

    @property
    def whole(self) -> str:
        """The address of the folder or file."""
        return f"{self.uri.rstrip('/')}/{self.file}" if self.file else self.uri

    @property
    def holds_passages(self) -> bool:
        """Whether the source is a JSONL passage file."""
        return self.file is not None and self.file.endswith(PASSAGES_SUFFIX) and not may_hold_facts(self.file)


def source_roots(specs: Sequence[str]) -> tuple[SourceRoot, ...]:
    """Parse source specifications, each a folder, file or URI, or `NAME=URI`, and check them.

    Text before the first `=` is a name if it has no slash. So `/data/year=2024` is a path, `docs=/data/year=2024` names
    it, and a relative path with `=` in its first part is written `./year=2024`.
    """
    if not specs:
        raise ConfigError("no source is given", "sources", "Name a folder, a file or a URI")
    roots = tuple(_source_root(spec) for spec in specs)
    names = [root.name for root in roots]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"two sources are called '{name}'", "sources", f"Name one of them: other-{name}=PATH")
    _refuse_overlaps(roots)
    return roots


def is_passed_over(path: str) -> bool:
    """Tell whether a path is hidden, in a hidden folder, or an office program's lock file."""
    return any(part.startswith((".", "~$")) for part in path.split("/"))


def printable(path: str) -> str:
    r"""Return a path as valid, unique text.

    UTF-8 paths are unchanged. A path whose bytes are not UTF-8 begins with `./`, each such byte is `\xff`, and a
    backslash is doubled.
    """
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        data = os.fsencode(path).replace(b"\\", b"\\\\")
        return ESCAPED + data.decode("utf-8", "backslashreplace")
    return path


def unescaped(path: str) -> str:
    """Return the local path for a printable one."""
    if not path.startswith(ESCAPED):
        return path
    return os.fsdecode(_ESCAPE.sub(_byte, path.removeprefix(ESCAPED).encode("utf-8")))


def _byte(escape: re.Match[bytes]) -> bytes:
    return b"\\" if escape[1] == b"\\" else bytes.fromhex(escape[1][1:].decode("ascii"))


def _source_root(spec: str) -> SourceRoot:
    if printable(spec) != spec:
        hint = "Rename it, or name a folder above it"
        raise ConfigError("the source's path is not UTF-8", printable(spec), hint)
    name, target = _named(spec)
    target = target.rstrip("/") or "/"
    if "://" not in target:
        target = _absolute(target)
    fs, path = file_system(target)
    try:
        is_there = fs.exists(path)
    except ValueError as error:  # a file system of another package refuses the address
        hint = "Write the address as its kind wants it"
        raise SourceError(f"the address is not valid: {error}", spec, hint) from error
    if not is_there:
        raise SourceError("the source does not exist", spec, _hint_of_absent(spec, name))
    base = posixpath.basename(str(path).rstrip("/")) or "root"
    if fs.isdir(path):
        return SourceRoot(name or base, target)
    return SourceRoot(name or base, posixpath.dirname(target), base)


def _absolute(path: str) -> str:
    try:
        return str(Path(path).expanduser().absolute())
    except RuntimeError:  # there is no such user: the path is as it is written
        return str(Path(path).absolute())


def _named(spec: str) -> tuple[str, str]:
    """Split `NAME=URI`; the name is empty if not given."""
    name, equals, target = spec.partition("=")
    if not (name and equals) or "/" in name:
        name, target = "", spec
    if not target:
        raise ConfigError("a source has no path", "sources", "Name a folder, a file or a URI")
    return name, target


def _hint_of_absent(spec: str, name: str) -> str:
    hint = "Nothing was changed. Check the path or the mount"
    if name and Path(spec).exists():
        return f"{hint}. The path '{spec}' is written ./{spec}"
    if not name and "=" in spec and "://" not in spec.partition("=")[0]:
        return f"{hint}. What stands before '=' is a name only if it holds no '/'"
    return hint


def _refuse_overlaps(roots: Sequence[SourceRoot]) -> None:
    """Refuse sources that share a file: it would be two documents, each with its own labels."""
    places = [(root, *_place(root)) for root in roots]
    for (source_root, system, path), (other, its_system, its_path) in combinations(places, 2):
        if system != its_system:
            continue
        for outer, inner, above, below in ((source_root, other, path, its_path), (other, source_root, its_path, path)):
            if _lists(outer, inner, above, below):
                raise ConfigError(
                    f"the source '{inner.name}' lies in the source '{outer.name}': its documents "
                    "would be indexed twice",
                    "sources",
                    "Leave one of them out, or name folders that do not lie in one another",
                )


def _place(root: SourceRoot) -> tuple[Any, PurePosixPath]:
    """Return a root's file system and path; links are resolved on the local disk."""
    fs, path = file_system(posixpath.join(root.uri, root.file) if root.file else root.uri)
    if "file" in fs.protocol:
        path = str(Path(path).resolve())
    return fs, PurePosixPath(path)


def _lists(outer: SourceRoot, inner: SourceRoot, above: PurePosixPath, below: PurePosixPath) -> bool:
    """Tell whether the outer root lists the inner root's documents too."""
    if above == below:
        return True
    if outer.file is not None or not below.is_relative_to(above):
        return False
    # In a folder, a file of passages is one skipped document, and hidden files are none.
    return not inner.holds_passages and not is_passed_over(str(below.relative_to(above)))

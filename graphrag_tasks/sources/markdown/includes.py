"""Include texts from other files of the same source in Markdown pages.

Pages of a documentation repository often take a product's name, a warning or a section from another file: DocFX
`[!INCLUDE[name](includes/name.md)]`, MkDocs `--8<-- "name.md"`, Jekyll, GitBook and Jinja `{% include "name.md" %}`,
Hugo `{{% include "name.md" %}}`, Docusaurus `import Name from './_name.mdx'` with `<Name />`. The text replaces the
directive before the page is hashed, so a page changes when an included file does.

* Only text files of the same source are read, and no hidden ones except GitBook's.
* Whoever may see the page must be allowed to see the file (`may_include`).
* Includes nest up to `MAX_DEPTH`, never in a cycle, up to `MAX_CHARACTERS` a page.
* A directive that cannot be resolved stays; the parser counts it as left out.
* Code is not changed.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.sources.labels import PUBLIC
from graphrag_tasks.sources.markdown.dialects import Verbatim
from graphrag_tasks.sources.markdown.front_matter import split_front_matter

INCLUDE = "include"  # Media type of a file whose text is part of the pages that include it.
MAX_DEPTH = 8  # Limit of nested includes; far more than documentation needs. Chosen.
MAX_CHARACTERS = 2_000_000  # Limit of characters that a page's includes may add.
MAX_FILE_BYTES = 200_000  # Larger files are not included. Chosen.
MAX_PAGE_BYTES = 5_000_000  # Larger pages are read without includes.
_CACHED_FILES = 200  # Included files in the cache, each up to `MAX_FILE_BYTES`: 40 MB in all.
_LEAST_COST = 100  # Least characters counted per include, so that thousands of empty ones are bounded too.
_ENDINGS = (".md", ".markdown", ".mdx", ".txt")
_FRAGMENT_FOLDERS = frozenset({"include", "includes", "_includes", "snippets", "_snippets", "partials", "_partials"})
_GITBOOK = ".gitbook"
_DIRECTIVE = re.compile(
    r"\[!INCLUDE\s*\[[^\[\]\n]{0,300}\]\s*\(\s*(?P<docfx>[^()\s]{1,300})[^()\n]{0,300}\)\s*\]"
    r"|(?m:^(?P<indent>[ \t]*)-+8<-+[ \t]*\n(?P<listed>(?:[^\n]*\n){1,50}?)[ \t]*-+8<-+[ \t]*$)"
    r"|-+8<-+[ \t]+[\"'](?P<snippet>[^\"'\n]+)[\"']"
    r"|\{%-?\s*include(?:_relative|-markdown)?\s+[\"']?(?P<liquid>[^\s\"'%]+)[^%\n]*%\}"
    r"|\{\{[<%]\s*(?:include|readfile|snippet)\s+(?:file\s*=\s*)?[\"'`](?P<hugo>[^\"'`\n]+)[\"'`]"
    r"[^\n]*?[>%]\}\}"
    r"|<(?P<component>[A-Z]\w*)(?:\s[^<>\n]*)?/>",
    re.IGNORECASE,
)
_IMPORT = re.compile(
    r"^import[ \t]+(?P<name>[A-Z]\w*)[ \t]+from[ \t]+[\"'](?P<path>[^\"'\n]+)[\"'];?[ \t]*\n?", re.MULTILINE
)
_LOOK = re.compile(
    rb"\[!include|8<-|\{%-?\s*include|\{\{[<%]\s*(?:include|readfile|snippet)\s|^import\s", re.IGNORECASE | re.MULTILINE
)


_Labels = Sequence[str] | None
Read = Callable[[str], bytes | None]
"""Returns the bytes of a file, given its path below the source's root, or None if unreadable."""


@dataclass
class Assembled:
    """A page with its included texts, and the sorted paths of their files."""

    data: bytes
    includes: tuple[str, ...] = ()


def is_fragment(path: str) -> bool:
    """Tell whether a file, by its path, exists only to be included by pages."""
    *folders, name = path.split("/")
    return name.startswith("_") or not _FRAGMENT_FOLDERS.isdisjoint(folders)


def may_include(page: Collection[str] | None, file: Collection[str] | None) -> bool:
    """Tell whether every reader of a page may see a file, by labels; None means labels off."""
    return page is None or (file is not None and (PUBLIC in file or set(page) <= set(file)))


def assemble(data: bytes, path: str, read: Read) -> Assembled:
    """Resolve a page's includes; `read` is called only for paths below the root."""
    if len(data) > MAX_PAGE_BYTES or not _LOOK.search(data):
        return Assembled(data)
    text = _text(data)
    if text is None:
        return Assembled(data)
    work = _Work(read)
    whole = work.expanded(text, (path,))
    if not work.used:
        return Assembled(data)
    return Assembled(whole.encode("utf-8"), tuple(sorted(work.used)))


@dataclass
class _Work:
    """Reading state of one page's includes."""

    read: Read
    used: set[str] = field(default_factory=set)
    left: int = MAX_CHARACTERS

    def expanded(self, text: str, stack: tuple[str, ...]) -> str:
        """Return a text with its includes; `stack` holds the including files, itself last."""
        verbatim = Verbatim(with_raw_tags=True)
        text = verbatim.hide(text)
        components = {found["name"]: found["path"] for found in _IMPORT.finditer(text)}
        taken: set[str] = set()

        def put(found: re.Match[str]) -> str:
            names = list(_names(found, components))
            texts = [self._included(name, stack, is_docfx=bool(found["docfx"])) for name in names]
            if not names or None in texts:
                return found[0]
            taken.update([found["component"]] if found["component"] else [])
            return _fitted("\n\n".join(filter(None, texts)), found)

        text = _DIRECTIVE.sub(put, text)
        text = _IMPORT.sub(lambda found: "" if found["name"] in taken else found[0], text)
        return verbatim.show(text)

    def _included(self, name: str, stack: tuple[str, ...], *, is_docfx: bool) -> str | None:
        for path in _candidates(name, stack[-1], is_docfx=is_docfx):
            data = self.read(path)
            if data is None or len(data) > MAX_FILE_BYTES or (text := _text(data)) is None:
                continue
            self.used.add(path)
            self.left -= max(len(text), _LEAST_COST)
            if path in stack or len(stack) > MAX_DEPTH or self.left < 0:
                return None
            text = self.expanded(split_front_matter(text)[1], (*stack, path))
            return text.strip("\n").rstrip()
        return None


def _text(data: bytes) -> str | None:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None


def _names(found: re.Match[str], components: Mapping[str, str]) -> Iterator[str]:
    if found["component"]:
        yield from [path for name, path in components.items() if name == found["component"]]
    elif found["listed"]:
        yield from filter(None, map(str.strip, found["listed"].split("\n")))
    else:
        yield next(filter(None, map(found.group, ("docfx", "snippet", "liquid", "hugo"))))


def _candidates(name: str, page: str, *, is_docfx: bool) -> Iterator[str]:
    """Yield the paths that an include's name may refer to, the likeliest first.

    DocFX names a file relative to the page's folder, or with `~` to the root. The others name it relative to a
    configured folder: the page's folder and its parents are tried.
    """
    if not name.lower().endswith(_ENDINGS):
        return
    folder = posixpath.dirname(page)
    if name.startswith(("/", "~/", "@site/")):
        name, folder = name.lstrip("~/").removeprefix("@site/"), ""
    while True:
        for below in ("",) if is_docfx else ("", "_includes"):
            path = posixpath.normpath(posixpath.join(folder, below, name))
            if not path.startswith(("../", "/")) and path != ".." and _is_shown(path):
                yield path
        if is_docfx or not folder:
            return
        folder = posixpath.dirname(folder)


def _is_shown(path: str) -> bool:
    return not any(part.startswith((".", "~$")) and part != _GITBOOK for part in path.split("/"))


def _fitted(text: str, found: re.Match[str]) -> str:
    """Return an included text indented like its directive."""
    if "\n" not in text:
        return (found["indent"] or "") + text
    whole = found.string
    before = whole[whole.rfind("\n", 0, found.start()) + 1 : found.start()] + (found["indent"] or "")
    end = whole.find("\n", found.end())
    after = whole[found.end() : end if end >= 0 else len(whole)]
    if before.strip(" \t>") or after.strip():
        return " ".join(text.split()) if before.lstrip().startswith("|") else text
    first, *others = text.split("\n")
    return (found["indent"] or "") + "\n".join([first, *(before + line for line in others)])


class MarkdownPages:
    """The pages of one folder.

    Args:
        base: The folder.
        found: All its files, with their file system information.
        read: Returns the bytes of a file.
        labels: Returns the access labels of a path below the folder.
    """

    def __init__(
        self,
        base: str,
        found: Mapping[str, Mapping[str, Any]],
        *,
        read: Callable[[str], bytes],
        labels: Callable[[str], _Labels],
    ) -> None:
        self._base, self._found, self._read, self._labels = base, found, read, cache(labels)
        self._included = lru_cache(_CACHED_FILES)(self._file)

    def assemble(self, rows: Sequence[dict[str, Any]]) -> None:
        """Add to the rows of pages what they include, and mark the rows of included files."""
        shown: set[tuple[str, tuple[str, ...] | None]] = set()
        for row in rows:
            if row["media_type"] == "md" and row["size_bytes"] <= MAX_PAGE_BYTES:
                assembled = self._assembled(row)
                if assembled.includes:
                    row["includes"] = list(assembled.includes)
                    row["content_sha256"] = hashlib.sha256(assembled.data).hexdigest()
                    shown |= {(path, _hashable(row["labels"])) for path in assembled.includes}
        for row in rows:
            if is_fragment(row["path"]) and (row["path"], _hashable(row["labels"])) in shown:
                row |= {"media_type": INCLUDE, "content_sha256": None, "includes": None}

    def _assembled(self, row: Mapping[str, Any]) -> Assembled:
        labels = row["labels"]

        def read(path: str) -> bytes | None:
            if f"{self._base}/{path}" not in self._found:
                return None
            return self._included(path) if may_include(labels, self._labels(path)) else None

        return assemble(self._page(row["path"]), row["path"], read)

    def _page(self, path: str) -> bytes:
        """Return the bytes of a page; of one that cannot be read, or whose name is not UTF-8, none."""
        try:
            return self._read(full) if (full := f"{self._base}/{path}") in self._found else b""
        except (OSError, DocumentError):
            return b""

    def _file(self, path: str) -> bytes | None:
        size = int(self._found[f"{self._base}/{path}"].get("size") or 0)
        return (self._page(path) or None) if size <= MAX_FILE_BYTES else None


def _hashable(labels: _Labels) -> tuple[str, ...] | None:
    return None if labels is None else tuple(labels)

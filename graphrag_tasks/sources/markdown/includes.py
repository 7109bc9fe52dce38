"""Texts that Markdown pages take from other files of their source.

A page of a documentation repository often has a product's name, a warning or a whole section from
another file: DocFX `[!INCLUDE[name](includes/name.md)]`, MkDocs `--8<-- "name.md"`, Jekyll, GitBook
and Jinja `{% include "name.md" %}`, Hugo `{{% include "name.md" %}}`, Docusaurus
`import Name from './_name.mdx'` with `<Name />`. The file's text takes the place of the directive,
before the page is hashed: a page changes when a file it includes does.

* Only text files of the same source are read, and no hidden ones but GitBook's own.
* Whoever may see the page may see the file (`may_include`).
* Files include files to a depth of `MAX_DEPTH`, never themselves, up to `MAX_CHARACTERS` a page.
* What cannot be included stays as it is written; the reader leaves it out and counts it.
* Code is not touched.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

from graphrag_tasks.sources.labels import PUBLIC
from graphrag_tasks.sources.markdown.verbatim import Verbatim

MAX_DEPTH = 8
"""Files that include each other; far more than documentation needs. Chosen."""
MAX_CHARACTERS = 2_000_000
"""What the includes of one page may add to it."""
MAX_FILE_BYTES = 200_000
"""Larger files are no texts to include. Chosen."""
MAX_PAGE_BYTES = 5_000_000
"""Larger pages are read as they are."""

_LEAST_COST = 100
"""Characters that each include counts for at least, so that thousands of empty ones end as well."""
_ENDINGS = (".md", ".markdown", ".mdx", ".txt")
_FRAGMENT_FOLDERS = frozenset(
    {"include", "includes", "_includes", "snippets", "_snippets", "partials", "_partials"}
)
_GITBOOK = ".gitbook"
_FRONT_MATTER = re.compile(r"\A---[^\S\n]*\n(?:.*?\n)?---[^\S\n]*(?:\n|\Z)", re.DOTALL)
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
    r"^import[ \t]+(?P<name>[A-Z]\w*)[ \t]+from[ \t]+[\"'](?P<path>[^\"'\n]+)[\"'];?[ \t]*\n?",
    re.MULTILINE,
)
_LOOK = re.compile(
    rb"\[!include|8<-|\{%-?\s*include|\{\{[<%]\s*(?:include|readfile|snippet)\s|^import\s",
    re.IGNORECASE | re.MULTILINE,
)
_LINK = re.compile(r"(\]\()(?![a-z][a-z0-9+.-]*:|[/#<~{])([^)\s]+)", re.IGNORECASE)

LOOK = _LOOK.pattern.decode("ascii")
"""What `may_hold_includes` looks for."""

Read = Callable[[str], bytes | None]
"""Gives the bytes of a file by its path below the source's root; None where it is not read."""


@dataclass
class Assembled:
    """A page with the texts it includes, and the paths of their files, sorted."""

    data: bytes
    includes: tuple[str, ...] = ()


def may_hold_includes(data: bytes) -> bool:
    """Return whether a page may include something; cheap, and never wrongly False."""
    return _LOOK.search(data) is not None


def is_fragment(path: str) -> bool:
    """Return whether a file, by its place, is only there to be included by pages."""
    *folders, name = path.split("/")
    return name.startswith("_") or not _FRAGMENT_FOLDERS.isdisjoint(folders)


def may_include(page: Collection[str] | None, file: Collection[str] | None) -> bool:
    """Return whether all who may see a page may see a file, by their labels; None: off."""
    return page is None or (file is not None and (PUBLIC in file or set(page) <= set(file)))


def assemble(data: bytes, path: str, read: Read) -> Assembled:
    """Put the texts that a page includes into it; `read` is asked for paths below the root only."""
    if len(data) > MAX_PAGE_BYTES or not may_hold_includes(data):
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
    """What the includes of one page have cost so far."""

    read: Read
    used: set[str] = field(default_factory=set)
    left: int = MAX_CHARACTERS

    def expanded(self, text: str, stack: tuple[str, ...]) -> str:
        """Return a text with what it includes; `stack` is who includes it, itself last."""
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
            text = self.expanded(_FRONT_MATTER.sub("", text, count=1), (*stack, path))
            return _moved(text.strip("\n").rstrip(), path, stack[-1])
        return None


def _text(data: bytes) -> str | None:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None


def _names(found: re.Match[str], components: Mapping[str, str]) -> Iterator[str]:
    """Yield the names of the files that a directive includes."""
    if found["component"]:
        yield from [path for name, path in components.items() if name == found["component"]]
    elif found["listed"]:
        yield from filter(None, map(str.strip, found["listed"].split("\n")))
    else:
        yield next(filter(None, map(found.group, ("docfx", "snippet", "liquid", "hugo"))))


def _candidates(name: str, page: str, *, is_docfx: bool) -> Iterator[str]:
    """Yield the paths below the root that a name in a page may stand for, the likeliest first.

    DocFX names a file from the page's folder, or with `~` from the root. The others name it from a
    folder that is set in a configuration: it is looked for in the page's folder and in those above.
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
    """Return an included text as the line of its directive takes it."""
    if "\n" not in text:
        return (found["indent"] or "") + text
    whole = found.string
    before = whole[whole.rfind("\n", 0, found.start()) + 1 : found.start()] + (
        found["indent"] or ""
    )
    end = whole.find("\n", found.end())
    after = whole[found.end() : end if end >= 0 else len(whole)]
    if before.strip(" \t>") or after.strip():
        return " ".join(text.split()) if before.lstrip().startswith("|") else text
    first, *others = text.split("\n")
    return (found["indent"] or "") + "\n".join([first, *(before + line for line in others)])


def _moved(text: str, path: str, page: str) -> str:
    """Return a text whose links, written for one file, hold in another one's place."""
    source, target = posixpath.dirname(path), posixpath.dirname(page)
    if source == target:
        return text

    def link(found: re.Match[str]) -> str:
        return found[1] + posixpath.relpath(
            posixpath.join("/", source, found[2]), posixpath.join("/", target)
        )

    verbatim = Verbatim(with_raw_tags=True)
    return verbatim.show(_LINK.sub(link, verbatim.hide(text)))

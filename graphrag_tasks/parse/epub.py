"""Read EPUB books: chapters in reading order, each read as an HTML page (`markup`).

No boilerplate is removed: an aside of a web page is a note in a book.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator
from urllib.parse import unquote
from zipfile import ZipFile

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import Block, ParsedDocument
from graphrag_tasks.parse.markup import decoded_page, read_written
from graphrag_tasks.parse.metadata import find_title
from graphrag_tasks.parse.packages import (
    Element,
    attribute,
    broken,
    descendants,
    encrypted,
    package_of,
    parse_xml,
    text_of,
)
from graphrag_tasks.parse.text import one_line

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PAGES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")


def read_epub(data: bytes) -> ParsedDocument:
    """Read a book."""
    blocks: list[Block] = []
    left_out: Counter[str] = Counter()
    encoding = None
    with package_of(data, "epub") as package:
        root = _package_part(package)
        titles = [text_of(descendant) for descendant in descendants(root[1], "title")]
        shown = set(map(one_line, titles[:1]))
        for path in _chapters(package, *root, left_out):
            file = decoded_page(package.read(path))
            chapter = read_written(file.text, left_out=file.left_out, encoding=file.encoding)
            left_out.update(chapter.left_out)
            encoding = encoding or chapter.encoding
            texts = {block.text for block in chapter.blocks}
            if chapter.title and chapter.title.text not in texts | shown:
                left_out[LeftOut.HIDDEN] += 1
            blocks += chapter.blocks
    title = find_title(titles, blocks)
    return ParsedDocument(blocks, title, left_out=left_out, encoding=encoding)


def _package_part(package: ZipFile) -> tuple[str, Element]:
    """Return the path and root of the package file, which lists the book's parts."""
    files = _read(package, _CONTAINER)
    path = next((attribute(descendant, "full-path") for descendant in descendants(files, "rootfile")), "")
    return path, _read(package, path)


def _read(package: ZipFile, path: str) -> Element:
    if path not in package.namelist():
        raise broken("epub", f"{path or 'the list of its chapters'} is missing")
    return parse_xml(package.read(path), "epub")


def _chapters(package: ZipFile, path: str, root: Element, left_out: Counter[str]) -> Iterator[str]:
    """Yield the paths of the chapters; chapters that are pictures are counted as left out."""
    items = {attribute(descendant, "id"): descendant for descendant in descendants(root, "item")}
    locked = _locked(package)
    seen: set[str] = set()
    for reference in descendants(root, "itemref"):
        item = items.get(attribute(reference, "idref"))
        if item is None:
            raise broken("epub", f"chapter {attribute(reference, 'idref')} is missing")
        own = unquote(attribute(item, "href").partition("#")[0])
        chapter = posixpath.normpath(posixpath.join(posixpath.dirname(path), own))
        if chapter in seen:
            continue
        seen.add(chapter)
        if chapter in locked:
            raise encrypted("epub")
        if attribute(item, "media-type") not in _PAGES:
            left_out[LeftOut.PICTURE] += 1
        elif chapter not in package.namelist():
            raise broken("epub", f"{chapter} is missing")
        else:
            yield chapter


def _locked(package: ZipFile) -> set[str]:
    if _ENCRYPTION not in package.namelist():
        return set()
    references = descendants(_read(package, _ENCRYPTION), "CipherReference")
    return {unquote(attribute(reference, "URI")) for reference in references}

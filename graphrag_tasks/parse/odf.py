"""Read OpenDocument texts and presentations.

Each reader raises `DocumentError` for a file that needs a password (`encrypted`), is not of its type or declares
entities (`broken`), or unpacks to too much (`too_large`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from zipfile import ZipFile

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import Block, ParsedDocument
from graphrag_tasks.parse.markup import read_written
from graphrag_tasks.parse.metadata import find_title
from graphrag_tasks.parse.odf_text import OdfWriter, styles_saying
from graphrag_tasks.parse.packages import broken, encrypted, package_of
from graphrag_tasks.parse.xml_files import Element, attribute, descendants, has_words, local_name, parse_xml, text_of

_BODIES = {"odt": "text", "ods": "spreadsheet", "odp": "presentation"}
_MANIFEST, _CONTENT = "META-INF/manifest.xml", "content.xml"
_ENCRYPTED = b"encryption-data"


@dataclass(frozen=True)
class OpenDocument:
    """An open OpenDocument file: text, styles and title."""

    media_type: str
    package: ZipFile
    body: Element
    styles: list[Element]
    title: str | None

    def writer(self) -> OdfWriter:
        """Return a writer for its texts, which has already counted page headers and footers."""
        hiding = self.styles_with("text-properties", "display", "none")
        scripts = {
            style: script
            for script in ("sup", "sub")
            for style in self.styles_with("text-properties", "text-position", script)
        }
        writer = OdfWriter(hiding, scripts, self._object)
        pages = (page for root in self.styles for page in descendants(root, "master-page"))
        for part in (part for page in pages for part in page):
            if local_name(part).startswith(("header", "footer")):
                texts = sum(map(has_words, descendants(part, "p", "h")))
                writer.left_out[LeftOut.HEADER_FOOTER] += texts
        return writer

    def styles_with(self, properties: str, name: str, value: str) -> set[str]:
        """Return the names of the styles in which this property begins with `value`."""
        return set(styles_saying(self.styles, properties, name, value))

    def _object(self, folder: str) -> Element | None:
        return self.part(f"{folder}/{_CONTENT}")

    def part(self, name: str) -> Element | None:
        """Return the root of a part, or None if the package lacks it."""
        return _part(self.package, name, self.media_type)


@contextmanager
def open_document(data: bytes, media_type: str) -> Iterator[OpenDocument]:
    """Open an OpenDocument file."""
    with package_of(data, media_type) as package:
        names = set(package.namelist())
        if _MANIFEST in names and _ENCRYPTED in package.read(_MANIFEST):
            raise encrypted(media_type)
        content = _part(package, _CONTENT, media_type)
        if content is None:
            raise broken(media_type, f"{_CONTENT} is missing")
        body = next(descendants(content, _BODIES[media_type]), None)
        if body is None:
            raise broken(media_type, f"it holds no {_BODIES[media_type]}")
        styles = _part(package, "styles.xml", media_type)
        try:
            meta = _part(package, "meta.xml", media_type)
        except DocumentError:  # counted as properties left out
            meta = None
        titles = descendants(meta, "title") if meta is not None else ()
        title = next(map(text_of, titles), None)
        roots = [content] if styles is None else [styles, content]
        yield OpenDocument(media_type, package, body, roots, title)


def _part(package: ZipFile, name: str, media_type: str) -> Element | None:
    if name not in package.namelist():
        return None
    return parse_xml(package.read(name), media_type)


def read_odt(data: bytes) -> ParsedDocument:
    """Read a text document; notes and comments follow their paragraph."""
    with open_document(data, "odt") as document:
        writer = document.writer()
        html = writer.write(document.body)
    return read_written(html, title=document.title, left_out=writer.left_out)


def read_odp(data: bytes) -> ParsedDocument:
    """Read slides with speaker notes; each slide is a page.

    Every slide title except the first is a heading.
    """
    blocks: list[Block] = []
    number = 0
    with open_document(data, "odp") as document:
        writer = document.writer()
        hidden = document.styles_with("drawing-page-properties", "visibility", "hidden")
        for part in document.body:
            if local_name(part) != "page":
                blocks += read_written(writer.write([part])).blocks
                continue
            number += 1
            if attribute(part, "style-name") in hidden:
                writer.left_out[LeftOut.HIDDEN] += has_words(part)
                continue
            slide = read_written(writer.write(part))
            blocks += (replace(block, page=number) for block in slide.blocks)
    titles = [at for at, block in enumerate(blocks) if block.kind == "title"]
    for at in titles[1:]:
        blocks[at] = replace(blocks[at], kind="heading", level=1)
    return ParsedDocument(
        blocks,
        find_title([document.title], blocks),
        pages_in=number,
        pages_out=len({block.page for block in blocks}),
        left_out=writer.left_out,
    )

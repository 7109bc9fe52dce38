"""Read OpenDocument texts and presentations.

Each reader raises `DocumentError` for a file that needs a password (`encrypted`), is not of its type or declares
entities (`broken`), or unpacks to too much (`too_large`).
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html import escape
from zipfile import ZipFile

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import Block, ParsedDocument
from graphrag_tasks.parse.markup import ElementWriter, read_written
from graphrag_tasks.parse.metadata import find_title
from graphrag_tasks.parse.package_texts import (
    Element,
    attribute,
    broken,
    descendants,
    encrypted,
    has_words,
    local_name,
    package_of,
    parse_xml,
    text_of,
)

Objects = Callable[[str], Element | None]
"""Returns the content root of an embedded object, given its path in the package."""

_MAX_SPAN = 1000  # Limit of column and row spans: HTML's limit for columns.
_MAX_LEVEL = 6  # Deepest heading of HTML; OpenDocument has no limit.
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_DRAWN = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_BESIDE = {"note", "annotation", "table", "list"}
_FURNITURE = {"header", "footer", "date-time", "page-number"}
_INDEXES = ("table-of-content", "illustration-index", "table-index", "object-index", "user-index")
_NO_TEXT = {
    *(f"{name}-source" for name in (*_INDEXES, "alphabetical-index", "bibliography")),
    *("note-citation", "page-thumbnail", "binary-data", "change-info", "scripts"),
    *("script", "event-listeners", "annotation-end", "variable-decls", "sequence-decls"),
    *("user-field-decls", "dde-connection-decls", "settings"),
}
_COUNTED = {
    **dict.fromkeys(("header-decl", "footer-decl", "date-time-decl"), LeftOut.HEADER_FOOTER),
    "forms": LeftOut.BOILERPLATE,
    "content-validations": LeftOut.HIDDEN,
    "deletion": LeftOut.DELETED_TEXT,
    "cell-content-deletion": LeftOut.DELETED_TEXT,
    "change-track-table-cell": LeftOut.DELETED_TEXT,
}
"""Elements whose text is left out, with the reason."""


def styles_saying(roots: Iterable[Element], properties: str, name: str, value: str) -> Set[str]:
    """Return the names of the styles in which this property begins with `value`."""
    parents: dict[str, str] = {}
    own: dict[str, str] = {}
    for style in (descendant for root in roots for descendant in descendants(root, "style")):
        key = attribute(style, "name")
        parents[key] = attribute(style, "parent-style-name")
        own[key] = "".join(attribute(descendant, name) for descendant in descendants(style, properties))
    found: set[str] = set()
    for key in own:
        above, seen = key, set[str]()
        while above in own and not own[above] and above not in seen:
            seen.add(above)
            above = parents[above]
        if own.get(above, "").startswith(value):
            found.add(key)
    return found


class OdfWriter(ElementWriter):
    """Converts elements to HTML, and counts what is left out.

    `hiding` are the styles of hidden text; `scripts` maps styles to HTML's sup or sub.
    """

    def __init__(self, hiding: Set[str], scripts: Mapping[str, str], objects: Objects) -> None:
        super().__init__()
        self._hiding = hiding
        self._scripts = scripts
        self._objects = objects
        self._folder = ""
        self._seen: set[str] = set()

    def write(self, elements: Iterable[Element]) -> str:
        """Return elements as HTML."""
        for element in elements:
            self._block(element)
        html = "\n".join(self._html)
        self._html.clear()
        return html

    def _children(self, element: Element) -> None:
        self._loose(element.text)
        for child in element:
            self._block(child)
            self._loose(child.tail)

    def _loose(self, text: str | None) -> None:
        if text and text.strip():
            self._html.append(f"<p>{escape(text)}</p>")

    def _block(self, element: Element) -> None:
        name = local_name(element)
        if name in _NO_TEXT or self._is_counted(element, name):
            return
        write = {
            "": self._comment_in_source,
            "p": self._paragraph,
            "h": self._heading,
            "list": self._list,
            "table": self._table,
            "annotation": self._annotation,
            "object": self._object,
            "frame": self._frame,
        }.get(name, self._children)
        write(element)

    def _is_counted(self, element: Element, name: str) -> bool:
        reason = _COUNTED.get(name)
        if name in ("title", "desc") and element.tag.startswith(_SVG):
            reason = LeftOut.PICTURE
        if name == "frame" and attribute(element, "class") in _FURNITURE:
            reason = LeftOut.HEADER_FOOTER
        if self._is_hidden(element, name):
            reason = LeftOut.HIDDEN
        if reason is not None:
            parts = (one for one in element if local_name(one) != "change-info")
            own = bool((element.text or "").strip())
            self.left_out[reason] += own or any(map(_has_words_or_tail, parts))
        return reason is not None

    def _is_hidden(self, element: Element, name: str) -> bool:
        if name in ("p", "h", "span") and attribute(element, "style-name") in self._hiding:
            return True
        if name == "section":
            is_hidden = attribute(element, "is-hidden") == "true"
            return is_hidden or attribute(element, "display") == "none"
        hiders = descendants(element, "hidden-paragraph") if name == "p" else ()
        return any(attribute(hider, "is-hidden") == "true" for hider in hiders)

    def _comment_in_source(self, element: Element) -> None:
        self.left_out[LeftOut.COMMENT] += bool((element.text or "").strip())

    def _paragraph(self, element: Element, tag: str = "p") -> None:
        self._html.append(f"<{tag}>{self._inline(element)}</{tag}>")
        self._write_behind()

    def _frame(self, element: Element) -> None:
        if attribute(element, "class") != "title":
            self._children(element)
            return
        for child in element:
            if local_name(child) == "text-box":
                for paragraph in descendants(child, "p"):
                    self._paragraph(paragraph, "h1")
            else:
                self._block(child)

    def _heading(self, element: Element) -> None:
        level = attribute(element, "outline-level")
        number = min(int(level), _MAX_LEVEL) if level.isdecimal() else 1
        self._paragraph(element, "p" if self._tables else f"h{max(number, 1)}")

    def _rows(self, element: Element, tag: str = "td") -> None:
        for child in element:
            name = local_name(child)
            if name == "table-row":
                self._html.append("<tr>")
                self._cells(child, tag)
                self._html.append("</tr>")
            elif name in ("table-header-rows", "table-rows", "table-row-group"):
                self._rows(child, "th" if name == "table-header-rows" else tag)
            elif not name.startswith("table-column"):
                self._behind.append(child)  # a title, or shapes

    def _cells(self, row: Element, tag: str) -> None:
        for cell in row:
            if local_name(cell) == "table-cell":
                columns = span(cell, "number-columns-repeated") * span(cell, "number-columns-spanned")
                rows = min(span(cell, "number-rows-spanned"), _MAX_SPAN)
                spans = f'colspan="{min(columns, _MAX_SPAN)}" rowspan="{rows}"'
                self._html.append(f"<{tag} {spans}>")
                self._children(cell)
                self._html.append(f"</{tag}>")
            else:
                self.left_out[LeftOut.HIDDEN] += has_words(cell)  # covered by another

    def _annotation(self, element: Element) -> None:
        said: dict[str, str] = {"creator": "", "date": ""}
        texts = []
        for child in element:
            if local_name(child) in said:
                said[local_name(child)] = escape(text_of(child).strip())
            elif local_name(child) != "creator-initials":
                texts.append(child)
        if who := ", ".join(filter(None, said.values())):
            self._html.append(f"<p>{who}:</p>")
        for child in texts:
            self._block(child)

    def _object(self, element: Element) -> None:
        """Write an embedded formula, chart or document, each only once."""
        before = self._folder
        href = attribute(element, "href")
        root: Element | None = element
        if href:
            self._folder = posixpath.normpath(posixpath.join(before, href))
            root = None if self._folder in self._seen else self._objects(self._folder)
            self._seen.add(self._folder)
        if root is not None:
            formula = next(descendants(root, "annotation"), None)
            if local_name(root) == "math" and formula is not None:
                self._loose(text_of(formula))
            elif local_name(root) == "math":
                self._loose(text_of(root))
            else:
                for body in (one for one in root if local_name(one) in ("body", "math")):
                    self._children(body)
        self._folder = before

    def _inline(self, element: Element) -> str:
        parts = [escape(element.text or "")]
        for child in element:
            parts += [self._inline_child(child), escape(child.tail or "")]
        return "".join(parts)

    def _inline_child(self, child: Element) -> str:
        name = local_name(child)
        if not name:
            self._comment_in_source(child)
            return ""
        if name in _BESIDE or child.tag.startswith(_DRAWN):
            self._behind.append(child)
            return ""
        if name in _NO_TEXT or self._is_counted(child, name):
            return ""
        if name in ("s", "tab", "line-break"):
            return "<br>" if name == "line-break" else " "
        if name == "hidden-text" and attribute(child, "is-hidden") == "true":
            self.left_out[LeftOut.HIDDEN] += bool(attribute(child, "string-value").strip())
            return ""
        text = self._inline(child)
        if script := self._scripts.get(attribute(child, "style-name")):
            return f"<{script}>{text}</{script}>"
        if name == "a":
            address = attribute(child, "href").partition("|")[0]
            return f'<a href="{escape(address)}">{text}</a>'
        return f" ({text})" if name == "ruby-text" and text.strip() else text


def _has_words_or_tail(element: Element) -> bool:
    return has_words(element) or bool((element.tail or "").strip())


def span(cell: Element, name: str) -> int:
    """Return the number of rows or columns that a cell spans or repeats."""
    number = attribute(cell, name)
    return max(int(number), 1) if number.isdecimal() and len(number) < 10 else 1


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

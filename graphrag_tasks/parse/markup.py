"""Read HTML and Markdown.

Markdown is rendered to HTML by marko.

HTML pages lose their boilerplate (`html_walk`), images, form controls and what is hidden; what is left becomes blocks
in one walk (`html_walk`).
"""

from __future__ import annotations

import posixpath
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from html import escape
from typing import Any
from urllib.parse import unquote
from zipfile import ZipFile

from bs4 import BeautifulSoup, Comment, Tag
from marko import Markdown, MarkoExtension
from marko.ext.gfm import GFM
from marko.ext.gfm.elements import Paragraph as GFMParagraph
from marko.ext.gfm.elements import Table
from marko.source import Source

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import Block, ParsedDocument
from graphrag_tasks.parse.html_walk import ELEMENTS, INLINE, HtmlWalk, drop_boilerplate
from graphrag_tasks.parse.metadata import find_title
from graphrag_tasks.parse.package_texts import (
    Element,
    attribute,
    broken,
    descendants,
    encrypted,
    local_name,
    package_of,
    parse_xml,
    text_of,
)
from graphrag_tasks.parse.text import bounded_lines, one_line
from graphrag_tasks.sources.encodings import DecodedText, Guess, decode
from graphrag_tasks.sources.markdown import plain_markdown

_DECLARED_ENCODING = re.compile(rb"(?i)<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)=[\"']?([\w-]+)")
_DROPPED = {
    **dict.fromkeys(("img", "svg", "picture", "canvas"), LeftOut.PICTURE),
    **dict.fromkeys(("video", "audio", "iframe", "object", "noscript"), LeftOut.HIDDEN),
    **dict.fromkeys(("button", "select", "input", "textarea"), LeftOut.BOILERPLATE),
    **dict.fromkeys(("script", "style"), None),
}
"""Elements that hold no text of the page, with the reason. Players and frames hold fallback text for old browsers."""

_ENDED_BY = {name: ended for names, ended in ELEMENTS["start tags and what they end"] for name in names}
"""Open elements that a start tag closes implicitly, unless they are outside one of `_BORDERS`."""

_BORDERS = {"table", "ul", "ol", "menu", "dl", "select", "button", "object", "template"}
_HIDING_STYLE = re.compile(r"display:none|visibility:(?:hidden|collapse)|opacity:0(?:;|\Z)")


def read_html(data: bytes) -> ParsedDocument:
    """Read an HTML page; raises `DocumentError` (code `broken`) if it is binary."""
    return read_page(decoded_page(data))


def decoded_page(data: bytes) -> DecodedText:
    """Decode a page, which may declare its encoding."""
    declared = _DECLARED_ENCODING.search(data, 0, 4096)
    return decode(data, declared[1].decode("ascii") if declared else None)


def read_page(file: DecodedText) -> ParsedDocument:
    """Read a decoded HTML page; raises as `read_html`."""
    html = _ended(file.text)
    soup = _Page(html, "html.parser")
    left_out = _clean(soup)
    dropped = drop_boilerplate(soup)
    if dropped is None:
        soup = _Page(html, "html.parser")
        left_out = _clean(soup)
    left_out.update({**file.left_out, LeftOut.BOILERPLATE: dropped or 0})
    return _read(soup, None, left_out, file.encoding)


def _ended(html: str) -> str:
    """Escape `<` where no tag or comment ends after it.

    Python's parser would search to the end of the file each time.
    """
    end = html.rfind(">") + 1
    html = html[:end] + html[end:].replace("<", "&lt;")
    end = html.rfind("-->") + 1
    return html[:end] + html[end:].replace("<!--", "&lt;!--")


class _Page(BeautifulSoup):
    """A parse tree in which unclosed elements end as in browsers.

    Python's parser nests all that follows in an unclosed element.
    """

    def handle_starttag(self, name: str, *args: Any, **options: Any) -> Tag | None:  # noqa: ANN401
        """Close the elements that this tag closes implicitly, and open the new one."""
        ended = _ENDED_BY.get(name, ())
        if any(map(self.open_tag_counter.__getitem__, ended)):
            self.endData()  # the text before belongs to what is ended
            for tag in reversed(self.tagStack):
                if tag.name in ended:
                    self._popToTag(tag.name)
                if tag.name in _BORDERS or not any(map(self.open_tag_counter.__getitem__, ended)):
                    break
        return super().handle_starttag(name, *args, **options)


def read_markdown(data: bytes) -> ParsedDocument:
    """Read Markdown, including the dialects of GitHub and documentation generators (`dialects`).

    Raises `DocumentError` (code `broken`) if it is binary.
    """
    file = decode(data)
    page = plain_markdown(bounded_lines(file.text.replace("\r\n", "\n"), "*_`[\\~-"))
    html = _markdown().convert(page.text)
    left_out = {**file.left_out, **page.left_out}
    return read_written(html, title=page.title, left_out=left_out, encoding=file.encoding)


class _AsWritten:
    """Leaves link targets as written; marko would percent-encode them."""

    @staticmethod
    def escape_url(raw: str) -> str:
        return escape(raw)


class _Paragraph(GFMParagraph):
    """Ends where a table begins, as on GitHub; marko wants an empty line before the table."""

    override = True

    @classmethod
    def break_paragraph(cls, source: Source, lazy: bool = False) -> bool:
        place = source.pos, source.match
        prefixes = [(state, state._prefix) for state in source._states]
        is_table = "|" in (source.next_line() or "") and Table.match(source)  # type: ignore[no-untyped-call]
        source.pos, source.match = place
        for state, prefix in prefixes:  # a match moves them on to the next line's
            state._prefix = prefix
        return is_table or super().break_paragraph(source, lazy)


@cache
def _markdown() -> Markdown:
    own = MarkoExtension(elements=[_Paragraph], renderer_mixins=[_AsWritten])
    return Markdown(extensions=[GFM, own])


class ElementWriter(ABC):
    """Writes XML elements as HTML, and counts what is left out.

    What stands beside a paragraph or in the way of a table, such as a note, is written behind it.
    """

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()
        self._html: list[str] = []
        self._behind: list[Element] = []
        self._tables = 0

    @abstractmethod
    def _children(self, element: Element) -> None: ...

    @abstractmethod
    def _block(self, element: Element) -> None: ...

    @abstractmethod
    def _rows(self, element: Element) -> None: ...

    def _write_behind(self) -> None:
        while self._behind and not self._tables:
            behind, self._behind = self._behind, []
            for element in behind:
                self._block(element)

    def _list(self, element: Element) -> None:
        self._html.append("<ul>")
        for item in element:
            if local_name(item) in ("list-item", "list-header"):
                self._html.append("<li>")
                self._children(item)
                self._html.append("</li>")
            else:
                self._block(item)
        self._html.append("</ul>")

    def _table(self, element: Element) -> None:
        self._tables += 1
        self._html.append("<table>")
        self._rows(element)
        self._html.append("</table>")
        self._tables -= 1
        self._write_behind()


def read_written(
    html: str, *, title: str | None = None, left_out: Mapping[str, int] | None = None, encoding: Guess | None = None
) -> ParsedDocument:
    """Read HTML that is not a web page, such as another reader's output: no boilerplate is removed.

    `title` is the document's title from its metadata; None takes the HTML's own. Raises as `read_html`.
    """
    soup = _Page(_ended(html), "html.parser")
    counted = _clean(soup)
    counted.update(left_out or {})
    return _read(soup, title, counted, encoding)


def _read(soup: BeautifulSoup, title: str | None, left_out: Counter[str], encoding: Guess | None) -> ParsedDocument:
    named = (tag.get("content") for tag in soup.find_all("meta", attrs={"property": "og:title"}))
    own = [soup.title.get_text() if soup.title else "", *(str(text or "") for text in named)]
    _drop(soup.find_all(_is_hidden), left_out, LeftOut.HIDDEN)
    blocks = HtmlWalk().read(soup)
    found = find_title(own if title is None else [title], blocks)
    return ParsedDocument(blocks, found, left_out=left_out, encoding=encoding)


def _clean(soup: BeautifulSoup) -> Counter[str]:
    comments = soup.find_all(string=lambda string: isinstance(string, Comment))
    left_out = Counter[str]({LeftOut.COMMENT: sum(bool(comment.strip()) for comment in comments)})
    _drop(soup.find_all(list(_DROPPED)), left_out)
    return left_out


def _drop(tags: Iterable[Tag], left_out: Counter[str], reason: LeftOut | None = None) -> None:
    """Remove elements, and count those with words by `reason` or by tag name."""
    for tag in tags:
        if tag.parent is not None:  # as `decomposed`, which searches the whole element
            if (counted_as := reason or _DROPPED[tag.name]) is not None:
                left_out[counted_as] += _has_words(tag)
            tag.decompose()


def _has_words(tag: Tag) -> bool:
    described = (picture.get("alt") for picture in (tag, *tag.find_all("img")))
    return bool(tag.get_text(strip=True)) or any(described)


def _is_hidden(tag: Tag) -> bool:
    if tag.name == "template" or tag.has_attr("hidden"):
        return True
    if tag.name in INLINE:
        return False
    style = "".join(str(tag.get("style") or "").lower().split())
    return tag.get("aria-hidden") == "true" or _HIDING_STYLE.search(style) is not None


# Read EPUB books: chapters in reading order, each read as an HTML page (`markup`).

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
    files = _xml_of(package, _CONTAINER)
    path = next((attribute(descendant, "full-path") for descendant in descendants(files, "rootfile")), "")
    return path, _xml_of(package, path)


def _xml_of(package: ZipFile, path: str) -> Element:
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
    references = descendants(_xml_of(package, _ENCRYPTION), "CipherReference")
    return {unquote(attribute(reference, "URI")) for reference in references}

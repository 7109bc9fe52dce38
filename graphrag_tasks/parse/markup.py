"""Read HTML and Markdown.

Markdown is rendered to HTML by marko: Docling's Markdown backend merges neighbouring paragraphs if
the file holds an HTML block or a comment.

HTML pages lose their boilerplate (`boilerplate`), and are simplified before Docling reads them.
Inline markup is unwrapped, because Docling strips the blank space around it; images and form
controls go; notes in block quotes ("> ### Note") keep their section; list items of several blocks
are split, because Docling joins an item to one text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from html import escape
from importlib import resources
from typing import Any

from bs4 import BeautifulSoup, Comment, Tag
from bs4.element import PageElement, PreformattedString
from marko import Markdown, MarkoExtension
from marko.ext.gfm import GFM
from marko.ext.gfm.elements import Paragraph as GFMParagraph
from marko.ext.gfm.elements import Table
from marko.source import Source

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import ParsedDocument
from graphrag_tasks.parse.boilerplate import drop_boilerplate
from graphrag_tasks.parse.completeness import FileText
from graphrag_tasks.parse.docling_blocks import read_blocks
from graphrag_tasks.parse.docling_convert import convert
from graphrag_tasks.parse.links import Marks, mark_links, without_marks
from graphrag_tasks.parse.metadata import find_title
from graphrag_tasks.parse.text import bounded_lines, raised
from graphrag_tasks.sources.detection import Guess
from graphrag_tasks.sources.encodings import DecodedText, decode
from graphrag_tasks.sources.markdown import plain_markdown

MAX_DEPTH = 400
"""Limit of nested elements; Docling needs half a minute for 5,000 and then fails."""

_DECLARED_ENCODING = re.compile(
    rb"(?i)<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)=[\"']?([\w-]+)"
)
_DROPPED = {
    **dict.fromkeys(("img", "svg", "picture", "canvas"), LeftOut.PICTURE),
    **dict.fromkeys(("video", "audio", "iframe", "object", "noscript"), LeftOut.HIDDEN),
    **dict.fromkeys(("button", "select", "input", "textarea"), LeftOut.BOILERPLATE),
    **dict.fromkeys(("script", "style"), None),
}
"""Elements that hold no text of the page, with the reason. Players and frames hold fallback text
for old browsers."""

_ELEMENTS = json.loads((resources.files(__package__) / "html_elements.json").read_text("utf-8"))
_INLINE: list[str] = _ELEMENTS["inline"]
_UNWRAPPED = frozenset(_INLINE) - {"a"}
_ENDED_BY = {
    name: ended for names, ended in _ELEMENTS["start tags and what they end"] for name in names
}
"""Open elements that a start tag closes implicitly, unless they are outside one of `_BORDERS`."""

_BORDERS = {"table", "ul", "ol", "menu", "dl", "select", "button", "object"}
_HIDING_STYLE = re.compile(r"display:none|visibility:(?:hidden|collapse)|opacity:0(?:;|\Z)")
_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_OWN_BLOCKS = {"pre", "table", "blockquote", "details", "dl", "figure", "div", *_HEADINGS}


def read_html(data: bytes) -> ParsedDocument:
    """Read an HTML page.

    Raises:
        DocumentError: The file is binary or nested too deep (code `broken`).
    """
    return read_page(decoded_page(data))


def decoded_page(data: bytes) -> DecodedText:
    """Decode a page, which may declare its encoding."""
    declared = _DECLARED_ENCODING.search(data, 0, 4096)
    return decode(data, declared[1].decode("ascii") if declared else None)


def read_page(file: DecodedText) -> ParsedDocument:
    """Read a decoded HTML page; raises as `read_html`."""
    html = _ended(without_marks(file.text))
    soup = _page(html)
    left_out = _clean(soup)
    dropped = drop_boilerplate(soup)
    if dropped is None:
        soup = _page(html)
        left_out = _clean(soup)
    left_out.update({**file.left_out, LeftOut.BOILERPLATE: dropped or 0})
    return _read(soup, None, left_out, file.encoding)


def _page(html: str) -> BeautifulSoup:
    """Parse a page, and insert missing end tags if it is nested too deep without them."""
    try:
        return _Page(html)
    except DocumentError:
        return _UnclosedPage(html)


def _ended(html: str) -> str:
    """Escape `<` where no tag or comment ends after it.

    Python's parser would search to the end of the file each time.
    """
    end = html.rfind(">") + 1
    html = html[:end] + html[end:].replace("<", "&lt;")
    end = html.rfind("-->") + 1
    return html[:end] + html[end:].replace("<!--", "&lt;!--")


def _too_deep() -> DocumentError:
    what = f"more than {MAX_DEPTH} elements are nested inside each other"
    return DocumentError("broken", what, hint="Save the page without its layout")


class _Page(BeautifulSoup):
    """A parse tree of limited depth."""

    def __init__(self, html: str) -> None:
        super().__init__(html, "html.parser")

    def pushTag(self, tag: Tag) -> None:
        super().pushTag(tag)
        if len(self.tagStack) - 1 > MAX_DEPTH:  # the first is the page
            raise _too_deep()


class _UnclosedPage(_Page):
    """A parse tree without inline elements, in which unclosed elements end as in browsers.

    Python's parser nests all that follows in an unclosed element, so that a few hundred
    `<p><font><b>` reach the depth limit.
    """

    def handle_starttag(self, name: str, *args: Any, **options: Any) -> Tag | None:  # noqa: ANN401
        """Close the elements that this tag closes implicitly, and open the new one."""
        if name in _UNWRAPPED:
            return None
        self.endData()  # the text before belongs to what is ended
        ended = [one for one in _ENDED_BY.get(name, ()) if self.open_tag_counter[one]]
        for tag in reversed(self.tagStack) if ended else ():
            if tag.name in ended:
                self._popToTag(tag.name)
                break
            if tag.name in _BORDERS:
                break
        return super().handle_starttag(name, *args, **options)

    def handle_endtag(self, name: str, *args: Any, **options: Any) -> None:  # noqa: ANN401
        if name not in _UNWRAPPED:
            super().handle_endtag(name, *args, **options)


def read_markdown(data: bytes) -> ParsedDocument:
    """Read Markdown, including the dialects of GitHub and documentation generators (`dialects`).

    Raises:
        DocumentError: The file is binary or nested too deep (code `broken`).
    """
    file = decode(data)
    page = plain_markdown(bounded_lines(file.text.replace("\r\n", "\n"), "*_`[\\~-"))
    try:
        html = _markdown().convert(page.text)
    except RecursionError as error:
        raise _too_deep() from error
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


def read_written(
    html: str,
    *,
    title: str | None = None,
    left_out: Mapping[str, int] | None = None,
    encoding: Guess | None = None,
) -> ParsedDocument:
    """Read HTML that is not a web page, such as another reader's output: no boilerplate is removed.

    `title` is the document's title from its metadata; None takes the HTML's own. Raises as
    `read_html`.
    """
    soup = _Page(_ended(without_marks(html)))
    counted = _clean(soup)
    counted.update(left_out or {})
    return _read(soup, title, counted, encoding)


def _read(
    soup: BeautifulSoup, title: str | None, left_out: Counter[str], encoding: Guess | None
) -> ParsedDocument:
    titles = list(_titles(soup)) if title is None else [title]
    _drop(soup.find_all(_is_hidden), left_out, LeftOut.HIDDEN)  # Docling would not count them
    marks = _simplify(soup)
    # With a mark that settles the encoding: else it is guessed, and wrong where the text is odd.
    tree = convert(str(soup).encode("utf-8-sig"), "html")
    blocks = read_blocks(tree, marks, _texts(soup))
    found = find_title(titles, blocks)
    return ParsedDocument(blocks, found, left_out=left_out, encoding=encoding)


def _titles(soup: BeautifulSoup) -> Iterator[str]:
    if soup.title is not None:
        yield soup.title.get_text()
    for tag in soup.find_all("meta", attrs={"property": "og:title"}):
        yield str(tag.get("content") or "")


def _clean(soup: BeautifulSoup) -> Counter[str]:
    left_out: Counter[str] = Counter()
    for comment in soup.find_all(string=lambda string: isinstance(string, Comment)):
        left_out[LeftOut.COMMENT] += bool(comment.strip())
        comment.extract()
    _drop(soup.find_all(list(_DROPPED)), left_out)
    return left_out


def _drop(tags: Iterable[Tag], left_out: Counter[str], reason: LeftOut | None = None) -> None:
    """Remove elements, and count those with words by `reason` or by tag name."""
    for tag in tags:
        if not tag.decomposed:
            counted_as = reason or _DROPPED[tag.name]
            if counted_as is not None:
                left_out[counted_as] += _has_words(tag)
            tag.decompose()


def _has_words(tag: Tag) -> bool:
    pictures = [tag, *tag.find_all("img")]
    return bool(
        tag.get_text(strip=True) or any(str(picture.get("alt") or "") for picture in pictures)
    )


def _is_hidden(tag: Tag) -> bool:
    if tag.name == "template" or tag.has_attr("hidden"):
        return True
    if tag.name in _INLINE:
        return False
    style = "".join(str(tag.get("style") or "").lower().split())
    return tag.get("aria-hidden") == "true" or _HIDING_STYLE.search(style) is not None


def _texts(soup: BeautifulSoup) -> Iterator[FileText]:
    soup.smooth()
    for text in (soup.body or soup).find_all(string=True):
        is_title = text.parent is not None and text.parent.name == "title"
        if text.strip() and not isinstance(text, PreformattedString) and not is_title:
            yield FileText([str(text)])


def _simplify(soup: BeautifulSoup) -> Marks:
    """Simplify a page to what Docling reads well, and mark links and ids."""
    for footer in soup.find_all("footer"):
        footer.name = "div"  # Docling leaves footers out, even those of an article
    _mark_scripts(soup)
    marks = mark_links(soup, _INLINE)
    for tag in soup.find_all(_INLINE):
        tag.unwrap()
    for quote in soup.find_all("blockquote"):
        for heading in quote.find_all(_HEADINGS):
            heading.name = "p"
    for cell in soup.find_all(["td", "th"]):
        if cell.parent is not None and cell.parent.name != "tr":
            _give_row(soup, cell)
    for items in reversed(soup.find_all(["ul", "ol"])):
        if any(_holds_blocks(item) for item in items.find_all("li", recursive=False)):
            _take_apart(soup, items)
    return marks


def _mark_scripts(soup: BeautifulSoup) -> None:
    for script in soup.find_all(["sup", "sub"]):
        before = _text_before(script)
        for text in script.find_all(string=True):
            text.replace_with(raised(before, text, lowered=script.name == "sub"))


def _text_before(tag: Tag) -> str:
    while tag.previous_sibling is None and tag.parent is not None and tag.parent.name in _INLINE:
        tag = tag.parent
    return tag.previous_sibling.get_text() if tag.previous_sibling is not None else ""


def _give_row(soup: BeautifulSoup, cell: Tag) -> None:
    """Wrap table cells that are outside a row into a row, as browsers do."""
    row = soup.new_tag("tr")
    cell.insert_before(row)
    after = list(row.next_siblings)
    others = (isinstance(element, Tag) and element.name not in ("td", "th") for element in after)
    row.extend(after[: next((at for at, is_other in enumerate(others) if is_other), len(after))])


def _holds_blocks(item: Tag) -> bool:
    names = [child.name for child in item.find_all(True, recursive=False)]
    return names.count("p") > 1 or not _OWN_BLOCKS.isdisjoint(names)


def _take_apart(soup: BeautifulSoup, items: Tag) -> None:
    """Split list items: the first text goes to a list of its own, the other blocks follow it."""
    for item in items.find_all("li", recursive=False):
        children = list(item.children)
        length = _lead_length(children)
        lead = soup.new_tag("li")
        lead.extend(children[:length])
        wrapper = soup.new_tag("ul")
        wrapper.append(lead)
        items.insert_before(wrapper)
        for child in children[length:]:
            block = child if isinstance(child, Tag) else child.wrap(soup.new_tag("p"))
            items.insert_before(block)
    items.decompose()


def _lead_length(children: list[PageElement]) -> int:
    """Return the number of leading children that are an item's first text."""
    for index, child in enumerate(children):
        if isinstance(child, Tag) and child.name != "br":
            first = not any(str(before).strip() for before in children[:index])
            return index + 1 if first and child.name == "p" else index
    return len(children)

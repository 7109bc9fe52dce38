"""Find the places of links and ids in the blocks.

Docling keeps neither the place of a link in a paragraph nor the ids of HTML elements. Both are put
into the text as marks before Docling reads it, made of Unicode noncharacters, which no interchanged
text may hold (Unicode, section 23.7), and taken out of the blocks afterwards. Links stored apart
from the text are searched for by their text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PreformattedString

from graphrag_tasks.parse.blocks import Block, Link
from graphrag_tasks.parse.text import one_line

_OPEN, _CLOSE, _PLACE = "\ufdd0", "\ufdd1", "\ufdd2"
_FIRST_DIGIT = 0xFDD4
"""The first of sixteen noncharacters used as digits."""
_HEX = "0123456789abcdef"
_DIGITS = str.maketrans({digit: chr(_FIRST_DIGIT + value) for value, digit in enumerate(_HEX)})
_VALUES = str.maketrans({chr(_FIRST_DIGIT + value): digit for value, digit in enumerate(_HEX)})
_MARK = re.compile("([\ufdd0\ufdd2])([\ufdd4-\ufde3]+)|[\ufdd0-\ufdef]")
_NONCHARACTERS = dict.fromkeys(range(0xFDD0, 0xFDF0))
"""Noncharacters, removed from all input text."""
_HEADING = re.compile(r"h[1-6]")
_NO_LINK = re.compile(r"#?\s*\Z|(?:javascript|vbscript|data|about|blob):", re.IGNORECASE)
_CORE = re.compile(r"(\s*)(.*\S)(\s*)", re.DOTALL)


@dataclass
class Marks:
    """Links and ids of a document, by the number in their marks."""

    names: list[str] = field(default_factory=list)

    def link(self, href: str) -> tuple[str, str]:
        """Return the marks before and after the text of a link."""
        return _OPEN + self._number(href), _CLOSE

    def place(self, name: str) -> str:
        """Return the mark before the first text of the element with this id."""
        return _PLACE + self._number(name)

    def _number(self, name: str) -> str:
        self.names.append(name)
        return f"{len(self.names) - 1:x}".translate(_DIGITS)

    def taken_out(self, blocks: Iterable[Block]) -> list[Block]:
        """Return the blocks without marks, with their links and ids.

        A text that Docling repeats, such as a table's header, gets its links only the first time.
        """
        seen: set[int] = set()
        return [self._take_out(block, seen) for block in blocks]

    def _take_out(self, block: Block, seen: set[int]) -> Block:
        text, spans, places = unmark(block.text)
        links = tuple(
            Link(start, end, self.names[number])
            for start, end, number in spans
            if text[start:end].strip() and self._is_new(number, seen)
        )
        anchors = tuple(self.names[number] for number in places if self._is_new(number, seen))
        return replace(block, text=text, links=links, anchors=anchors)

    def _is_new(self, number: int, seen: set[int]) -> bool:
        if number in seen or number >= len(self.names):
            return False
        seen.add(number)
        return True


def without_marks(text: str) -> str:
    """Return a text without marks and other noncharacters."""
    return text.translate(_NONCHARACTERS)


def split_marks(text: str) -> tuple[str, list[tuple[int, str]]]:
    """Return a text without marks, and each mark with its position in that text."""
    found: list[tuple[int, str]] = []
    length = 0
    for mark in _MARK.finditer(text):
        found.append((mark.start() - length, mark[0]))
        length += len(mark[0])
    return without_marks(text), found


def insert_marks(text: str, marks: Iterable[tuple[int, str]]) -> str:
    """Insert marks, given by ascending position; the inverse of `split_marks`."""
    parts: list[str] = []
    done = 0
    for place, mark in marks:
        parts += [text[done:place], mark]
        done = place
    return "".join([*parts, text[done:]])


def unmark(text: str) -> tuple[str, list[tuple[int, int, int]], list[int]]:
    """Return a text without marks, the spans of links with their numbers, and the ids' numbers.

    A link without an end mark ends with the text.
    """
    clean, marks = split_marks(text)
    links: list[tuple[int, int, int]] = []
    places: list[int] = []
    opened: list[tuple[int, int]] = []
    for at, mark in marks:
        number = int(mark[1:].translate(_VALUES), 16) if mark[1:] else -1
        if mark[1:] and mark[0] == _OPEN:
            opened.append((at, number))
        elif mark[1:]:
            places.append(number)
        elif mark == _CLOSE and opened:
            start, number = opened.pop()
            links.append((start, at, number))
    links += [(start, len(clean), number) for start, number in opened]
    return clean, sorted(links), places


def mark_links(soup: BeautifulSoup, inline: Collection[str]) -> Marks:
    """Put marks around the text of every link, and before the first text of every id.

    A link without text, such as an image, is left out. The mark of a link around block elements
    goes to the first text inside it.
    """
    marks = Marks()
    before: dict[int, str] = defaultdict(str)
    after: dict[int, str] = defaultdict(str)
    texts: dict[int, NavigableString] = {}
    for name, text in _ids_with_texts(soup):
        before[id(text)] += marks.place(name)
        texts[id(text)] = text
    for link in soup.find_all("a", href=True):
        href = str(link["href"]).strip()
        inner = [text for text in link.find_all(string=True) if _is_shown(text)]
        if not inner or _NO_LINK.match(href):
            continue
        holds_blocks = any(tag.name not in inline and tag.name != "br" for tag in link.find_all())
        first, last = inner[0], inner[0 if holds_blocks else -1]
        opening, closing = marks.link(href)
        before[id(first)] += opening
        after[id(last)] = closing + after[id(last)]
        texts |= {id(first): first, id(last): last}
    for key, text in texts.items():
        if core := _CORE.fullmatch(text):
            space, words, end = core.groups()
            text.replace_with(NavigableString(space + before[key] + words + after[key] + end))
    return marks


def _ids_with_texts(soup: BeautifulSoup) -> Iterator[tuple[str, NavigableString]]:
    """Yield every id with the text at its place.

    That is the first text in the element or, if it has none, the next text; an empty element in a
    heading, such as `<a name>`, stands for the heading.
    """
    pending: list[str] = []
    last: NavigableString | None = None
    for item in soup.descendants:
        if isinstance(item, Tag):
            names = _ids(item)
            if not names:
                continue
            heading = item.find_parent(_HEADING)
            is_empty = not any(map(_is_shown, item.find_all(string=True)))
            if heading is not None and is_empty and last is not None and heading in last.parents:
                yield from ((name, last) for name in names)
            else:
                pending += names
        elif isinstance(item, NavigableString) and _is_shown(item):
            last = item
            yield from ((name, item) for name in pending)
            pending = []


def _ids(tag: Tag) -> list[str]:
    names = [tag.get("id"), tag.get("name") if tag.name == "a" else None]
    return list(dict.fromkeys(str(name) for name in names if name))


def _is_shown(text: NavigableString) -> bool:
    return not isinstance(text, PreformattedString) and bool(text.strip())


class FoundLink(NamedTuple):
    """A link of a page, or of a document without pages: text and target."""

    page: int | None
    text: str
    href: str


def with_links(blocks: Sequence[Block], found: Iterable[FoundLink]) -> list[Block]:
    """Return the blocks with the links whose texts are found on their pages.

    Each link takes the first free occurrence of its text. A link whose text is not found, such as
    one broken at a line end, is left out.
    """
    on_page: dict[int | None, list[int]] = defaultdict(list)
    for number, block in enumerate(blocks):
        on_page[block.page].append(number)
    links = [list(block.links) for block in blocks]
    for link in found:
        text = one_line(link.text)
        for number in on_page[link.page] if text else ():
            if span := _free(blocks[number].text, text, links[number]):
                links[number].append(Link(*span, link.href))
                break
    return [
        replace(block, links=tuple(sorted(own))) for block, own in zip(blocks, links, strict=True)
    ]


def _free(text: str, wanted: str, taken: Sequence[Link]) -> tuple[int, int] | None:
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not any(link.start < end and start < link.end for link in taken):
            return start, end
        start = text.find(wanted, end)
    return None

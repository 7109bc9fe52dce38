"""Walk an HTML tree once, from its start to its end, to blocks, without menus and other boilerplate.

All text between two borders of blocks is one block. As in browsers, inline elements add no blank space; elements that
HTML does not know, such as MathML's, stand apart. Of an item, a definition and a caption only the first text is one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import resources
from itertools import chain, islice

from bs4 import BeautifulSoup, Tag
from bs4.element import PageElement, PreformattedString

from graphrag_tasks.parse.blocks import Block
from graphrag_tasks.parse.completeness import NO_LINK
from graphrag_tasks.parse.tables import Cell, lay_out_table, with_headers
from graphrag_tasks.parse.text import clean_text, one_line, raised

ELEMENTS = json.loads((resources.files(__package__) / "html_elements.json").read_text("utf-8"))
INLINE = frozenset(ELEMENTS["inline"])
_BLOCKS = frozenset(ELEMENTS["block"])
_LEVELS = {f"h{level}": level - 1 or None for level in range(1, 7)}
_KINDS = {
    **dict.fromkeys(_LEVELS, "heading"),
    **dict.fromkeys(("li", "dt", "dd"), "list_item"),
    **dict.fromkeys(("caption", "figcaption"), "caption"),
    **dict.fromkeys(("pre", "listing", "xmp"), "code"),
    "h1": "title",
}
_MAX_COLUMNS = 1000  # of a cell, in HTML's table model
_MOST_IN_CELL = 2  # blocks in a cell of values that holds a heading; chosen
_MOST_TERMS = 8  # that each get their common definition; chosen

Element = Iterator[None]  # what an element does at its start and, behind the `yield`, at its end


@dataclass
class _Cell:
    is_header: bool
    down: int
    across: int
    blocks: list[Block] = field(default_factory=list)


@dataclass
class _Table:
    rows: list[list[_Cell]] = field(default_factory=list)
    in_row: bool = False

    def lays_out(self) -> bool:
        """Tell whether the table arranges the parts of a page, and relates no values."""
        rows = [[cell for cell in row if cell.blocks] for row in self.rows]
        cells = list(chain.from_iterable(rows))
        if any(cell.is_header for cell in cells):
            return False
        if sum(map(bool, rows)) == 1 or all(len(row) < 2 for row in rows):
            return any(len(cell.blocks) > 1 or cell.blocks[0].kind == "code" for cell in cells)
        return any(
            len(cell.blocks) > _MOST_IN_CELL and any(block.kind in ("title", "heading") for block in cell.blocks)
            for cell in cells
        )

    def cells(self, flat: dict[int, str]) -> Iterator[Cell]:
        """Yield the cells with their texts and places; takes the texts of tables from `flat`.

        A row whose cells all reach below is one line with the next row.
        """
        lines: list[list[_Cell]] = []
        line_of: list[int] = []
        for row in self.rows:
            if not lines or any(cell.down == 1 for cell in lines[-1]):
                lines.append([])
            lines[-1] += row
            line_of.append(len(lines) - 1)
        line_of.append(len(lines))
        places: list[tuple[int, int, int, _Cell]] = []
        free_from: dict[int, int] = {}  # the first line that the cells above leave free, by column
        for number, row in enumerate(self.rows):
            column, line = 0, line_of[number]
            for cell in row:
                while free_from.get(column, 0) > line:
                    column += 1
                height = max(1, line_of[min(number + cell.down, len(self.rows))] - line)
                places.append((line, column, height, cell))
                column += cell.across
                if cell.down > 1:
                    free_from |= dict.fromkeys(range(column - cell.across, column), line + height)
        columns = max((column for _, column, _, _ in places), default=0) + 1
        for line, column, height, cell in places:
            text = one_line(" ".join(flat.pop(id(one), one.text) for one in cell.blocks))
            width = min(cell.across, columns - column)
            is_top = all(other.is_header for other in lines[line])
            of_row = cell.is_header and not is_top
            yield Cell(line, column, text, height, width, cell.is_header and is_top, of_row)


class HtmlWalk:
    """A walk over a tree of any depth."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._terms: list[Block] = []
        self._table: _Table | None = None  # whose rows are being read, outside its cells
        self._flat: dict[int, str] = {}  # texts of tables without repetitions, by the block's `id`
        self._tag = "p"  # that gives the text its kind
        self._quotes = 0
        self._parts: list[str] = []
        self._last = ""  # character of the block's text; a space is written before the next word
        self._links = 0  # that are open
        self._has_link = False
        self._script: tuple[str, bool] | None = None  # what a raised or lowered text follows

    def read(self, soup: BeautifulSoup) -> list[Block]:
        """Return the blocks of a tree."""
        pending: list[PageElement | Element] = [soup]
        while pending:
            item = pending.pop()
            if isinstance(item, Tag):
                element = self._element(item)
                next(element, None)
                pending += [element, *reversed(item.contents if item.name != "title" else ())]
            elif not isinstance(item, PageElement):
                next(item, None)
            elif not isinstance(item, PreformattedString):
                self._read_text(str(item))
        self._flush()
        return self._blocks

    def _element(self, tag: Tag) -> Element:
        if tag.name in INLINE or ":" in tag.name:  # XBRL and Word put their own around words
            return self._inline(tag)
        if tag.name == "br" or _KINDS.get(self._tag) == "code":
            return self._line(tag)
        if tag.name not in _BLOCKS or (self._tag in _LEVELS and tag.name not in _KINDS):
            return self._apart()
        self._flush()
        if tag.name == "table":
            return self._read_table()
        if self._table is not None:
            if tag.name in ("tr", "thead", "tbody", "tfoot"):
                return self._rows(self._table, tag)
            if tag.name in ("td", "th"):
                return self._cell(self._table, tag)
        return self._block(tag)

    def _inline(self, tag: Tag) -> Element:
        href, outer = str(tag.get("href") or "").strip(), self._script
        is_link = tag.name == "a" and not NO_LINK.match(href)
        if tag.name in ("sup", "sub"):
            self._script = self._last, tag.name == "sub"
        self._links += is_link
        yield
        self._links -= is_link
        self._script = outer

    def _line(self, tag: Tag) -> Element:
        for _ in range(1 if tag.name == "br" else 2):  # blocks end lines of code at both ends
            if self._parts and (tag.name == "br" or not self._parts[-1].endswith("\n")):
                self._parts.append("\n")
                self._last = "\n"
            yield

    def _apart(self) -> Element:
        self._last = self._last and " "
        yield
        self._last = self._last and " "

    def _block(self, tag: Tag) -> Element:
        outer = self._tag
        self._quotes += tag.name == "blockquote"
        if tag.name in _KINDS:  # a heading in a quotation is a note's, which keeps its section
            self._tag = "p" if tag.name in _LEVELS and self._quotes else tag.name
        yield
        self._flush()
        self._quotes -= tag.name == "blockquote"
        if tag.name in _KINDS:
            self._tag = outer
        last = [block.kind for block in self._blocks[-2:]] if tag.name == "figcaption" else []
        above = tag.find_previous_sibling()
        if last == ["table", "caption"] and above is not None and above.name == "table":
            self._blocks[-2:] = reversed(self._blocks[-2:])  # a caption leads its table

    def _read_table(self) -> Element:
        outer, table = self._table, _Table()
        self._table = table
        yield
        self._flush()
        self._table = outer
        if table.lays_out():
            self._blocks += (one for row in table.rows for cell in row for one in cell.blocks)
            return
        cells = with_headers(table.cells(self._flat))
        text = " ".join(cell.text for cell in cells)
        if len(cells) > 1:
            written, laid_out = lay_out_table(cells)
            self._blocks.append(Block("table", written, table=laid_out))
            self._flat[id(self._blocks[-1])] = text
        elif text:
            self._blocks.append(Block("paragraph", text))

    def _rows(self, table: _Table, tag: Tag) -> Element:
        table.in_row = tag.name == "tr"
        if table.in_row:
            table.rows.append([])
        yield
        self._flush()
        table.in_row = False

    def _cell(self, table: _Table, tag: Tag) -> Element:
        if not table.in_row:
            table.rows.append([])  # as browsers do
        in_head = any(above.name == "thead" for above in islice(tag.parents, 2))
        across = min(_span(tag, "colspan"), _MAX_COLUMNS)
        cell = _Cell(tag.name == "th" or in_head, _span(tag, "rowspan"), across)
        table.rows[-1].append(cell)
        table.in_row = True
        outer = self._blocks, self._tag
        self._blocks, self._tag, self._table = cell.blocks, "p", None
        yield
        self._flush()
        self._blocks, self._tag = outer
        self._table = table

    def _read_text(self, text: str) -> None:
        if self._script is not None:
            text = raised(self._script[0], text, lowered=self._script[1])
        words = text.lstrip()
        space = text[: len(text) - len(words)]
        if _KINDS.get(self._tag) != "code":
            is_apart = (space or self._last == " ") and self._last not in ("", "\n")
            space, words = " " if is_apart else "", " ".join(words.split())
        elif not words:
            self._parts.append(space)
        if words:
            self._parts += [space, words]
            self._has_link |= self._links > 0
        self._last = " " if words and text[-1].isspace() else words[-1:] or space or self._last

    def _flush(self) -> None:
        """End the block that is being read."""
        text, has_link = clean_text("".join(self._parts)), self._has_link
        self._parts, self._last, self._has_link = [], "", False
        if self._tag in _LEVELS:
            text = one_line(text)
        elif _KINDS.get(self._tag) != "code":
            text = "\n".join(" ".join(line.split()) for line in text.strip().split("\n"))
        if text:
            kind = _KINDS.get(self._tag, "paragraph")
            self._add(Block(kind, text, _LEVELS.get(self._tag), has_link=has_link))
            if self._tag in ("li", "dd", "caption", "figcaption"):
                self._tag = "p"  # only its first text is one

    def _add(self, block: Block) -> None:
        follows = bool(self._terms and self._blocks and self._blocks[-1] is self._terms[-1])
        if self._tag == "dt":
            self._terms = [*(self._terms if follows else ()), block]
        elif self._tag == "dd" and follows and 1 < len(self._terms) <= _MOST_TERMS:
            *others, last = self._terms  # each leads the definition
            self._blocks[-len(self._terms) :] = [*chain(*((one, block) for one in others)), last]
        self._blocks.append(block)


def _span(tag: Tag, name: str) -> int:
    text = str(tag.get(name) or "")
    return max(1, int(text)) if text.isdecimal() and len(text) < 6 else 1


# Remove menus, banners, footers and other boilerplate from an HTML page.

_CONTENT = ["main", "article"]
_NAVIGATION_ROLES = (*("navigation", "search", "menu", "menubar", "toolbar", "dialog", "alertdialog"),)
_PARTS = ["section", "blockquote", "figure", "details"]
"""Elements whose header or footer belongs to them, not to the page."""

_FRAME = ["header", "footer", "aside"]
_FRAME_ROLES = {"banner", "contentinfo", "complementary"}
_MAX_SHARE = 0.5  # of a page's words outside links that may be left out at once
_MOSTLY_LINKS = 0.5  # share of an element's words that are links
_MANY_WORDS = 60  # a banner has fewer
_MOST_KEPT = 50  # elements around content; more are not looked at, as each is read as a whole

_NAMES = {
    kind: re.compile("|".join(patterns))
    for kind, patterns in json.loads((resources.files(__package__) / "boilerplate.json").read_text("utf-8")).items()
}
"""`anywhere`: names of boilerplate at any place, if it is short or mostly links; `outside`: names of page frames, if
they are not inside the content."""

_SOFTWARE_IDS = re.compile(r"mw-|onetrust-|__")
_SEPARATORS = re.compile(r"[-_]+")
_SKIPS = re.compile(r"(?:skip|jump) (?:to|over)\b", re.IGNORECASE)
_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_NEVER_NAMED = {"html", "body", "tr", "td", "th", "pre", "code", *_HEADINGS}
_PERMALINKS, _EDITS = {"¶", "#", "§", "🔗", "\uf0c1"}, {"edit", "[edit]"}


def drop_boilerplate(soup: BeautifulSoup) -> int | None:
    """Remove boilerplate from a page, and return the number of removed elements with words.

    None means that no words would be left, so the page has to be read as it was.
    """
    for link in soup.find_all("a"):
        if _is_permalink(link):
            link.decompose()
    for tag in soup.find_all(hidden=True):  # tabs behind the first are content as that one is
        if _role(tag) == "tabpanel" or any("tab" in name for name in _classes(tag)):
            del tag["hidden"]
    words = _words_outside_links(soup.body or soup)
    titles = [one for one in soup.find_all("h1") if one.get_text(strip=True)]
    title = titles[0] if len(titles) == 1 else None
    dropped = kept = 0
    for tag in soup.find_all(True):
        if tag.parent is None or not (_is_navigation(tag) or _is_frame(tag) or _is_named(tag)):
            continue
        if _holds_content(tag, words):
            kept += 1
            if kept > _MOST_KEPT:
                break
        else:
            if title is not None and title is not tag and tag in title.parents:
                tag.insert_before(title.extract())
            dropped += bool(tag.get_text(strip=True))
            tag.decompose()
    return dropped if _has_words(soup) else None


def _is_permalink(link: Tag) -> bool:
    """Tell whether a link is a permalink sign beside a heading or name."""
    text = link.get_text(strip=True)
    if text in _PERMALINKS and str(link.get("href") or "#").startswith("#"):
        return True
    return "headerlink" in _classes(link) or (text in _PERMALINKS | _EDITS and link.find_parent(_HEADINGS) is not None)


def _has_words(soup: BeautifulSoup) -> bool:
    if soup.title is not None and soup.body is None:  # a page without a body has its title in it
        return soup.get_text(" ", strip=True) != soup.title.get_text(" ", strip=True)
    return bool((soup.body or soup).get_text(" ", strip=True))


def _holds_content(tag: Tag, words_of_page: int) -> bool:
    if tag.name in _CONTENT or tag.find(_is_content):
        return True
    words = _words_outside_links(tag)
    return words > _MAX_SHARE * words_of_page or (not words and not words_of_page)


def _is_navigation(tag: Tag) -> bool:
    if tag.name in ("nav", "search") or _role(tag) in _NAVIGATION_ROLES:
        return True
    return tag.name == "a" and _SKIPS.match(tag.get_text(" ", strip=True)) is not None


def _is_frame(tag: Tag) -> bool:
    if tag.name not in _FRAME and _role(tag) not in _FRAME_ROLES:
        return False
    if tag.name in ("header", "footer") and tag.find_parent(_PARTS) is not None:
        return False
    if tag.name == "aside" and any(map(_NAMES["admonitions"].search, _classes(tag))):
        return False
    return not _inside_content(tag) or (tag.name == "aside" and _is_mostly_links(tag))


def _is_named(tag: Tag) -> bool:
    if tag.name in _NEVER_NAMED:
        return False
    names = list(_names(tag))
    is_table = tag.name == "table"
    if any(map(_NAMES["anywhere"].fullmatch, names)):
        is_short = len(tag.get_text(" ").split()) <= _MANY_WORDS
        return (is_short and not is_table) or _is_mostly_links(tag)
    if any(map(_NAMES["link lists"].fullmatch, names)):
        return _is_mostly_links(tag)
    is_outside = any(map(_NAMES["outside"].fullmatch, names)) and not is_table
    return is_outside and not _inside_content(tag)


def _names(tag: Tag) -> Iterator[str]:
    """Yield an element's classes, and its id unless it is a section, in lower case."""
    for name in _classes(tag):
        yield _SEPARATORS.sub("-", name.lower())
    own = str(tag.get("id") or "")
    is_section = tag.name == "section" or tag.find(_HEADINGS, recursive=False) is not None
    if own and (_SOFTWARE_IDS.match(own) or not is_section):
        yield _SEPARATORS.sub("-", own.lower())


def _classes(tag: Tag) -> list[str]:
    return [str(name) for name in tag.get_attribute_list("class") if name]


def _role(tag: Tag) -> str:
    return str(tag.get("role") or "").lower()


def _is_content(tag: Tag) -> bool:
    return tag.name in _CONTENT or _role(tag) in _CONTENT


def _inside_content(tag: Tag) -> bool:
    return any(map(_is_content, tag.parents))


def _is_mostly_links(tag: Tag) -> bool:
    words = _words(tag)
    return words > 0 and 1 - _words_outside_links(tag) / words >= _MOSTLY_LINKS


def _words_outside_links(tag: Tag) -> int:
    return max(0, _words(tag) - sum(map(_words, tag.find_all("a"))))


def _words(tag: Tag) -> int:
    """Count words; brackets and bars around links are none."""
    return sum(any(map(str.isalnum, word)) for word in tag.get_text(" ").split())

"""Read AsciiDoc by converting it to HTML, line by line.

Unknown markup is read as a paragraph. Nested lists become flat lists, as blocks keep no list depth. Included files are
not read.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape, unescape
from itertools import takewhile
from typing import Protocol

from bs4 import BeautifulSoup

from graphrag_tasks.core.errors import DocumentError
from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import ParsedDocument
from graphrag_tasks.parse.markup import read_written
from graphrag_tasks.parse.text import clean_text
from graphrag_tasks.sources.encodings import decode

_BRACKETS = r"\[((?:[^\]\\]|\\.){0,5000})\]"
_ATTRIBUTE = re.compile(r"\{([\w-]+)\}")
_MACRO = re.compile(
    r"(?P<name>footnote|footnoteref|link|mailto|xref|image|icon|kbd|btn|menu|indexterm2?|anchor|pass"
    rf"|stem|latexmath|asciimath):(?P<target>[^\s\[\]]{{0,2000}}){_BRACKETS}"
    rf"|(?P<address>(?:https?|ftp|irc)://[^\s\[\]<>]+){_BRACKETS}"
    r"|<<(?P<to>[^,<>]{1,500})(?:,(?P<shown>[^<>]{0,2000}))?>>"
    r"|\[\[(?P<id>[^\],]{1,300})(?:,[^\]]{0,300})?\]\]"
    r"|\(\(\((?P<index>[^()]{1,500})\)\)\)|\(\((?P<term>[^()]{1,500})\)\)"
)
_PAIRS = re.compile(r"(\*\*|__|``|##|\+\+\+|\+\+)(?=\S)(.{1,20000}?)\1", re.DOTALL)
_SINGLE = re.compile(r"(?<![\w*_`#+])([*_`#+])(?=\S)([^\n]{1,2000}?)(?<=\S)\1(?![\w*_`#+])")
_SCRIPT = re.compile(r"\^([^\s^]{1,200})\^|~([^\s~]{1,200})~")
_ROLE = re.compile(r"\[[.#%][\w.#%-]+\](?=[#*_`])")
_BREAK = re.compile(r" \+(?=\n|\Z)")


class Inline:
    """Converts inline text to HTML, using the attributes that the page has set so far."""

    def __init__(self, left_out: Counter[str]) -> None:
        self.attributes: dict[str, str] = {}
        self.used: set[str] = set()
        self._left_out = left_out

    def write(self, text: str) -> str:
        """Return text as HTML."""
        text = _ATTRIBUTE.sub(self._value, text)
        parts: list[str] = []
        start = 0
        for found in _MACRO.finditer(text):
            parts += [_plain(text[start : found.start()]), self._macro(found)]
            start = found.end()
        return "".join([*parts, _plain(text[start:])])

    def _value(self, reference: re.Match[str]) -> str:
        self.used.add(reference[1])
        return self.attributes.get(reference[1], reference[0])

    def _macro(self, found: re.Match[str]) -> str:
        if found["address"]:
            return _link(found["address"], found[5])
        if found["to"]:
            return _link(f"#{found['to']}", found["shown"] or found["to"])
        if found["id"]:
            return ""
        if found["index"]:
            self._left_out[LeftOut.HIDDEN] += 1
            return ""
        if found["term"]:
            return self.write(found["term"])
        return self._named(found["name"], found["target"], found[3].replace("\\]", "]"))

    def _named(self, name: str, target: str, text: str) -> str:
        if name in ("link", "mailto", "xref"):
            address = {"mailto": f"mailto:{target}", "xref": target if "." in target else f"#{target}"}
            return _link(address.get(name, target), text or target)
        if name in ("image", "icon"):
            self._left_out[LeftOut.PICTURE] += bool(text.strip())
            return ""
        if name == "anchor":
            return ""
        if name == "indexterm":
            self._left_out[LeftOut.HIDDEN] += 1
            return ""
        if name.startswith("footnote"):
            return f" ({self.write(text)})" if text else ""
        return self.write(" ".join(filter(None, (target, text)))) if name == "menu" else _plain(text)


def _link(address: str, text: str) -> str:
    shown = _plain(text.rstrip("^")) or escape(address)
    return f'<a href="{escape(address)}">{shown}</a>'


def _plain(text: str) -> str:
    text = _SINGLE.sub(r"\2", _PAIRS.sub(r"\2", _ROLE.sub("", text)))
    text = _SCRIPT.sub(_script, escape(unescape(text)))
    return _BREAK.sub("<br>", text)


def _script(found: re.Match[str]) -> str:
    return f"<sup>{found[1]}</sup>" if found[1] else f"<sub>{found[2]}</sub>"


def option(attributes: Mapping[str, str], name: str) -> bool:
    """Tell whether a block has an option, in any of AsciiDoc's notations."""
    options = f"{attributes.get('options', '')},{attributes.get('opts', '')}".split(",")
    return name in options or f"%{name}" in attributes.get("1", "")


# Convert AsciiDoc tables to HTML.

_CELL = re.compile(
    r"(?:(?<=\s)|(?<=\A))(?:(\d*)(?:\.(\d+))?([+*]))?[<^>.]*([adehlmsv]?)\|"
    r"|(?<![\\\s])()()()()\|"
)
_REPEATED = re.compile(r"(\d+)\*")
_MAX_SPAN = 100  # Limit of column spans, row spans and column repeats: protects against hostile numbers. Chosen.
_Cell = tuple[int, int, str, str]  # Column span, row span, style letter, and text.


class Writer(Protocol):
    """Writes table cells."""

    def cell(self, text: str, style: str) -> str:
        """Return the HTML of a cell; `style` is the letter of its AsciiDoc style."""


def table_html(lines: Sequence[str], kind: str, attributes: Mapping[str, str], writer: Writer) -> str:
    """Return the HTML of a table; `kind` is the first character of its delimiter line."""
    if kind in ",:" or attributes.get("format") in ("csv", "dsv", "tsv"):
        delimiter = {":": ":", "tsv": "\t"}.get(kind, attributes.get("separator", ","))
        rows = [[(1, 1, "", text) for text in row] for row in csv.reader(lines, delimiter=delimiter)]
        rows = [row for row in rows if row]
    else:
        mark = attributes.get("separator", kind)
        text = "\n".join(lines).replace(mark, "|") if mark != "|" else "\n".join(lines)
        rows = _rows(text, attributes)
    first = list(takewhile(str.strip, lines))
    is_blank_below = bool(lines) and len(first) == 1 < len(lines)
    has_header = option(attributes, "header") or (is_blank_below and not option(attributes, "noheader"))
    html = []
    for number, row in enumerate(rows):
        tag = "th" if has_header and number == 0 else "td"
        cells = (
            f'<{tag} colspan="{columns}" rowspan="{rows_down}">{writer.cell(text, style)}</{tag}>'
            for columns, rows_down, style, text in row
        )
        html.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(html)}</table>"


def _rows(text: str, attributes: Mapping[str, str]) -> list[list[_Cell]]:
    marks = list(_CELL.finditer(text))
    before = text[: marks[0].start()] if marks else text
    cells: list[_Cell] = [(1, 1, "", before)] if before.strip() else []
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=True):
        inner = text[mark.end() : end].strip().replace("\\|", "|")
        columns, down = (min(int(group or 1), _MAX_SPAN) or 1 for group in mark.groups()[:2])
        if mark[3] == "*":
            cells += [(1, 1, mark[4], inner)] * columns
        else:
            cells.append((columns, down, mark[4], inner))
    width = _width(attributes.get("cols", "")) or _in_first_line(text, marks)
    rows: list[list[_Cell]] = [[]]
    taken: dict[int, int] = {}  # by row, the places that cells above reach into
    for cell in cells:
        full = taken.get(len(rows) - 1, 0) + sum(one[0] for one in rows[-1])
        if full >= width:
            rows.append([])
        for row in range(len(rows), len(rows) - 1 + cell[1]):
            taken[row] = taken.get(row, 0) + cell[0]
        rows[-1].append(cell)
    return rows


def _width(columns: str) -> int:
    repeated = sum(min(int(one), _MAX_SPAN) for one in _REPEATED.findall(columns))
    others = [one for one in columns.split(",") if one.strip() and not _REPEATED.search(one)]
    return repeated + len(others)


def _in_first_line(text: str, marks: Sequence[re.Match[str]]) -> int:
    if not marks:
        return 1
    end = text.find("\n", marks[0].start())
    end = len(text) if end < 0 else end
    own = (mark for mark in marks if mark.start() < end)
    return sum(min(int(mark[1] or 1), _MAX_SPAN) or 1 for mark in own)


_MAX_DEPTH = 50  # Limit of nested blocks, far above real pages: protects the stack against hostile files.
_TITLE = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_ENTRY = re.compile(r":(!?[\w][\w-]*!?):(?:[ \t]+(.*))?\Z")
_ATTRIBUTES = re.compile(r"\[(|[\w.#%\"',*^<>{=].*)\]\s*\Z")
_ID = re.compile(r"\[\[([^\],]+)(?:,.*)?\]\]\s*\Z")
_BLOCK_TITLE = re.compile(r"\.(?=[^\s.])(.+)")
_DELIMITER = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|`{3,}\S*|[|,:!]={3,})\s*\Z")
_BLOCK_MACRO = re.compile(r"([a-z]\w*)::(\S*?)\[(.*)\]\s*\Z")
_ITEM = re.compile(r"[ \t]*(?:[*-]|\*{2,5}|\.{1,5}|\d+\.|[a-zA-Z]\.|<[\d.]+>)[ \t]+(\S.*)")
_TERM = re.compile(r"[ \t]*(\S.*?)(?:::{1,3}|;;)(?:[ \t]+(.*)|\Z)")
_CHECK = re.compile(r"\[[ x*]\] ")
_WORDS = re.compile(r"[^,=\"'%]*\s[^,=\"'%]*")  # a remark in brackets, no attributes
_FENCE = re.compile(r"`+")
_PAIR = re.compile(r"\s*(?:([\w-]+)\s*=\s*)?(?:\"([^\"]*)\"|'([^']*)'|([^,]*))\s*(?:,|\Z)")
_CONDITIONS = ("ifdef", "ifndef", "ifeval", "endif")
_VERBATIM = ("-", ".", "`")
_QUOTED = ("quote", "verse")
_FORMULAS = ("stem", "latexmath", "asciimath")


def read_adoc(data: bytes) -> ParsedDocument:
    """Read an AsciiDoc page."""
    file = decode(data)
    left_out: Counter[str] = Counter(file.left_out)
    page = _Page(left_out)
    html = page.write(clean_text(file.text).split("\n"))
    left_out[LeftOut.HIDDEN] += page.unused_texts()
    return read_written(html, left_out=left_out, encoding=file.encoding)


class _Page:
    def __init__(self, left_out: Counter[str]) -> None:
        self._left_out = left_out
        self._inline = Inline(left_out)
        self._html: list[str] = []
        self._own: dict[str, str] = {}  # attributes of the block that comes next
        self._depth = 0

    def write(self, lines: Sequence[str]) -> str:
        before, self._html = self._html, []
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            what = f"more than {_MAX_DEPTH} blocks are nested inside each other"
            raise DocumentError("broken", what, hint="Save the page without its layout")
        at = 0
        while at < len(lines):
            at = self._block(lines, at)
        self._depth -= 1
        html, self._html = "\n".join(self._html), before
        return html

    def unused_texts(self) -> int:
        attributes = self._inline.attributes.items()
        return sum(" " in text and name not in self._inline.used for name, text in attributes)

    def cell(self, text: str, style: str) -> str:
        if style == "a":
            return self.write(text.split("\n"))
        parts = filter(str.strip, re.split(r"\n\s*\n", text))
        return "".join(f"<p>{self._inline.write(part)}</p>" for part in parts)

    def _block(self, lines: Sequence[str], at: int) -> int:
        """Write the block that begins at this line, and return the number of the line after it."""
        line = lines[at].rstrip()
        if not line or line in ("+", "'''", "<<<"):
            return at + 1
        if found := _DELIMITER.match(line):
            return self._delimited(lines, at, found[1])
        if self._is_mark(line):
            return at + 1
        if found := _ITEM.match(line):
            return self._item(lines, at, found[1])
        found = _TERM.match(line)
        if found and not line.startswith(("http", "link:")):
            self._html.append(f"<dt>{self._inline.write(found[1])}</dt>")
            if found[2]:
                return self._item(lines, at, found[2], "dd")
            following = lines[at + 1].strip() if at + 1 < len(lines) else ""
            return at + 1 if self._begins(following) else self._item(lines, at + 1, following, "dd")
        return self._paragraph(lines, at)

    def _is_mark(self, line: str) -> bool:
        """Write a line that is a block or a setting of its own; return false for other lines."""
        if line.startswith("//"):
            self._left_out[LeftOut.COMMENT] += bool(line.strip("/ "))
        elif found := _ENTRY.match(line):
            self._inline.attributes[found[1].strip("!")] = found[2] or ""
        elif found := _TITLE.match(line):
            level = len(found[1])
            self._html.append(f"<h{level}>{self._inline.write(found[2])}</h{level}>")
            self._own = {}
        elif _ID.match(line):
            pass  # it names a place
        elif (found := _ATTRIBUTES.match(line)) and not _WORDS.fullmatch(found[1]):
            self._own |= attributes_of(found[1])
            if title := self._own.pop("title", ""):
                self._html.append(f"<p>{self._inline.write(title)}</p>")
        elif found := _BLOCK_TITLE.match(line):
            self._html.append(f"<p>{self._inline.write(found[1])}</p>")
        elif found := _BLOCK_MACRO.match(line):
            self._macro(found[1], found[3])
        else:
            return False
        return True

    def _macro(self, name: str, text: str) -> None:
        attributes = attributes_of(text)
        if name in _CONDITIONS:  # both sides are read: who reads the page may see either
            shown = text if name in ("ifdef", "ifndef") else ""
        else:
            shown = attributes.get("title", "")
            is_described = bool(attributes.get("1", "") or attributes.get("alt", ""))
            if name == "image":
                self._left_out[LeftOut.PICTURE] += is_described
            else:
                reason = LeftOut.INCLUDE if name == "include" else LeftOut.DIRECTIVE
                self._left_out[reason] += 1
        if shown:
            self._html.append(f"<p>{self._inline.write(shown)}</p>")

    def _item(self, lines: Sequence[str], at: int, first: str, tag: str = "li") -> int:
        end = self._end(lines, at)
        text = "\n".join([_CHECK.sub("", first, count=1), *lines[at + 1 : end]])
        self._html.append(f"<{tag}>{self._inline.write(text)}</{tag}>")
        return end

    def _end(self, lines: Sequence[str], at: int) -> int:
        end = at + 1
        while end < len(lines) and not self._begins(lines[end].rstrip()):
            end += 1
        return end

    @staticmethod
    def _begins(line: str) -> bool:
        """Tell whether a line ends the running text before it."""
        if not line or line == "+" or line.startswith("//"):
            return True
        starts = (_DELIMITER, _ITEM, _ATTRIBUTES, _BLOCK_MACRO, _ID, _ENTRY, _TERM)
        return any(start.match(line) for start in starts)

    def _paragraph(self, lines: Sequence[str], at: int) -> int:
        end = self._end(lines, at)
        own, self._own = self._own, {}
        text = "\n".join(lines[at:end])
        style = own.get("1", "").split("%")[0]
        if lines[at][:1].isspace() or style in ("source", "listing", "literal", *_FORMULAS):
            self._html.append(f"<pre>{escape(text)}</pre>")
            return end
        html = self._inline.write(text)
        if style == "verse":
            html = html.replace("\n", "<br>")
        self._html.append(f"<p>{html}</p>")
        self._attribution(own, style)
        return end

    def _attribution(self, own: Mapping[str, str], style: str) -> None:
        said = ", ".join(filter(None, (own.get("2"), own.get("3")))) if style in _QUOTED else ""
        if said:
            self._html.append(f"<p>{self._inline.write(said)}</p>")

    def _delimited(self, lines: Sequence[str], at: int, delimiter: str) -> int:
        fence = _FENCE.match(delimiter)
        closing = fence[0] if fence else delimiter
        end = at + 1
        while end < len(lines) and lines[end].rstrip() != closing:
            end += 1
        inner = lines[at + 1 : end]
        own, self._own = self._own, {}
        style, text = own.get("1", ""), "\n".join(inner)
        kind = delimiter[0]
        if kind == "/":
            self._left_out[LeftOut.COMMENT] += bool(text.strip())
        elif delimiter[1:].startswith("=") and kind in "|,:!":
            self._html.append(table_html(inner, kind, own, self))
        elif (kind in _VERBATIM and delimiter != "--") or style == "verse" or style in _FORMULAS:
            self._html.append(f"<pre>{escape(text)}</pre>")
        elif kind == "+":
            self._html.append(str(BeautifulSoup(text, "html.parser")))
        else:
            self._html.append(f"<div>{self.write(inner)}</div>")
        self._attribution(own, style)
        return end + 1


def attributes_of(text: str) -> dict[str, str]:
    """Return the attributes in brackets; keys of unnamed attributes are their positions."""
    found: dict[str, str] = {}
    number = 0
    for pair in _PAIR.finditer(text):
        value = next((group for group in pair.groups()[1:] if group is not None), "").strip()
        if pair[1]:
            found[pair[1]] = value
        else:
            number += 1
            found[str(number)] = value
    return found

"""Read Rich Text Format (RTF 1.9.1) by converting it to HTML.

Notes, reviewers' comments and text boxes follow their paragraph or table. Other optional destinations are ignored.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from html import escape
from itertools import groupby

from graphrag_tasks.core.left_out import LeftOut
from graphrag_tasks.parse.blocks import ParsedDocument
from graphrag_tasks.parse.markup import read_written
from graphrag_tasks.parse.packages import broken
from graphrag_tasks.parse.rtf_words import BESIDE, CHARSETS, COUNTED, IGNORED, READ, SIGNS, code_page
from graphrag_tasks.sources.encodings import without_invalid

_TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\'(?P<hex>[0-9a-fA-F]{2})"
    rb"|\\(?P<sign>[^a-zA-Z])|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|[\r\n]+|\\"
)
_HEADING = re.compile(r"\s*heading (\d)", re.IGNORECASE)
_LINK = re.compile(r'HYPERLINK\s+(?:\\l\s+)?"([^"]*)"')
_MAX_LEVEL = 6  # Deepest heading of HTML; RTF has nine.
_DESCRIBED = re.compile(rb"\\sn wzDescription\}\s*\{\\sv [^}]*[^\s}]")
_TEXT, _SKIPPED, _INFO, _TITLE, _FONTS = "text", "skipped", "info", "title", "fonts"
_STYLES, _FIELD, _AUTHOR = "styles", "field", "author"
_KINDS = {"info": _INFO, "fonttbl": _FONTS, "stylesheet": _STYLES, "fldinst": _FIELD}
_ENCODING = ("f", "fcharset", "ansicpg", "cpg", "mac", "pc", "pca", "uc")
_SCRIPTS = {"super": "sup", "sub": "sub", "nosupersub": ""}
_NAMED_PAGES = {"mac": 10000, "pc": 437, "pca": 850}
"""Code pages that have a control word of their own, by the specification."""


@dataclass
class _Group:
    kind: str = _TEXT
    reason: LeftOut | None = None
    encoding: str = "cp1252"
    fallback: int = 1  # characters for programs without Unicode, behind each in Unicode
    is_hidden: bool = False
    is_deleted: bool = False
    script: str = ""  # of HTML: sup or sub
    style: int = 0
    level: int | None = None
    in_table: bool = False
    is_item: bool = False
    outer: _Paragraph | None = None  # the paragraph that goes on behind the group
    is_link: bool = False


@dataclass
class _Paragraph:
    """The pieces of a paragraph, each with the reason if it is left out."""

    pieces: list[tuple[LeftOut | None, str]] = field(default_factory=list)


def read_rtf(data: bytes) -> ParsedDocument:
    """Read an RTF document."""
    data = data.lstrip()
    if not data.startswith(rb"{\rtf"):
        raise broken("rtf", r"it does not begin with {\rtf")
    reading = _Reading()
    html = reading.read(data)
    return read_written(html, title=reading.title or None, left_out=reading.left_out)


class _Reading:
    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()
        self.title = ""
        self._html: list[str] = []
        self._behind: list[str] = []
        self._group = _Group()
        self._groups: list[_Group] = []
        self._paragraph = _Paragraph()
        self._bytes = bytearray()
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._levels: dict[int, int] = {}
        self._may_be_ignored = False
        self._skip = 0
        self._field = ""
        self._author = ""
        self._default = "cp1252"
        self._cells: list[str] = []
        self._cell: list[str] = []
        self._rows: list[str] = []
        self._is_header = False

    def read(self, data: bytes) -> str:
        self.left_out[LeftOut.PICTURE] += len(_DESCRIBED.findall(data))
        at = 0
        while found := _TOKEN.match(data, at):
            at = found.end()
            if found["text"] is not None or found["hex"] is not None:
                self._add_bytes(found["text"] or bytes.fromhex(found["hex"].decode("ascii")))
                continue
            self._decode()
            if found["brace"] is not None:
                self._open() if found["brace"] == b"{" else self._close()
            elif found["sign"] is not None:
                self._sign(found["sign"].decode("latin-1"))
            elif found["word"] is not None:
                word, number = found["word"].decode("ascii"), found["number"]
                if word == "bin":
                    at += max(int(number or 0), 0)
                self._word(word, None if number is None else int(number))
        self._decode()
        while self._groups:
            self._close()
        self._end_paragraph()
        self._end_row()
        self._end_table()
        return "\n".join(self._html)

    def _add_bytes(self, data: bytes) -> None:
        skipped = min(self._skip, len(data))
        self._skip -= skipped
        self._bytes += data[skipped:]

    def _decode(self) -> None:
        if self._bytes:
            text = bytes(self._bytes).decode(self._group.encoding, "replace")
            self._bytes.clear()
            text, invalid = without_invalid(text)
            if self._group.kind == _TEXT:
                self.left_out.update(invalid)
            self._add(text)

    def _add(self, text: str) -> None:
        group = self._group
        if group.kind == _TITLE:
            self.title += text
        elif group.kind == _FIELD:
            self._field += text
        elif group.kind == _AUTHOR:
            self._author += text
        elif group.kind == _STYLES:
            if (found := _HEADING.match(text)) and found[1] != "0":
                self._levels[group.style] = int(found[1])
        elif group.kind == _TEXT:
            reason = group.reason
            if group.is_hidden or group.is_deleted:
                reason = reason or (LeftOut.DELETED_TEXT if group.is_deleted else LeftOut.HIDDEN)
            html, script = escape(text), group.script
            self._paragraph.pieces.append((reason, f"<{script}>{html}</{script}>" if script else html))

    def _open(self) -> None:
        self._groups.append(self._group)
        self._group = replace(self._group, outer=None, is_link=False)
        self._may_be_ignored = False
        self._skip = 0

    def _close(self) -> None:
        self._skip = 0
        if not self._groups:
            return
        ended, self._group = self._group, self._groups.pop()
        if ended.outer is not None:
            text = self._taken()
            if text.strip():
                self._behind.append(f"<p>{text}</p>")
            self._paragraph = ended.outer
        if ended.is_link:
            self._paragraph.pieces.append((None, "</a>"))
        if ended.kind == _FIELD and self._group.kind == _TEXT:
            link = _LINK.search(self._field)
            self._field = ""
            if link is not None:
                self._paragraph.pieces.append((None, f'<a href="{escape(link[1])}">'))
                self._group.is_link = True

    def _sign(self, sign: str) -> None:
        if sign == "*":
            self._may_be_ignored = True
        elif sign in "\r\n":
            self._end_paragraph()
        elif sign in "{}\\":
            self._add_bytes(sign.encode("ascii"))
        elif sign in "~_":
            self._add(" " if sign == "~" else "-")

    def _word(self, word: str, number: int | None) -> None:
        may_be_ignored, self._may_be_ignored = self._may_be_ignored, False
        if self._destination(word, may_be_ignored) or self._group.kind == _SKIPPED:
            return
        if word == "u" and number is not None:
            self._add(chr(number % 65536))
            self._skip = self._group.fallback
        elif word in SIGNS and self._skip:
            self._skip -= 1
        elif word in SIGNS:
            self._add(SIGNS[word])
        elif word in _ENCODING:
            self._set_encoding(word, number or 0)
        elif self._group.kind == _TEXT and word == "line":
            self._paragraph.pieces.append((None, "<br>"))
        elif self._group.kind == _TEXT:
            self._structure(word)
            self._property(word, number)
        elif self._group.kind == _STYLES and word == "s":
            self._group.style = number or 0

    def _set_encoding(self, word: str, number: int) -> None:
        if word == "uc":
            self._group.fallback = max(number, 0)
        elif word == "f":
            self._font = number
            self._group.encoding = self._fonts.get(number, self._default)
        elif word == "fcharset":
            if number in CHARSETS:
                self._fonts[self._font] = CHARSETS[number]
        elif self._group.kind == _FONTS:
            self._fonts[self._font] = code_page(number)
        else:
            self._default = self._group.encoding = code_page(_NAMED_PAGES.get(word, number))

    def _destination(self, word: str, may_be_ignored: bool) -> bool:
        """Handle a control word that says what its group's text is; false for other words."""
        group = self._group
        if group.kind == _SKIPPED or self._begins_text(word):
            return True
        if word in _KINDS:
            group.kind = _KINDS[word]
        elif word == "title" and group.kind == _INFO:
            group.kind = _TITLE
        elif word == "atnauthor":
            group.kind, self._author = _AUTHOR, ""
        elif word in IGNORED or (may_be_ignored and word not in READ):
            group.kind = _SKIPPED
        else:
            return may_be_ignored
        return True

    def _begins_text(self, word: str) -> bool:
        """Handle a control word that begins text outside the paragraph; false for other words."""
        group = self._group
        if word in COUNTED:
            group.reason = COUNTED[word]
            if word not in ("xe", "tc"):
                self._begin_beside()
        elif word in BESIDE:
            self._begin_beside()
            if word == "annotation" and self._author.strip():
                self._add(f"{self._author.strip()}: ")
        elif word in ("pntext", "listtext"):
            group.kind = _SKIPPED
            if self._groups:
                self._groups[-1].is_item = True
        else:
            return False
        return True

    def _begin_beside(self) -> None:
        """Begin a note or similar text, written after the current paragraph."""
        group = self._group
        group.outer, self._paragraph = self._paragraph, _Paragraph()
        group.in_table, group.level, group.style, group.is_item = False, None, 0, False

    def _structure(self, word: str) -> None:
        """Handle a control word that ends a paragraph, cell or row, or marks a table row."""
        if word in ("par", "sect", "page", "column", "nestcell", "nestrow"):
            self._end_paragraph()
        elif word == "cell":
            self._end_cell()
        elif word == "row":
            self._end_row()
        elif word == "trhdr":
            self._is_header = True
        elif word == "trowd":
            self._is_header = False

    def _property(self, word: str, number: int | None) -> None:
        """Apply a formatting control word to the text that follows."""
        group, is_on = self._group, number != 0
        if word == "pard":
            group.style, group.level, group.in_table, group.is_item = 0, None, False, False
        elif word == "plain":
            group.is_hidden, group.is_deleted, group.script = False, False, ""
        elif word in _SCRIPTS:
            group.script = _SCRIPTS[word] if is_on else ""
        elif word == "v":
            group.is_hidden = is_on
        elif word == "deleted":
            group.is_deleted = is_on
        elif word == "s":
            group.style = number or 0
        elif word == "outlinelevel":
            group.level = (number or 0) + 1
        elif word in ("intbl", "itap"):
            group.in_table = is_on
        elif word == "ls":
            group.is_item = True

    def _taken(self) -> str:
        """Return the paragraph's text and reset it; what is left out is counted."""
        kept: list[str] = []
        for reason, pieces in groupby(self._paragraph.pieces, lambda piece: piece[0]):
            text = _whole("".join(text for _, text in pieces))
            if reason is None:
                kept.append(text)
            else:
                self.left_out[reason] += bool(text.strip())
        self.left_out[LeftOut.INVALID_CHARACTERS] += sum(text.count("\ufffd") for text in kept)
        self._paragraph.pieces.clear()
        return "".join(kept)

    def _is_beside(self) -> bool:
        return any(group.outer is not None for group in (self._group, *self._groups))

    def _end_paragraph(self) -> None:
        text, group = self._taken(), self._group
        if self._is_beside():
            self._behind += [f"<p>{text}</p>"] if text.strip() else []
            return
        level = group.level or self._levels.get(group.style)
        tag = f"h{min(level, _MAX_LEVEL)}" if level and level <= 9 else "p"
        html = f"<{tag}>{text}</{tag}>" if text.strip() else ""
        if group.in_table:
            self._cell += [f"<p>{text}</p>"] if html else []
            return
        self._end_table()
        if html:
            self._html.append(f"<ul><li>{text}</li></ul>" if group.is_item and tag == "p" else html)
        self._write_behind()

    def _write_behind(self) -> None:
        self._html += self._behind
        self._behind.clear()

    def _end_cell(self) -> None:
        if self._is_beside():
            self._end_paragraph()
            return
        text = self._taken()
        self._cell += [f"<p>{text}</p>"] if text.strip() else []
        self._cells.append("".join(self._cell))
        self._cell.clear()

    def _end_row(self) -> None:
        if self._cell:
            self._end_cell()
        if self._cells:
            tag = "th" if self._is_header else "td"
            cells = "".join(f"<{tag}>{cell}</{tag}>" for cell in self._cells)
            self._rows.append(f"<tr>{cells}</tr>")
            self._cells.clear()

    def _end_table(self) -> None:
        self._end_row()
        if self._rows:
            self._html.append(f"<table>{''.join(self._rows)}</table>")
            self._rows.clear()
            self._write_behind()


def _whole(text: str) -> str:
    """Join surrogate pairs (UTF-16) into characters."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

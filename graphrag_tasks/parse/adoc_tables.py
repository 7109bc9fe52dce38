"""Convert AsciiDoc tables to HTML."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Protocol

from graphrag_tasks.parse.adoc_inline import option

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

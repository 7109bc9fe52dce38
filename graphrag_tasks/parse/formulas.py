"""Find workbook formulas without a stored value, as programs write that do not calculate.

Of links the label is known. All others would need a calculation.
"""

from __future__ import annotations

import re
from html import unescape
from io import BytesIO
from zipfile import ZipFile

from openpyxl.reader.workbook import WorkbookParser
from openpyxl.utils.cell import coordinate_to_tuple

Place = tuple[int, int]  # Row and column of a sheet, from 1.

_CELL = re.compile(
    rb"<(?:\w+:)?c (?P<cell>[^>]*)>\s*"
    rb"<(?:\w+:)?f(?: [^>]*?)?(?:/>|>(?P<formula>[^<]*)</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>(?P<value>[^<]*)</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_ATTRIBUTE = re.compile(rb'(\w+)="([^"]*)"')
_TEXT = r'\s*"((?:[^"]|"")*)"\s*'
_HYPERLINK = re.compile(rf"HYPERLINK\({_TEXT}(?:[,;]{_TEXT})?\)", re.IGNORECASE)


def formulas_without_value(data: bytes) -> dict[str, dict[Place, str | None]]:
    """Return the formulas of a workbook that have no value, by sheet and cell; labels of links."""
    found: dict[str, dict[Place, str | None]] = {}
    with ZipFile(BytesIO(data)) as package:
        names = set(package.namelist())
        book = WorkbookParser(package, "xl/workbook.xml", keep_links=False)
        book.parse()
        for sheet, relation in book.find_sheets():
            if relation.target in names and "worksheet" in relation.Type:
                found[sheet.name] = _of_sheet(package.read(relation.target))
    return found


def _of_sheet(xml: bytes) -> dict[Place, str | None]:
    found: dict[Place, str | None] = {}
    for match in _CELL.finditer(xml):
        cell = dict(_ATTRIBUTE.findall(match["cell"]))
        # A value of type str may be an empty one, which the program that saved it has computed.
        if b"r" in cell and not match["value"] and cell.get(b"t") != b"str":
            formula = unescape((match["formula"] or b"").decode("utf-8", "replace"))
            link = _HYPERLINK.fullmatch(formula.strip())
            texts = [(text or "").replace('""', '"') for text in link.groups()] if link else []
            label = texts[1] or texts[0] if texts else None
            found[coordinate_to_tuple(cell[b"r"].decode("ascii"))] = label
    return found

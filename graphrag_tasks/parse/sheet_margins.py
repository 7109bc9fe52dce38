"""What a sheet has beside its cells: text boxes, comments, and headers and footers for printing."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from openpyxl.packaging.relationship import get_dependents, get_rels_path
from openpyxl.reader.workbook import WorkbookParser

from graphrag_tasks.parse.package_texts import PartTexts, parse_part, read_part
from graphrag_tasks.parse.text import clean_text

_BOOK = "xl/workbook.xml"
_DRAWING = "/drawing"
_PRINTED = ("oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter")
_FOR_OLD_PROGRAMS = re.compile(r"\A\[Threaded comment\].*?\bComment:\s*", re.DOTALL)


def read_drawings(data: bytes) -> dict[str, PartTexts]:
    """Return the texts of the shapes on each sheet that has some, which openpyxl leaves out."""
    found: dict[str, PartTexts] = {}
    with ZipFile(BytesIO(data)) as package:
        names = set(package.namelist())
        book = WorkbookParser(package, _BOOK, keep_links=False)
        book.parse()
        for sheet, relation in book.find_sheets():
            relations = get_rels_path(relation.target)
            dependents = get_dependents(package, relations) if relations in names else ()
            for part in dependents:
                if part.Type.endswith(_DRAWING) and part.target in names:
                    root = parse_part(package.read(part.target))
                    if root is not None:
                        found[sheet.name] = read_part(root)
    return found


def comment_text(text: str) -> str:
    """Return what a comment says, without the notice to programs that know no threads."""
    return clean_text(_FOR_OLD_PROGRAMS.sub("", text)).strip()


def page_furniture(worksheet: Any) -> int:  # noqa: ANN401 - openpyxl has no types
    """Return how many texts are printed at the top and bottom of the pages of a sheet."""
    printed = (getattr(worksheet, name, None) for name in _PRINTED)
    sides = (side for one in printed if one for side in (one.left, one.center, one.right))
    return sum(bool((side.text or "").strip()) for side in sides)

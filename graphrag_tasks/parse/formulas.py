"""Formulas of a workbook that have no value, as programs write them that do not calculate.

What such a formula says without computing is told: texts, numbers, other cells, these joined by
`&`, and the label of HYPERLINK with its address. All else is for a program that calculates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from io import BytesIO
from typing import NamedTuple
from zipfile import ZipFile

from openpyxl import Workbook
from openpyxl.formula import Tokenizer
from openpyxl.formula.tokenizer import Token, TokenizerError
from openpyxl.formula.translate import Translator
from openpyxl.reader.workbook import WorkbookParser
from openpyxl.utils.cell import coordinate_to_tuple
from openpyxl.worksheet.worksheet import Worksheet

Place = tuple[int, int]
"""Row and column of a sheet, from 1."""

_CELL = re.compile(
    rb"<(?:\w+:)?c (?P<cell>[^>]*)>\s*"
    rb"<(?:\w+:)?f(?P<kind>(?: [^>]*?)?)(?:/>|>(?P<formula>[^<]*)</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>(?P<value>[^<]*)</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_ATTRIBUTE = re.compile(rb'(\w+)="([^"]*)"')
_REFERENCE = re.compile(r"(?:(?P<sheet>'(?:[^']|'')+'|[^'!\[\]]+)!)?(?P<place>\$?[A-Z]{1,3}\$?\d+)")
_DEEPEST = 20  # formulas that name each other, or brackets in each other
_HYPERLINK = "HYPERLINK("

Told = str | int | float | bool
"""What a formula is known to give; other cells' dates are left to a program that knows formats."""


class Outcome(NamedTuple):
    """What a formula gives, and what it links to."""

    value: Told
    href: str | None = None


class Formulas:
    """The formulas of a workbook that have no value."""

    def __init__(self, data: bytes, book: Workbook) -> None:
        self._book = book
        self._by_sheet = _without_value(data)

    def places(self, sheet: str) -> frozenset[Place]:
        """Return the places on a sheet that have a formula and no value."""
        return frozenset(self._by_sheet.get(sheet, ()))

    def told(self, sheet: str, place: Place, depth: int = 0) -> Outcome | None:
        """Return what the formula at a place gives; None where it has to be computed."""
        formula = self._by_sheet[sheet][place]
        if not formula or depth > _DEEPEST:
            return None
        try:
            tokens = [item for item in Tokenizer(f"={formula}").items if item.type != Token.WSPACE]
        except TokenizerError:
            return None
        reading = _Reading(self, sheet, tokens, depth)
        found = reading.expression()
        return found if reading.is_done else None

    def value_at(self, reference: str, sheet: str, depth: int) -> Told | None:
        """Return what stands in another cell."""
        found = _REFERENCE.fullmatch(reference)
        if found is None:
            return None
        name = found["sheet"].strip("'").replace("''", "'") if found["sheet"] else sheet
        row, column = place = coordinate_to_tuple(found["place"].replace("$", ""))
        if place in self._by_sheet.get(name, ()):
            outcome = self.told(name, place, depth + 1)
            return outcome.value if outcome else None
        worksheet = self._book[name] if name in self._book.sheetnames else None
        if not isinstance(worksheet, Worksheet):
            return None
        if row > worksheet.max_row or column > worksheet.max_column:
            return None
        value = worksheet.cell(row, column).value
        return value if isinstance(value, Told) else None


class _Reading:
    """A formula that is read from left to right; None: it has to be computed."""

    def __init__(self, formulas: Formulas, sheet: str, tokens: Sequence[Token], depth: int) -> None:
        self._formulas = formulas
        self._sheet = sheet
        self._tokens = tokens
        self._depth = depth
        self._at = 0

    @property
    def is_done(self) -> bool:
        return self._at == len(self._tokens)

    def expression(self) -> Outcome | None:
        """Return operands joined by `&`, or the only one."""
        found = self._operand()
        while found is not None and self._takes("&"):
            other = self._operand()
            found = Outcome(_text(found.value) + _text(other.value)) if other else None
        return found

    def _operand(self) -> Outcome | None:
        if self.is_done:
            return None
        token = self._tokens[self._at]
        self._at += 1
        if token.type == Token.OP_PRE:
            found = self._operand()
            return _signed(token.value, found.value) if found else None
        if token.type in (Token.PAREN, Token.FUNC) and token.subtype == Token.OPEN:
            return self._in_brackets(token)
        value = self._value(token)
        return None if value is None else Outcome(value)

    def _in_brackets(self, opening: Token) -> Outcome | None:
        self._depth += 1
        if self._depth > _DEEPEST:
            return None
        if opening.type == Token.FUNC and opening.value.upper() != _HYPERLINK:
            return None
        found = self.expression()
        if opening.type == Token.FUNC and found is not None:
            label = self.expression() if self._takes(",") else found
            href = _text(found.value)
            found = Outcome(label.value, href) if label else None
        return found if self._takes(")") else None

    def _takes(self, sign: str) -> bool:
        if self.is_done or self._tokens[self._at].value != sign:
            return False
        self._at += 1
        return True

    def _value(self, token: Token) -> Told | None:
        if token.subtype == Token.TEXT:
            return str(token.value[1:-1].replace('""', '"'))
        if token.subtype == Token.LOGICAL:
            return str(token.value).upper() == "TRUE"
        if token.subtype == Token.NUMBER:
            number = float(token.value) / (100 if self._takes("%") else 1)
            return int(number) if number.is_integer() else number
        if token.subtype == Token.RANGE:
            return self._formulas.value_at(token.value, self._sheet, self._depth)
        return None


def _signed(sign: str, value: Told) -> Outcome | None:
    if sign == "+":
        return Outcome(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return Outcome(-value) if is_number and not isinstance(value, str) else None


def _text(value: Told) -> str:
    """Return a value as `&` joins it."""
    return str(value).upper() if isinstance(value, bool) else str(value)


def _without_value(data: bytes) -> dict[str, dict[Place, str]]:
    """Return the formulas without values by sheet and place; empty ones cannot be told."""
    found: dict[str, dict[Place, str]] = {}
    with ZipFile(BytesIO(data)) as package:
        names = set(package.namelist())
        book = WorkbookParser(package, "xl/workbook.xml", keep_links=False)
        book.parse()
        for sheet, relation in book.find_sheets():
            if relation.target in names and "worksheet" in relation.Type:
                found[sheet.name] = _of_sheet(package.read(relation.target))
    return found


def _of_sheet(xml: bytes) -> dict[Place, str]:
    found: dict[Place, str] = {}
    shared: dict[bytes, tuple[str, str]] = {}
    for match in _CELL.finditer(xml):
        cell, kind = (dict(_ATTRIBUTE.findall(match[name])) for name in ("cell", "kind"))
        if b"r" not in cell:
            continue
        reference = cell[b"r"].decode("ascii")
        formula = unescape((match["formula"] or b"").decode("utf-8", "replace"))
        if kind.get(b"t") == b"shared":
            if formula:
                shared[kind.get(b"si", b"")] = formula, reference
            elif kind.get(b"si", b"") in shared:
                first, origin = shared[kind[b"si"]]
                formula = str(Translator(f"={first}", origin).translate_formula(reference))[1:]
        # A value of type str may be an empty one, which the program that saved it has computed.
        if not match["value"] and cell.get(b"t") != b"str":
            found[coordinate_to_tuple(reference)] = formula
    return found

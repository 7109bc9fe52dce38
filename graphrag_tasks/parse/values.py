"""Values of cells: parsed from their text, or formatted as the workbook shows them.

Only unambiguous texts have a value: not `03/04/2024`, which is April in some places and March in others, nor `007`,
whose zeros belong to it. Of number formats (ECMA-376 part 1, section 18.8.31), those that change digits or signs are
supported; fractions and conditions show as general numbers.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from math import isfinite
from typing import NamedTuple

from graphrag_tasks.parse.text import one_line


class Value(NamedTuple):
    """A cell's value: text, integer, number, percent, boolean, date, datetime, time or error.

    25 % is 0.25, and true is 1; dates and times are in ISO 8601.
    """

    type: str
    number: float | None = None
    iso: str | None = None


TEXT = Value("text")

_BOOLEANS = {"true": 1.0, "false": 0.0}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MAX_LENGTH = 40  # no value is longer
_INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)")
_DECIMAL_POINT = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)?\.\d+(?:[eE][+-]?\d{1,3})?")
_DECIMAL_COMMA = re.compile(r"[+-]?(?:\d+,\d{1,2}|\d+,\d{4,}|\d{1,3}(?:\.\d{3})+,\d+)")
_DATE_FORMATS = (
    (re.compile(r"\d{4}-\d{2}-\d{2}"), ("%Y-%m-%d",)),
    (re.compile(r"\d{4}/\d{1,2}/\d{1,2}"), ("%Y/%m/%d",)),
    (re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}"), ("%d.%m.%Y",)),
    (re.compile(r"\d{1,2} [A-Z][a-z]+ \d{4}"), ("%d %B %Y", "%d %b %Y")),
    (re.compile(r"[A-Z][a-z]+ \d{1,2}, \d{4}"), ("%B %d, %Y", "%b %d, %Y")),
)
_DATETIME = re.compile(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?Z?")
_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")


def value_of(text: str) -> Value:
    """Parse a cell's text; the type is text if it has no other value."""
    if len(text) > _MAX_LENGTH:
        return TEXT
    if not text[:1].isalpha():
        return _number_value(text) or _time_value(text)
    if (truth := _BOOLEANS.get(text.lower())) is not None:
        return Value("boolean", truth)
    return _time_value(text) if text.startswith(_MONTHS) else TEXT


def _number_value(text: str) -> Value | None:
    plain = text.replace("\N{MINUS SIGN}", "-")
    if plain.endswith("%"):
        found = _number_value(plain[:-1].rstrip())
        return Value("percent", found.number / 100) if found and found.number is not None else None
    if not plain.isascii():
        return None
    if _INTEGER.fullmatch(plain) or _DECIMAL_POINT.fullmatch(plain):
        return numeric("number" if "." in plain else "integer", float(plain.replace(",", "")))
    if _DECIMAL_COMMA.fullmatch(plain):
        return numeric("number", float(plain.replace(".", "").replace(",", ".")))
    return None


def numeric(kind: str, number: float) -> Value:
    """Return a numeric value; type text if the number is not finite."""
    return Value(kind, number) if isfinite(number) else TEXT


def _time_value(text: str) -> Value:
    if not any(map(str.isdigit, text)) or not text.isascii():
        return TEXT
    for pattern, formats in _DATE_FORMATS:
        if pattern.fullmatch(text):
            for form in formats:
                with suppress(ValueError):
                    return Value("date", iso=datetime.strptime(text, form).date().isoformat())
            return TEXT
    if found := _DATETIME.fullmatch(text):
        return _moment("datetime", f"{found[1]}T{found[2]}")
    return _moment("time", text.zfill(5)) if _TIME.fullmatch(text) else TEXT


def _moment(kind: str, text: str) -> Value:
    clock = text if kind == "datetime" else f"2000-01-01T{text}"
    try:
        iso = datetime.fromisoformat(clock).isoformat()
    except ValueError:
        return TEXT
    return Value(kind, iso=iso if kind == "datetime" else iso.partition("T")[2])


_GENERAL_DIGITS = 10  # what a column of the default width has room for
_PRECISE = Context(prec=40)  # digits: more than a float of 17 has, scaled to percent
_SECTIONS = re.compile(r'((?:"[^"]*"|\\.|[^;"\\])*)(?:;|$)')
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|[_*].|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[[^\]]*\]'
    r"|(?P<digits>[#0?][#0?,]*(?:\.[#0?]*)?,*|\.[#0?]+,*)|(?P<exponent>[eE][+-]0+)|(?P<other>.)"
)
_ELAPSED = re.compile(
    r'"(?P<quoted>[^"]*)"|\[[^\]]*[^\]hms][^\]]*\]|\[?(?P<unit>h+|m+|s+)\]?(?:\.0+)?'
    r"|[_*].|\\?(?P<literal>.)",
    re.IGNORECASE,
)
_SECONDS = {"h": 3600, "m": 60, "s": 1}
_CONDITION = re.compile(r"\[[<>=]")


class _Section(NamedTuple):
    """A section of a number format, for one sign: digit placeholders, and texts around them.

    Placeholders look like `#,##0.00`; None is a general number.
    """

    before: str
    digits: str | None
    after: str

    @property
    def is_percent(self) -> bool:
        return "%" in self.before + self.after


def shown_value(value: object, number_format: str, data_type: str) -> tuple[str, Value | None]:
    """Return a cell's displayed text and its value; None if the text shows the value."""
    if isinstance(value, bool):
        return str(value).upper(), Value("boolean", float(value))
    if isinstance(value, (int, float)):
        is_integer = float(value).is_integer()
        kind = "percent" if is_percent(number_format) else "integer" if is_integer else "number"
        return shown_number(value, number_format), numeric(kind, float(value))
    if isinstance(value, datetime):
        iso = value.replace(microsecond=0).isoformat()
        if value.time() != time() or "h" in number_format.lower():
            return iso.replace("T", " "), Value("datetime", iso=iso)
        value = value.date()
    if isinstance(value, date):
        return value.isoformat(), Value("date", iso=value.isoformat())
    if isinstance(value, time):
        iso = value.replace(microsecond=0).isoformat()
        return iso, Value("time", iso=iso)
    if isinstance(value, timedelta):
        return _elapsed(value, number_format), Value("number", value / timedelta(days=1))
    return one_line(str(value)), Value("error") if data_type == "e" else None


def _elapsed(value: timedelta, number_format: str) -> str:
    """Format a duration, as "27:30" by `[h]:mm`."""
    left = abs(round(value.total_seconds()))
    shown = "-" if value < timedelta(0) else ""
    for token in _ELAPSED.finditer(number_format.partition(";")[0]):
        if unit := token["unit"]:
            amount, left = divmod(left, _SECONDS[unit[0].lower()])
            shown += str(amount).zfill(len(unit))
        else:
            shown += token["quoted"] or token["literal"] or ""
    return shown.strip()


def shown_number(value: float, number_format: str) -> str:
    """Format a number by a cell's number format."""
    sections = _parse(number_format)
    if not sections:
        return _general(value)
    at = 1 if value < 0 else 2 if value == 0 else 0
    section = sections[at] if at < len(sections) else sections[0]
    sign = "-" if value < 0 and len(sections) == 1 else ""
    if section.digits is None:
        return _general(value)
    number = _number(abs(value), section)
    return f"{sign}{section.before}{number}{section.after}".strip()


def is_percent(number_format: str) -> bool:
    """Tell whether a number format shows percent."""
    return any(section.is_percent for section in _parse(number_format)[:1])


@lru_cache(maxsize=1024)
def _parse(number_format: str) -> tuple[_Section, ...]:
    if number_format in ("General", "@", "") or _CONDITION.search(number_format):
        return ()
    sections = [found[1] for found in _SECTIONS.finditer(number_format)]
    return tuple(_section(text) for text in sections[:3] if text)


def _section(text: str) -> _Section:
    before, after, digits = "", "", None
    for token in _TOKEN.finditer(text):
        if token["exponent"] or token["other"] == "/":
            return _Section("", None, "")
        if token["digits"] and digits is None:
            digits = token["digits"]
        literal = token["quoted"] or token["escaped"] or token["currency"] or token["other"] or ""
        before, after = (before + literal, after) if digits is None else (before, after + literal)
    if "General" in before:
        return _Section("", None, "")
    return _Section(before, digits or "", after)


def _general(value: float) -> str:
    if isinstance(value, int) or value.is_integer():
        return str(int(value))
    return f"{value:.{_GENERAL_DIGITS}g}"


def _number(value: float, section: _Section) -> str:
    digits = (section.digits or "").rstrip(",")
    thousands = len(section.digits or "") - len(digits)
    whole, _, fraction = digits.partition(".")
    whole = whole.rstrip(",")
    scaled = Decimal(repr(value)) * (100 if section.is_percent else 1) / 1000**thousands
    rounded = scaled.quantize(Decimal(1).scaleb(-len(fraction)), ROUND_HALF_UP, _PRECISE)
    if not rounded and "0" not in whole + fraction:
        return ""
    left, _, right = f"{rounded:f}".partition(".")
    optional = len(fraction) - len(fraction.rstrip("#?"))
    while optional and right.endswith("0"):
        right, optional = right[:-1], optional - 1
    left = left.lstrip("0").zfill(whole.count("0"))
    if "," in whole:
        left = f"{int(left or 0):,}" if whole.count("0") <= 1 else left
        left = left if whole.count("0") else left.lstrip("0")
    return f"{left}.{right}" if right else left

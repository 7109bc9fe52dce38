"""What a cell's text says when it is read as a value: a number, a date, true or false.

Only what can be read in one way is: `03/04/2024` stays text, for it is April in some places and
March in others, and so does `007`, whose zeros belong to it.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple


class Value(NamedTuple):
    """A cell's value.

    Attributes:
        type: text, integer, number, percent, boolean, date, datetime, time or error.
        number: Of integer, number, percent (25 % is 0.25) and boolean (1 or 0).
        iso: Of date, datetime and time, in ISO 8601.
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
    """Return the value of a cell's text, of type text where it has no other."""
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
    if _INTEGER.fullmatch(plain):
        return Value("integer", float(plain.replace(",", "")))
    if _DECIMAL_POINT.fullmatch(plain):
        return Value("number", float(plain.replace(",", "")))
    if _DECIMAL_COMMA.fullmatch(plain):
        return Value("number", float(plain.replace(".", "").replace(",", ".")))
    return None


def _time_value(text: str) -> Value:
    if not any(map(str.isdigit, text)) or not text.isascii():
        return TEXT
    for pattern, formats in _DATE_FORMATS:
        if pattern.fullmatch(text):
            return next(filter(None, (_date(text, form) for form in formats)), TEXT)
    if found := _DATETIME.fullmatch(text):
        return _moment("datetime", f"{found[1]}T{found[2]}")
    return _moment("time", text.zfill(5)) if _TIME.fullmatch(text) else TEXT


def _date(text: str, form: str) -> Value | None:
    try:
        return Value("date", iso=datetime.strptime(text, form).date().isoformat())
    except ValueError:
        return None


def _moment(kind: str, text: str) -> Value:
    """Return a time of day, or a date with one, with its seconds."""
    clock = text if kind == "datetime" else f"2000-01-01T{text}"
    try:
        iso = datetime.fromisoformat(clock).isoformat()
    except ValueError:
        return TEXT
    return Value(kind, iso=iso if kind == "datetime" else iso.partition("T")[2])

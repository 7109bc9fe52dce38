"""Dates as documents write them, read as ISO dates."""

from __future__ import annotations

import re
from datetime import datetime

_FORMS = (
    ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%b-%Y"),
    ("%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y", "%d %m %Y"),
    ("%Y-%m", "%Y/%m", "%B %Y", "%b %Y"),
    ("%Y",),
)
_LENGTHS = (10, 10, 7, 4)  # Forms of dates, and of these the lengths in ISO.
_COMPACT = re.compile(r"(?:D:)?(\d{4})(\d\d)(\d\d)(?:\d\d.*)?")
_BESIDE = re.compile(r"\A[A-Za-z]+, |(?<=\d)(?:st|nd|rd|th)\b|,? ?T?\d\d?:\d\d.*|,|(?<=[a-z])\.")
"""Day of the week, time and signs."""
_FIRST_YEAR, _LAST_YEAR = "1900", "2100"  # Years that a document may be of. Chosen.


def iso_date(text: str) -> str | None:
    """Return a date as 2024-03-01, 2024-03 or 2024; None for what is no date or has two readings.

    The zone of a time is not changed: it is the day that its author saw.
    """
    text = _COMPACT.sub(r"\1-\2-\3", _BESIDE.sub("", " ".join(text.split())))
    for forms, length in zip(_FORMS, _LENGTHS, strict=True):
        if found := {date for form in forms if (date := _read(text, form))}:
            first = found.pop()
            return first[:length] if not found and _FIRST_YEAR <= first[:4] <= _LAST_YEAR else None
    return None


def _read(text: str, form: str) -> str | None:
    try:
        return datetime.strptime(text, form).date().isoformat()
    except ValueError:
        return None

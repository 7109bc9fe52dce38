"""Dates as documents write them, read as ISO dates."""

from __future__ import annotations

import contextlib
import re
from datetime import datetime

_FORMS = (
    (10, "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%b-%Y"),
    (10, "%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y"),
    (7, "%Y-%m", "%Y/%m", "%B %Y", "%b %Y"),
    (4, "%Y"),
)
"""Forms by the length of the ISO date that they give."""
_COMPACT = re.compile(r"(?:D:)?(\d{4})(\d\d)(\d\d)(?:\d\d.*)?", re.DOTALL)
_NOT_OF_DAY = re.compile(
    r"\A[A-Za-z]+, |(?<=\d)(?:st|nd|rd|th)\b|,? ?T?\d\d?:\d\d.*|,|(?<=[a-z])\.|Z\Z"
)
_FIRST_YEAR, _LAST_YEAR = "1900", "2100"
"""Years that a document may be of. Chosen."""


def iso_date(text: str) -> str | None:
    """Return a date as 2024-03-01, 2024-03 or 2024; None for what is no date or has two readings.

    The zone of a time is not changed: it is the day that its author saw.
    """
    text = " ".join(text.split())
    compact = _COMPACT.fullmatch(text)
    text = "-".join(compact.groups()) if compact else _NOT_OF_DAY.sub("", text)
    for length, *forms in _FORMS:
        found = set[str]()
        for form in forms:
            with contextlib.suppress(ValueError):
                found.add(datetime.strptime(text, form).date().isoformat()[:length])
        if found:
            (first, *others) = found
            return first if not others and _FIRST_YEAR <= first[:4] <= _LAST_YEAR else None
    return None

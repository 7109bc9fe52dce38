"""When a fact holds: the date or release that its sentence names.

"Since 3.4", "until 2023" and "from 2010 to 2014" bound a fact; "requires Python 3.8 or later" does not. The patterns,
in `validity.json`, are the words around a date or a release.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from importlib import resources
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

from graphrag_tasks.extract.context import Place

_FROM, _UNTIL, _RANGE, _CHANGED, _AT, _ENDED = "from", "until", "range", "changed", "at", "ended"
_KINDS = (_RANGE, _UNTIL, _CHANGED, "deprecated", _FROM, _AT, _ENDED)
"""Of kinds at the same place the first counts; of the last two, only where no other one is."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MOST = 1_000  # characters of a sentence that are read, as longer ones are mostly none; chosen
_TIMED = re.compile(r"\d|no longer|discontinued")
_ISO = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?")


class Validity(NamedTuple):
    """What a sentence says of the time of its facts."""

    kind: str
    start: str | None = None
    end: str | None = None

    def columns(self, row: Mapping[str, Any], text: str) -> dict[str, str | None]:
        """Return `valid_*` of a triple: what is "no longer" so until 4.0, is denied from 4.0 on."""
        kind, start, end = self
        if row["negated"] and kind == _UNTIL and "no longer" in text:
            kind, start, end = _FROM, end, None
        return {"valid_kind": kind, "valid_from": start, "valid_to": end}


def validities(placed: Sequence[tuple[Mapping[str, Any], Place]]) -> dict[str, Validity]:
    """Return the times of sentences, in reading order with their places, by the sentences' ids.

    An item has that of the sentence with a colon before its list, but no event's. What only tells a time ("New in
    version 3.4.") tells it of the sentence before, of the paragraph before its own, or, below a heading, of the next
    paragraph.
    """
    found: dict[str, Validity] = {}
    above: list[str] = []
    block: tuple[str, int, str] = "", -1, ""
    pending = carried = None
    for row, place in placed:
        if place.kind == "code":
            continue
        here, own = (row["document_id"], place.block, place.kind), validity_of(row["text"])
        if own and here[0] == block[0] and _is_note(row["text"], own):
            pending = own if block[2] in ("heading", "title") else pending
            is_whole = here != block and block[2] in ("paragraph", "list_item")
            for noted in above if is_whole else above[-1:]:
                found.setdefault(noted, own)
        else:
            if here != block:
                carried, pending = (pending if here[0] == block[0] else None), None
                above, block = [], here
            above.append(row["sentence_id"])
        lead = place.lead.rpartition(". ")[2] if place.lead and place.lead.endswith(":") else ""
        led = validity_of(lead)
        if own := own or (led if led and led.kind != _AT else carried):
            found[row["sentence_id"]] = own
    return found


def _is_note(text: str, validity: Validity) -> bool:
    """Tell whether a sentence is only about a time, or begins so: "New in 3.4: the old one"."""
    text = " ".join(text.split()).strip(" ().")
    match = _patterns()[validity.kind].match(text)
    rest = text[match.end() :] if match else "?"
    return not rest or (rest.startswith(": ") and validity.kind != _CHANGED)


def validity_of(text: str) -> Validity | None:
    """Return what a sentence says of the time of its facts, or None.

    Of several times the first counts; an event's day counts if nothing bounds the sentence.
    """
    known = _patterns()
    if not _TIMED.search(text, 0, _MOST) or not known["hint"].search(text, 0, _MOST):
        return None
    text = known["requirement"].sub(
        lambda match: match[0] if match[1] else "_" * len(match[0]), " ".join(text[:_MOST].split())
    )
    of_facts = (read for kind in _KINDS[:-2] for read in islice(_read(kind, text), 1))
    others = (read for kind in _KINDS[-2:] for read in _read(kind, text))
    first = min(of_facts, key=itemgetter(0), default=None) or next(others, None)
    return first[1] if first else None


def _read(kind: str, text: str) -> Iterator[tuple[int, Validity]]:
    known = _patterns()
    for match in known[kind].finditer(text):
        clause = text[: match.start()]
        clause = clause[max(map(clause.rfind, ",;:(")) + 1 :]
        is_event = match[0][:5].casefold() == "as of" or known["past"].search(text)
        if known["subordinate"].search(clause) or (kind == _AT and not is_event):
            continue
        said = [group for group in match.groups() if group]
        values = [_value(one, other) for one, other in zip(said, reversed(said), strict=True)]
        is_share = kind == _RANGE and "." in (values[0] or "") and known["measure"].search(text)
        if all(values) and not is_share:
            start = values[0] if values and kind != _UNTIL else None
            end = values[-1] if values and kind in (_UNTIL, _RANGE, _AT) else None
            yield match.start(), Validity(kind, start, end)


def _value(text: str, other: str) -> str | None:
    """Return a date in ISO form, or the number of a release; a range's other end helps."""
    if not _patterns()["dated"].fullmatch(text):
        return text.split()[-1].rpartition("-")[2].lower().removeprefix("v")
    (year, month, day), (other_year, other_month, _) = _parts(text), _parts(other)
    year, month = year or other_year, month or (other_month if day else 0)
    try:
        date(year, month or 1, day or 1)
    except ValueError:
        return None
    return "-".join([f"{year:04}", *(f"{part:02}" for part in (month, day) if part)])


def _parts(text: str) -> tuple[int, int, int]:
    """Return year, month and day; 0 for what is not said."""
    if match := _ISO.fullmatch(text):
        return int(match[1]), int(match[2]), int(match[3] or 0)
    numbers = [int(one) for one in re.findall(r"\d+", text)]
    months = [_MONTHS.index(word) + 1 for word in re.findall(r"\b[a-z]{3}", text.casefold())
              if word in _MONTHS]  # fmt: skip
    years, days = ([one for one in numbers if (one > 31) == far] for far in (True, False))
    return (*years, 0)[0], (*months, 0)[0], (*days, 0)[0]


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    words = json.loads(resources.files(__package__).joinpath("validity.json").read_text("utf-8"))
    forms: dict[str, str] = {}

    def formed(pattern: str) -> str:
        for name, form in forms.items():
            pattern = pattern.replace(f"{{{name}}}", form)
        return pattern

    for name, form in words["forms"].items():
        forms[name] = formed(form)
    return {
        name: re.compile(rf"(?<![\w.-])(?:{formed('|'.join(patterns))})", re.IGNORECASE)
        for name, patterns in words["patterns"].items()
    }

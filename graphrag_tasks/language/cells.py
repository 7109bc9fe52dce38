"""Classify table cells: name or value, prose, or code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from importlib import resources
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

MAX_NAME_WORDS = 10  # Longer cells are not names.
_MIN_SENTENCE_WORDS = 3  # Words from which a full stop makes prose; shorter texts are names or values ("approx.").
_MIN_CHARACTERS = 6  # Shortest prose: "Is it?".
_ROWS_AT_ONCE = 10_000  # Rows converted to Python objects at a time; bounds memory for wide tables.
_TEXT = "text"
_SENTENCE_END = re.compile(r"\w[)\]\"”’']{0,2}[.!?]$")
_FINITE = re.compile(r"\s(?:is|are|was|were|can|cannot|must|should|will|may)\s")
_VERBS = "|".join(json.loads((resources.files(__package__) / "cell_verbs.json").read_text("utf-8")))
_THIRD_PERSON = re.compile(
    rf"(?:{_VERBS})(?:e?s)(?=\s)|(?:appli|copi|identifi|modifi|specifi|verifi)es(?=\s)", re.IGNORECASE
)
_NOUN_GOES_ON = re.compile(
    r"\s(?:of|in|on|for|and|or|with|that|which|is|are|was|were|can|cannot|must|should|will|may|"
    r"have|do)\b"
)
"""Words that follow a plural noun ("Checks on literals are ..."), not a third-person verb."""
_BEFORE_OBJECT = re.compile(r"[A-Z][a-z]+[^s\W]s\s(?:an?|the|whether|how|if|all|any|its|your|each|one)\s")
_SIGNS = re.compile(r"[=<>{}\[\]@~|;`\\]|&&|::|\($|^[).,:*&+-]+$|\w\([^)s]|\w\.\w+\.\w")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9_/-]+[.,:]?")
_MAX_CODE = 0.3  # Largest share of code-like words in prose; words in capitals count half.


def is_prose(text: str, value_type: str) -> bool:
    """Tell whether a cell holds sentences or phrases, not a name, a value or code."""
    if value_type != _TEXT:
        return False
    words = len(text.split())
    if words > MAX_NAME_WORDS:
        return not is_code(text)
    ends = words >= _MIN_SENTENCE_WORDS and _SENTENCE_END.search(text) is not None
    return (ends or _FINITE.search(text) is not None or says_what_it_does(text)) and not is_code(text)


def prose_rows(cells: pa.Table, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the prose cells that have a position in their document, in table order."""
    is_long = pc.greater_equal(pc.utf8_length(pc.field("text")), _MIN_CHARACTERS)
    placed = ~pc.field("is_header") & pc.field("char_start").is_valid()
    body = cells.filter(placed & (pc.field("value_type") == _TEXT) & is_long)
    for batch in body.select([*columns, "text", "value_type"]).to_batches(_ROWS_AT_ONCE):
        for row in batch.to_pylist():
            if is_prose(row["text"], row["value_type"]):
                yield row


def says_what_it_does(text: str) -> bool:
    """Tell whether a text begins with a third-person verb: "Returns the total"."""
    match = _THIRD_PERSON.match(text)
    if match is not None:
        return _NOUN_GOES_ON.match(text, match.end()) is None
    return _BEFORE_OBJECT.match(text) is not None


def is_code(text: str) -> bool:
    """Tell whether a cell's text is code, not prose."""
    words = text.split()
    signs = sum(_SIGNS.search(word) is not None for word in words)
    capitals = sum(_CAPITALS.fullmatch(word) is not None for word in words)
    return signs + capitals / 2 > _MAX_CODE * len(words)

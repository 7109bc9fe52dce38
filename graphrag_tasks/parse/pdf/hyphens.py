"""Tell hyphens that break a word at the end of a line from hyphens that belong to it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache

from graphrag_tasks.language import DEFAULT_MODEL, model_folder

_HYPHENATED = re.compile(r"(-?)([^\W_]+)[-\u2010]$")
_FIRST = re.compile(r"[^\W_]+")
# Within a line: what begins or ends one may be a part of a word
_WORD = re.compile(r"(?<=\s)[^\W\d_]+(?:-[^\W\d_]+)*(?=[\s.,;:!?)])")
_SUSPENDED = frozenset({"and", "or", "to", "und", "oder", "bis", "bzw", "et", "ou", "y", "e", "o"})
SOFT_HYPHEN = "\u00ad"
_LETTERS = 4  # of a word of English, at least: the vocabulary lists endings of three letters too


class Words:
    """The words of a document's lines, in lower case."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        whole = {word for line in lines for word in _WORD.findall(line) if word.islower()}
        self._words = whole | {part for word in whole for part in word.split("-")}

    def joined(self, text: str, line: str) -> str | None:
        """Join two lines if a hyphen ends the first; else return None.

        The hyphen is removed if the joined form is a word of the document or of English. It stays if the document has
        the hyphenated form, if both parts are words, or if a capital follows. If undecided, it is removed.
        """
        if text.endswith(SOFT_HYPHEN):
            return text[:-1] + line
        hyphenated, following = _HYPHENATED.search(text), _FIRST.match(line)
        if hyphenated is None or following is None or following[0] in _SUSPENDED:
            return None
        sign, first = hyphenated.groups()
        return (text[:-1] if self._breaks(sign, first, following[0]) else text) + line

    def _breaks(self, sign: str, first: str, second: str) -> bool:
        whole, parts = first.lower() + second, {first.lower(), second}
        is_acronym = first.isupper() and len(first) > 1
        if first[-1].isdigit() or is_acronym or not second.islower():
            return False
        if f"{first.lower()}-{second}" in self._words:
            return False
        if whole in self._words or whole in _english():
            return True
        if sign or parts <= self._words:
            return False
        return not (first.islower() and parts <= _english())  # nouns of German are in upper case


@cache
def _english() -> frozenset[str]:
    """Return the words in the vocabulary of the spaCy model."""
    return frozenset(
        word
        for path in model_folder(DEFAULT_MODEL).glob("*/vocab/strings.json")
        for word in json.loads(path.read_bytes())
        if len(word) >= _LETTERS and word.isalpha() and word.islower()
    )

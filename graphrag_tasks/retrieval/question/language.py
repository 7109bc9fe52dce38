"""The language of a question, by its script and its function words.

A question of five words is too short for a statistical identifier, and an unknown one must not be
taken for foreign: it is English unless function words of another language alone are in it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from importlib import resources

_WORDS = json.loads((resources.files(__package__) / "language.json").read_text("utf-8"))
_LISTS: dict[str, frozenset[str]] = {
    name: frozenset(words.split()) for name, words in _WORDS["function"].items()
}
ENGLISH = "English"
CODES = {
    "English": "en", "German": "de", "French": "fr", "Spanish": "es", "Italian": "it",
    "Portuguese": "pt", "Dutch": "nl", "Polish": "pl", "Turkish": "tr", "Russian": "ru",
    "Greek": "el", "Arabic": "ar", "Hebrew": "he", "Hindi": "hi", "Chinese": "zh",
    "Japanese": "ja", "Korean": "ko", "Thai": "th",
}  # fmt: skip
"""ISO 639 codes, as the column `documents.language` has them."""

_SCRIPTS = {
    "CYRILLIC": "Russian", "GREEK": "Greek", "ARABIC": "Arabic", "HEBREW": "Hebrew",
    "DEVANAGARI": "Hindi", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean",
    "CJK": "Chinese", "THAI": "Thai",
}  # fmt: skip
"""The language that is written most in a script; it stands for the others."""

_ASKING = frozenset(_WORDS["asking"].split())
_LEAST = 2
"""Words that a question begins with, and function words that tell a language beside them: one
alone may be of a name. Chosen by reading."""


def language_of(question: str) -> str:
    """Return the language of a question by its English name; `ENGLISH` where nothing tells it."""
    letters = [letter for letter in question if letter.isalpha()]
    scripts = Counter(unicodedata.name(letter, "").split(" ")[0] for letter in letters)
    foreign = {name: scripts[name] for name in _SCRIPTS if scripts[name]}
    if sum(foreign.values()) * 2 > len(letters):
        if {"HIRAGANA", "KATAKANA"} & foreign.keys():  # beside Chinese signs, often fewer
            return "Japanese"
        return _SCRIPTS[max(foreign, key=lambda name: foreign[name])]
    words = re.findall(r"\w+", question.casefold())
    found = {name: sum(word in known for word in words) for name, known in _LISTS.items()}
    best = max(found, key=lambda name: (found[name], name != ENGLISH))
    enough = 1 if words and words[0] in _ASKING - _LISTS[ENGLISH] else _LEAST
    return best if found[ENGLISH] <= 1 and found[best] >= enough else ENGLISH

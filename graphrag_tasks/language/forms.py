"""Canonical forms of names: each step removes one kind of variation.

Names whose forms are equal after some steps are candidates for one entity by the rules of these steps.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

_NUMBER = re.compile(r"[-−–]?\d+(?:[.,]\d+)*")
_JOINTS = re.compile(r"(?<=[^\W\d_])[\s.‐‑–-]+(?=[^\W\d_])|(?<=[^\W\d_])[\s‐‑-]+(?=\d)")
"""Blank space, hyphens and full stops between letters, or before a number."""

_OPTIONAL_PLURAL = re.compile(r"\((?:s|es)\)?$")
_BRACKETS = re.compile(r"[()\[\]]")
_CALL = re.compile(r"[^\s()]+\(\)")

_INITIALS = re.compile(r"\b(?:[^\W\d_]\.){2,}")
_LONE_LETTER = re.compile(r"(?:^|[\s-])([^\W\d_])(?=$|[\s-])")
_BRITISH = (
    ("is", re.compile(r"\b(\w{3,})is(e[ds]?|ing|ations?)\b"), r"\1iz\2"),
    ("our", re.compile(r"\b(behavi|col|fav|flav|harb|hon|lab|neighb)our"), r"\1or"),
    ("tre", re.compile(r"\b(cent|met|theat|lit)re(s?)\b"), r"\1er\2"),
    ("ogue", re.compile(r"\b(catal|dial|anal)ogue(s?)\b"), r"\1og\2"),
)
"""Required letters of a British spelling, its pattern, and the American replacement."""

_IRREGULAR = {"indices": "index", "matrices": "matrix", "criteria": "criterion", "men": "man",
              "women": "woman", "children": "child", "people": "person", "copies": "copy",
              "axes": "axis", "aliases": "alias", "menus": "menu"}  # fmt: skip
JOINED_ONLY_WITHOUT = (
    f"[^a-z ]|^ | $|{'|'.join(letters for letters, _, _ in _BRITISH)}|(?:s|{'|'.join(_IRREGULAR)})(?: of |$)"
)
"""RE2 pattern: for a name that does not match, all steps only join the words."""

_NOT_PLURAL = ("ss", "us", "is", "ics", "news", "os", "as")
_SHORTEST_SINGULAR = 3  # Words up to this length that end in "s" are acronyms or singular ("AWS", "gas").


def numbers(key: str) -> tuple[str, ...]:
    """Return the numbers in a name, in order: versions, dates, quantities."""
    return tuple(_NUMBER.findall(_INITIALS.sub("", key)))


def has_lone_letter(key: str) -> bool:
    """Tell whether the name has a one-letter word, which joins to no other word."""
    return _LONE_LETTER.search(_INITIALS.sub("", key)) is not None


def is_call(key: str) -> bool:
    """Return whether a name is a call in code: "choice()" is no choice, and not "choices()"."""
    return _CALL.fullmatch(key) is not None


def unbracketed(key: str) -> str:
    """Return the name without brackets: "system(s)" is "system", "(de)serialisation" one word."""
    if not _BRACKETS.search(key):
        return key
    return _BRACKETS.sub("", _OPTIONAL_PLURAL.sub("", key))


def straight(key: str) -> str:
    """Return the name with straight apostrophes."""
    return key.replace("’", "'")


def unaccented(key: str) -> str:
    """Return the name without accents; letters without a plain form stay."""
    if key.isascii():
        return key
    parts = unicodedata.normalize("NFKD", key)
    return "".join(part for part in parts if not unicodedata.combining(part))


def american(key: str) -> str:
    """Return British spellings as American ones."""
    for letters, pattern, spelling in _BRITISH:
        if letters in key:
            key = pattern.sub(spelling, key)
    return key


def singular(key: str, plurals: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a name with a singular head noun; `plurals` adds irregular plurals ("ids").

    The head is the last word without a digit ("steps 1"), or such a word before "of".
    """
    head, of, rest = key.partition(" of ")
    words = head.split(" ")
    last = len(words) - 1
    while last > 0 and not words[last].isalpha() and any(map(str.isdigit, words[last])):
        last -= 1
    words[last] = plurals.get(words[last]) or singular_noun(words[last])
    return " ".join(words) + of + rest


def singular_noun(word: str) -> str:
    """Return the singular of an English noun, by its ending; other words unchanged."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= _SHORTEST_SINGULAR or not word.endswith("s") or word.endswith(_NOT_PLURAL):
        return word
    if word.endswith("ies") and len(word) > len("movies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


def joined(key: str) -> str:
    """Return the name without word separators: "time-stamp" becomes "timestamp"."""
    letters = key.replace(" ", "")
    if letters.isalpha() and key.strip() == key:  # most are
        return letters
    return _JOINTS.sub("", key).rstrip(".")

"""Names: what is noise in a surface form, and what two of them must share to be one name."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

LITERAL = "literal"
GENERIC = "generic"
PROBLEMS = (
    "pronoun", LITERAL, "short", "long", "wordy", "stop_word", "fragment", "no_letter", GENERIC,
)  # fmt: skip
"""What keeps a surface from being a node; of several the first counts."""

_DETERMINERS = frozenset(
    {"a", "an", "the", "this", "that", "these", "those", "some", "any", "each", "every", "all"}
    | {"my", "your", "his", "her", "its", "our", "their", "both", "such", "another", "other"}
)
CODE_SIGNS = frozenset("_/\\=><~@#$%&*+{}[]|^")
"""A name with one of these is an identifier, a path or a formula: it has one spelling only."""

_SPACE = re.compile(r"\s+")
_POSSESSIVE = re.compile(r"['’]s?$")
_POSSESSIVE_ENDS = "'’s"
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\ufeff]")
_EDGE_PUNCTUATION = " \t.,;:!?\"'“”‘’`´()[]{}<>«»*•·–—-_=+|\\/"
_OPENING = {")": "(", "]": "["}
_SUFFIX_SIGNS = "+#"
"""Signs that end names ("C++", "C#")."""


def clean_name(surface: str) -> str:
    """Return a surface form without noise: what is shown, before keys ignore its case.

    Unicode NFKC, control characters out, whitespace runs to one space, quotes and punctuation off
    the edges, a leading determiner and a trailing possessive dropped.
    """
    text = surface
    if not (text.isascii() and text.isprintable()):  # most are, and have nothing to put right
        text = _SPACE.sub(" ", unicodedata.normalize("NFKC", _CONTROL.sub(" ", text)))
    elif "  " in text:
        text = _SPACE.sub(" ", text)
    text = _strip_edges(text)
    name = text
    first, _, rest = name.partition(" ")
    while rest and first.casefold() in _DETERMINERS:
        name = rest
        first, _, rest = name.partition(" ")
    if name[-1:] in _POSSESSIVE_ENDS:
        name = _POSSESSIVE.sub("", name)
    return text if name == text else _strip_edges(name)


def _strip_edges(text: str) -> str:
    text = text.lstrip(_EDGE_PUNCTUATION)
    while text and text[-1] in _EDGE_PUNCTUATION and not _ends_a_name(text):
        text = text[:-1]
    return text


def _ends_a_name(text: str) -> bool:
    """Return whether the last sign belongs to the name: "C++", "SELECT(x)"."""
    last = text[-1]
    if last in _SUFFIX_SIGNS:
        return text[-2:-1] not in ("", " ")
    return last in _OPENING and text.count(_OPENING[last]) >= text.count(last)


@lru_cache(maxsize=200_000)
def entity_key(surface: str) -> str:
    """Return what two surface forms must share to be one entity."""
    return clean_name(surface).casefold()


def is_code(name: str) -> bool:
    """Return whether a name is an identifier, a path or a formula, and so has one spelling."""
    return any(sign in CODE_SIGNS for sign in name)

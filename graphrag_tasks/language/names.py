"""Clean names, and compute the keys by which they are compared."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

LITERAL = "literal"
GENERIC = "generic"
PROBLEMS = (
    "pronoun", LITERAL, "short", "long", "wordy", "stop_word", "fragment", "no_letter", GENERIC,
)  # fmt: skip
"""Reasons why a surface form is no node; the first that applies counts."""

_DETERMINERS = frozenset(
    {"a", "an", "the", "this", "that", "these", "those", "some", "any", "each", "every", "all"}
    | {"my", "your", "his", "her", "its", "our", "their", "both", "such", "another", "other"}
)
CODE_SIGNS = frozenset("_/\\=><~@#$%&*+{}[]|^")
"""Characters of identifiers, paths and formulas, which have only one spelling."""

_SPACE = re.compile(r"\s+")
_POSSESSIVE = re.compile(r"['’]s?$")
_POSSESSIVE_ENDS = "'’s"
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\ufeff]")
_EDGE_PUNCTUATION = " \t.,;:!?\"'“”‘’`´()[]{}<>«»*•·–—-_=+|\\/"
_PAIRS = {")": "(", "]": "[", "}": "{"}
_BRACKET = re.compile(r"[()\[\]{}]")
_MARKED = re.compile(r"[()\[\]{}]|^\s*[$#>%]\s")
_PROMPT = re.compile(r"^\s*[$#>%]\s+(?=\w)")
_LINK = re.compile(r"(?<![^\s(])\[([^\[\]]*[^\W\d_]{2}[^\[\]]*)\](?:\[[^\[\]]*(?:\]|$)|\([^()]*(?:\)|$))")
"""A Markdown link, by address or by reference, also without its last character."""

_SHORTEST = 2  # Least length of a name after cutting at an unpaired bracket.
_SUFFIX_SIGNS = "+#"
"""Punctuation that ends names ("C++", "C#")."""


def clean_name(surface: str) -> str:
    """Return the cleaned name of a surface form, as displayed.

    Unicode NFKC; no control characters; single spaces; no quotes and punctuation at the edges, leading determiner,
    trailing possessive, shell prompt, or text in an unclosed bracket.
    """
    text = surface
    if not (text.isascii() and text.isprintable()):  # most are, and have nothing to put right
        text = _SPACE.sub(" ", unicodedata.normalize("NFKC", _CONTROL.sub(" ", text)))
    elif "  " in text:
        text = _SPACE.sub(" ", text)
    text = _trimmed(text)
    first, _, rest = text.partition(" ")
    name = rest if rest and first.casefold() in _DETERMINERS else text
    if name[-1:] in _POSSESSIVE_ENDS:
        name = _POSSESSIVE.sub("", name)
    return text if name == text else clean_name(name)


def _trimmed(text: str) -> str:
    """Return a text without edge punctuation, links, unpaired brackets and a lone quote."""
    kept = _strip_edges(text)
    if not (_MARKED.search(text) or _MARKED.search(kept) or '"' in kept):
        return kept
    kept, text = text, ""
    while kept != text:
        text = kept
        kept = _strip_edges(_PROMPT.sub("", _LINK.sub(r"\1", text)))
        kept = _strip_edges(_balanced(kept))
        if kept.count('"') % 2:
            kept = kept.replace('"', " ")
        kept = _strip_edges(_SPACE.sub(" ", kept))
    return kept


def _balanced(text: str) -> str:
    """Return a name up to an unpaired bracket: "git-config(1", "transaction(s".

    Parsers split off the other half. For a closing bracket the longer side is kept; a name that would be shorter than
    two characters stays.
    """
    waiting: list[int] = []
    for found in _BRACKET.finditer(text):
        place, sign = found.start(), found[0]
        if sign in _PAIRS.values():
            waiting.append(place)
        elif waiting and text[waiting[-1]] == _PAIRS[sign]:
            waiting.pop()
        else:
            parts = (text[:place].rstrip(), text[place + 1 :].lstrip())
            kept = max(parts, key=len)
            return _balanced(kept) if len(kept) >= _SHORTEST else text
    if waiting:
        kept = text[: waiting[0]].rstrip()
        return kept if len(kept) >= _SHORTEST else text
    return text


def _strip_edges(text: str) -> str:
    text = text.lstrip(_EDGE_PUNCTUATION)
    while text and text[-1] in _EDGE_PUNCTUATION and not _ends_a_name(text):
        text = text[:-1]
    return text


def _ends_a_name(text: str) -> bool:
    """Tell whether the last character belongs to the name: "C++", "SELECT(x)"."""
    last = text[-1]
    if last in _SUFFIX_SIGNS:
        return text[-2:-1] not in ("", " ")
    return last in _PAIRS and text.count(_PAIRS[last]) >= text.count(last)


@lru_cache(maxsize=200_000)
def entity_key(surface: str) -> str:
    """Return the key that surface forms of the same entity share."""
    return clean_name(surface).casefold()


def is_code(name: str) -> bool:
    """Tell whether a name is an identifier, path or formula, with only one spelling."""
    return any(sign in CODE_SIGNS for sign in name)

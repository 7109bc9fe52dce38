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
_PAIRS = {")": "(", "]": "[", "}": "{"}
_BRACKET = re.compile(r"[()\[\]{}]")
_MARKED = re.compile(r"[()\[\]{}]|^\s*[$#>%]\s")
_PROMPT = re.compile(r"^\s*[$#>%]\s+(?=\w)")
_LINK = re.compile(
    r"(?<![^\s(])\[([^\[\]]*[^\W\d_]{2}[^\[\]]*)\](?:\[[^\[\]]*(?:\]|$)|\([^()]*(?:\)|$))"
)
"""A link of Markdown, by address or by reference, also without its last sign."""

_SHORTEST = 2
"""Characters: a name of which cutting at half a bracket would leave less stays as it is."""
_SUFFIX_SIGNS = "+#"
"""Signs that end names ("C++", "C#")."""


def clean_name(surface: str) -> str:
    """Return a surface form without noise: what is shown, before keys ignore its case.

    Unicode NFKC, control characters out, whitespace runs to one space, quotes and punctuation off
    the edges, a leading determiner, a trailing possessive, the sign of a shell's prompt and what
    stands in a bracket that is not closed dropped.
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
    """Return a text without noise at its edges, links, halves of brackets and a lone quote."""
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
    """Return a name up to a bracket without its other half: "git-config(1", "transaction(s".

    Parsers take the other half for a word of its own. Of a name before and after a closing bracket
    the longer part is kept; a name that would have less than two signs stays.
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
    """Return whether the last sign belongs to the name: "C++", "SELECT(x)"."""
    last = text[-1]
    if last in _SUFFIX_SIGNS:
        return text[-2:-1] not in ("", " ")
    return last in _PAIRS and text.count(_PAIRS[last]) >= text.count(last)


@lru_cache(maxsize=200_000)
def entity_key(surface: str) -> str:
    """Return what two surface forms must share to be one entity."""
    return clean_name(surface).casefold()


def is_code(name: str) -> bool:
    """Return whether a name is an identifier, a path or a formula, and so has one spelling."""
    return any(sign in CODE_SIGNS for sign in name)

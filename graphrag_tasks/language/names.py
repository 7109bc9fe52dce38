"""Clean names, their canonical forms, and the keys by which they are compared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

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


# Number agreement between a displayed name and its verb.

_IRREGULAR_THIRD = {"be": "is", "have": "has"}
_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does"}
_PLURAL = {"is": "are", "was": "were", "has": "have", "does": "do"}
_BEFORE_NOT = frozenset({"is", "are", "was", "were", "can", "may", "must", "should", "will"})
_COORDINATED = re.compile(r"\s(?:and|&)\s")


TAILS_PLACE = "…"  # The tail's place in a phrase that goes on behind it: "brings … to a boil".


def told(head: str, phrase: str, tail: str) -> str:
    """Return a relation in words, with the tail in its place."""
    before, place, behind = phrase.partition(f" {TAILS_PLACE} ")
    return f"{head} {before} {tail} {behind}" if place else f"{head} {phrase} {tail}"


def third_person(lemma: str) -> str:
    """Return the third person singular of a lemma: "carry": "carries"."""
    if lemma in _IRREGULAR_THIRD:
        return _IRREGULAR_THIRD[lemma]
    if re.search(r"[^aeiou]y$", lemma):
        return lemma[:-1] + "ies"
    return lemma + ("es" if lemma.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")


def base_of_third_person(verb: str) -> str:
    """Return the base of a regular third person singular ("carries": "carry")."""
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return verb[:-2]
    return verb.removesuffix("s")


def denied(phrase: str) -> str:
    """Return a relation phrase with "not": "is not part of", "does not run on", "not owner of"."""
    first, space, rest = phrase.partition(" ")
    if first in _BEFORE_NOT or rest.startswith("been "):
        return f"{first} not{space}{rest}"
    base = "have" if first == "has" else base_of_third_person(first)
    is_verb = base != first and third_person(base) == first
    return f"does not {base}{space}{rest}" if is_verb else f"not {phrase}"


def is_plural(name: str) -> bool:
    """Tell whether a name is plural, by the ending of its head noun."""
    if _COORDINATED.search(name):
        return True
    last = name.partition(" of ")[0].rpartition(" ")[2]
    return last.islower() and singular_noun(last) != last


_AS_IT_STANDS = re.compile(r"\w*(?:[^su]s|[^e]ed)\b|(?!consist)\w+ of\b")


def agreeing(name: str, phrase: str, relation: str) -> str:
    """Return a relation phrase in the number of the name before it.

    The canonical `relation` gives the base form of the verb. The words of a column, "kind of work:", and those of a
    given fact, "owns" or "part of", are none.
    """
    if phrase.endswith(":") or (phrase == relation and _AS_IT_STANDS.match(phrase)):
        return phrase
    first, space, rest = phrase.partition(" ")
    if is_plural(name):
        return _PLURAL.get(first, first) + space + rest
    base = relation.partition(" ")[0]
    if first == base and base not in _SINGULAR:
        return third_person(base) + space + rest
    return _SINGULAR.get(first, first) + space + rest


# Headings without what is no part of a name.

_NUMBERING = re.compile(r"^(?:\d+(?:\.\d+)*[.)]?|[A-Z]\.|(?:step|chapter|section)\s+\d+[.:]?)\s+(?=\S)", re.IGNORECASE)
_ORNAMENT = re.compile(r"^[^\w(\[/<\"'“‘]+")


def plain_heading(surface: str) -> str:
    """Return a heading without numbering and leading ornaments."""
    return _NUMBERING.sub("", _ORNAMENT.sub("", surface.strip()))


# Relations that state the kind of a thing.

INCLUDES: Final = frozenset({"include", "comprise", "be such as"})  # Relations whose tail is an example of their head.

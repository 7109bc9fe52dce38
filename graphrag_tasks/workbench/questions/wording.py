"""Grammar of questions: question words, and turning clauses into questions."""

from __future__ import annotations

import re

from graphrag_tasks.extract.inflection import past_tense
from graphrag_tasks.language.names import singular_noun, third_person
from graphrag_tasks.workbench.questions.words import words

AUXILIARIES = words("auxiliaries")
_PLURAL_AUXILIARIES = frozenset({"are", "were", "have"})

_POINTING = re.compile(
    r"\b(?:this|these|those|such|above|below|following|previous|previously|next|earlier|later|"
    r"here|there|now|it|he|she|they|them|him|we|our|us|i|my|another|other|others|also|however|"
    r"instead|thus|therefore|too|both|same|former|latter|respectively|first|second|third|else|"
    r"example|section|chapter|figure|table of contents|page|image|screenshot|guide|manual|book|"
    r"note|see|shown|latter|again|still|already|tutorial|documentation|their|"
    r"different|various|certain|corresponding|(?:on|at|to) the (?:right|left|top|bottom)|"
    r"otherwise|either|simply|just|let|then)\b",
    re.IGNORECASE,
)
"""Words that refer to other sentences, or to the document itself."""

_LOOSE = re.compile(
    r"; |: | -+ | [–—] ?|—|"
    r", (?:which|who|so|but|while|whereas|although|though|because|as|with|since|"
    r"and (?:it|you|they|then)|or you|if|when|unless|where|e\.g|i\.e|for example|for instance|"
    r"such as|(?:in|for|to|from|of|at|by|on) which|just|even|not|allowing|making|using|giving|"
    r"including|depending|rather|thus|whether)\b|"
    r" \((?:e\.g|i\.e|see|for|such|like|this|which|as|if)\b|"
    r" so that | because | since | rather than | but | e\.g\.| i\.e\.| though | although |"
    r" whereas |"
    r" and (?:you|it|then|they|can|is|are|will|has|does|may|should|must)\b"
)
"""Beginning of a clause part that a question can omit."""


def points_elsewhere(text: str) -> bool:
    """Tell whether a text needs other sentences to be understood."""
    return _POINTING.search(text) is not None


def core(text: str) -> str:
    """Return a clause up to its first loose part, without final punctuation."""
    found = _LOOSE.search(text)
    return (text[: found.start()] if found else text).rstrip(" .,;:!")


def is_balanced(text: str) -> bool:
    """Tell whether brackets and quotation marks are balanced."""
    pairs = (("(", ")"), ("[", "]"), ("{", "}"), ("“", "”"), ("«", "»"))
    return text.count('"') % 2 == 0 and all(text.count(one) == text.count(two) for one, two in pairs)


def inverted(subject: str, verbs: str, lemma: str) -> str | None:
    """Return subject and verbs in question order: "does the report list".

    `verbs` stands between subject and object, such as "can be stored in" or "also lists"; `lemma` is the main verb's.
    None if the verb form is unknown.
    """
    first, _, rest = verbs.partition(" ")
    if first in AUXILIARIES and (rest or first in ("is", "are", "was", "were")):
        return f"{first} {subject} {rest}".strip()
    words = verbs.split(" ")
    base = lemma.split(" ")[0]
    place = next((at for at, word in enumerate(words) if word.endswith("ly") is False), None)
    if place is None:
        return None
    verb = words[place]
    if verb == third_person(base):
        auxiliary = "does"
    elif verb == past_tense(base) and verb != base:
        auxiliary = "did"
    elif verb == base and base != "be":
        auxiliary = "do"
    else:
        return None
    return " ".join([auxiliary, subject, *words[:place], base, *words[place + 1 :]])


def agrees(head: str, verbs: str, lemma: str) -> bool:
    """Tell whether verbs agree in number with their noun's ending."""
    first = verbs.split(" ")[0]
    base = lemma.split(" ")[0]
    if is_plural_noun(head):
        return first not in ("is", "was", "has", third_person(base))
    return first not in _PLURAL_AUXILIARIES and first != base


def is_plural_noun(word: str) -> bool:
    """Tell whether a noun has the ending of a plural."""
    return word.islower() and singular_noun(word) != word


def plural_of(noun: str) -> str:
    """Return the plural of a regular noun, or of the noun before "of"."""
    first, of, rest = noun.partition(" of ")
    if re.search(r"[^aeiou]y$", first):
        first = first[:-1] + "ie"
    elif first.endswith(("s", "x", "ch", "sh")):
        first += "e"
    return f"{first}s{of}{rest}"

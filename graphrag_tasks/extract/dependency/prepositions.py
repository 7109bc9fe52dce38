"""Multi-word prepositions and light verbs, with their nouns.

"Out of", "instead of", "in case of"; "by clicking", whose gerund acts as a preposition; "have access to", "be part of",
whose verb means little without its noun.
"""

from __future__ import annotations

from graphrag_tasks.extract.dependency.syntax import ADDRESSEES, children, descendant, first_child
from graphrag_tasks.extract.words import words
from graphrag_tasks.language.tokens import Token

_PREPOSITIONAL_ADVERBS = words("prepositional_adverbs")
_LINKING_NOUNS = words("linking_nouns")  # Nouns of three-word prepositions: "in case of", "by means of".
_LINKING_WITH_ARTICLE = frozenset({"basis", "case", "context", "course", "form", "help", "place"})
_LIGHT_VERBS = frozenset({"have", "take", "gain", "get", "give", "make"})  # Verbs that mean little without their noun.


def governed(preposition: Token) -> tuple[Token | None, str]:
    """Return a preposition's noun, and the preposition's words ("out of")."""
    noun = first_child(preposition, "pobj")
    if noun is not None and (linked := _complex(preposition, noun)) is not None:
        return linked
    if noun is None:
        nested = first_child(preposition, "prep", "pcomp")
        noun = descendant(nested, "pobj")
        if nested is None or noun is None or nested.i != preposition.i + 1:
            return None, preposition.lower_
        return noun, f"{preposition.lower_} {nested.lower_}"
    parts = [preposition, *(c for c in preposition.children if _is_part_of(preposition, c))]
    return noun, " ".join(word.lower_ for word in sorted(parts, key=lambda word: word.i))


def _complex(preposition: Token, noun: Token) -> tuple[Token, str] | None:
    """Return the noun and words of a three-word preposition, as in "in case of"."""
    if noun.lower_ not in _LINKING_NOUNS:
        return None
    if first_child(noun, "det") and noun.lower_ not in _LINKING_WITH_ARTICLE:
        return None
    if preposition.lower_ == "as" and noun.lower_ not in ("part", "result"):
        return None
    last, item = first_child(noun, "prep"), descendant(noun, "prep", "pobj")
    if last is None or item is None or last.lower_ not in ("of", "with", "to"):
        return None
    if preposition.i + 3 < last.i or noun.i + 1 != last.i:
        return None
    return item, f"{preposition.lower_} {noun.lower_} {last.lower_}"


def is_linking(noun: Token) -> bool:
    """Tell whether a noun is part of a preposition: "with respect to the length"."""
    return noun.dep_ == "pobj" and _complex(noun.head, noun) is not None


def by_doing(preposition: Token) -> tuple[Token, Token] | None:
    """Return the gerund and its object that tell how the reader acts: "by clicking the link".

    None if the verb has a subject in the text: then the gerund has its own frame.
    """
    gerund, item = first_child(preposition, "pcomp"), descendant(preposition, "pcomp", "dobj")
    if preposition.lower_ not in ("by", "via", "through") or gerund is None or item is None:
        return None
    subject = first_child(preposition.head, "nsubj")
    if subject is not None and subject.lower_ not in ADDRESSEES:
        return None
    return gerund, item


def light_noun(noun: Token) -> tuple[Token, str] | None:
    """Return the object and words of a light verb's noun: "have access to", "be part of".

    Such a noun has neither article nor adjective.
    """
    verb = noun.head
    is_light = verb.lemma_ in _LIGHT_VERBS or (verb.lemma_ == "be" and noun.lower_ == "part")
    if noun.i < verb.i or not is_light or noun.tag_ != "NN":
        return None
    preposition, item = first_child(noun, "prep"), descendant(noun, "prep", "pobj")
    if preposition is None or item is None or preposition.i != noun.i + 1:
        return None
    if children(noun, "det", "amod", "poss", "nummod", "compound", "conj"):
        return None
    return item, f"{noun.lower_} {preposition.lower_}"


def _is_part_of(preposition: Token, child: Token) -> bool:
    """Tell whether a child forms one word with its preposition: "instead of", "because of"."""
    if child.dep_ == "advmod":
        return child.i + 1 == preposition.i and child.lower_ in _PREPOSITIONAL_ADVERBS
    return child.dep_ in ("pcomp", "prep") and child.i == preposition.i + 1 and child.n_rights == 0

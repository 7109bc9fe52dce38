"""Number agreement between a displayed name and its verb.

"Layers hide" is stored for the node "layer", so the verb becomes "hides".
"""

from __future__ import annotations

import re

from graphrag_tasks.language.forms import singular_noun

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


def agreeing(name: str, phrase: str, relation: str) -> str:
    """Return a relation phrase in the number of the name before it.

    The canonical `relation` gives the base form of the verb.
    """
    first, space, rest = phrase.partition(" ")
    if is_plural(name):
        return _PLURAL.get(first, first) + space + rest
    base = relation.partition(" ")[0]
    if first == base and base not in _SINGULAR:
        return third_person(base) + space + rest
    return _SINGULAR.get(first, first) + space + rest

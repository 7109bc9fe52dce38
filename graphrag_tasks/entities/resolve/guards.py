"""Guard: what keeps two names apart, however alike they look."""

from __future__ import annotations

from collections.abc import Collection

from graphrag_tasks.entities.resolve.candidates import Name
from graphrag_tasks.language import forms
from graphrag_tasks.language.names import is_code

_PROPER = frozenset({"PERSON", "GPE", "LOC", "NORP", "WORK_OF_ART", "EVENT"})
_PEOPLE_AND_PLACES = (frozenset({"PERSON"}), frozenset({"GPE", "LOC"}))
_SPELLED = frozenset({"brackets", "apostrophe", "accents", "spelling", "slip", "number", "spacing"})


def objection(left: Name, right: Name, rules: Collection[str]) -> str | None:
    """Return the guard that keeps a pair apart, or None.

    * `numbers`: versions, dates or quantities differ ("S/4HANA 1809", "S/4HANA 1909").
    * `code`: an identifier has one spelling ("VBBS_OLD", "VBBS OLD").
    * `letter`: a single letter is a name of its own ("model S", "models").
    * `proper_number`: a name is no plural of another ("Carlo", "Carlos").
    * `types`: one is a person, the other a place.
    """
    used = _SPELLED.intersection(rules)
    if forms.numbers(left.key) != forms.numbers(right.key):
        return "numbers"
    if used and (is_code(left.key) or is_code(right.key)):
        return "code"
    if "spacing" in used and (forms.has_lone_letter(left.key) or forms.has_lone_letter(right.key)):
        return "letter"
    if "number" in used and (_is_proper(left) or _is_proper(right)):
        return "proper_number"
    if _conflict(left.type, right.type):
        return "types"
    return None


def _is_proper(name: Name) -> bool:
    return name.type in _PROPER and not name.name[0].islower()


def _conflict(left: str | None, right: str | None) -> bool:
    people, places = _PEOPLE_AND_PLACES
    return (left in people and right in places) or (left in places and right in people)

"""Entity types from a name's shape and words, else from its model label.

The language model's labels are made for news: it takes "String" for a person and "JSON" for an organisation. The type
of a technical name shows in its shape ("CL_ABAP_TYPEDESCR" is a class) or in the noun beside it ("table VBBE"). A
user's list comes first. Types from the rest of the corpus are in `kinds`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from graphrag_tasks.core.schemas import KIND, LABEL, SHAPE, USER
from graphrag_tasks.entities.normalize.problems import LITERAL_TYPES
from graphrag_tasks.language.dictionary import first_name_gender
from graphrag_tasks.language.domain import Domain

_CODE = r"(?=\S*[A-Z0-9_/])(?:/\w+/)?[A-Za-z]\w*(?:[-~]\w+)?"
_CODE_SHAPE = re.compile(r"(?:/\w+/)?[A-Z][A-Z0-9_]*[A-Z0-9]|[a-z]\w*_\w+|[A-Z][A-Z0-9]*-[0-9]+")
_MARKED = re.compile(r"[0-9_]")
_CODED = re.compile(r" .*[A-Z0-9_/]|[A-Z0-9_/].* ")
_ADJECTIVES = "custom|customer|new|obsolete|old|standard"  # Adjectives that may stand before a kind in any domain.

TECHNICAL: Final = (USER, SHAPE, KIND)
"""Type sources that outvote any number of labels; the user's list outvotes the other two."""

_SHAPED = re.compile(r"[\d_/.:>-]")  # A character that every shape contains; names without one skip the shape patterns.
_SHORT_PLACES: Final = frozenset({"EU", "NYC", "UAE", "UK", "US", "USA", "USSR"})
_OFTEN_WRONG: Final = frozenset({"PERSON", "GPE"})


class NameTypes:
    """Finds the entity types of names; the domain's kinds and shapes come first."""

    def __init__(self, domain: Domain, is_known: Callable[[str], bool]) -> None:
        self._domain = domain
        self._is_known = is_known
        kind = rf"({domain.any_typed_kind})"
        before = rf"(?:(?:{_ADJECTIVES}|{domain.any_qualifier}) )*"
        self._kind_code = re.compile(rf"(?i:{before}{kind}) ({_CODE})")
        self._code_kind = re.compile(rf"({_CODE}) (?i:{kind})")

    def of(self, name: str, label: str) -> tuple[str, str] | None:
        """Return the entity type of a name without noise, and its source; or None.

        `label` is the language model's; empty for none.
        """
        if type_ := self._domain.type_by_name(name.casefold()):
            return type_, USER
        return self.without_lists(name, label)

    def without_lists(self, name: str, label: str) -> tuple[str, str] | None:
        """Return the type and its source without the user's list of names."""
        is_plain = name.islower() and name.replace(" ", "").isalpha()  # most are
        if not is_plain or self._domain.has_simple_shapes:
            if type_ := self._by_shape(name):
                return type_, SHAPE
            if type_ := self._by_kind(name):
                return type_, KIND
        if not label or not _is_credible(name, label, self._is_known):
            return None
        return label, LABEL

    def overruled(self, name: str, type_: str | None, told_by: str | None) -> str | None:
        """Return the type that the user's list overruled, or None."""
        other = self.without_lists(name, "") if told_by == USER else None
        return other[0] if other and other[0] != type_ else None

    def _by_shape(self, name: str) -> str | None:
        if self._domain.has_simple_shapes or _SHAPED.search(name):
            return self._domain.type_by_shape(name)
        return None

    def _by_kind(self, name: str) -> str | None:
        """Return the kind that a name contains: "table VBBE", "MD04 transaction"."""
        if not _CODED.search(name) or name.isupper():  # a statement: "READ TABLE"
            return None
        if match := self._kind_code.fullmatch(name):
            kind, code = match.groups()
            return self._domain.typed_kinds[kind.lower()] if _CODE_SHAPE.fullmatch(code) else None
        if match := self._code_kind.fullmatch(name):
            code, kind = match.groups()
            return self._domain.typed_kinds[kind.lower()] if _MARKED.search(code) else None
        return None


def _is_credible(name: str, label: str, is_known: Callable[[str], bool]) -> bool:
    """Return whether a model label is plausible for a name.

    Proper names begin with a capital, and literals are no entities; abbreviations are no people and hardly places;
    people have a person's name.
    """
    if label in LITERAL_TYPES or name.split(" ")[0].islower():
        return False
    if label not in _OFTEN_WRONG:
        return True
    words = re.findall(r"[^\W\d_]+", name)
    if " " not in name and name[1:] != name[1:].lower():
        return name in _SHORT_PLACES
    return label != "PERSON" or any(first_name_gender(word) or not is_known(word) for word in map(str.casefold, words))

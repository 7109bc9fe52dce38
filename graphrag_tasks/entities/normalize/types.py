"""Entity types: what a name's shape, its words and the header of its column tell, else its label.

The language model's labels are made for news: it takes "String" for a person and "JSON" for an
organisation. What a technical name is shows in its shape ("CL_ABAP_TYPEDESCR" is a class), in the
noun beside it ("table VBBE") or in the header above it ("Transaction Code").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from graphrag_tasks.entities.normalize.problems import LITERAL_TYPES
from graphrag_tasks.language.gender import first_name_gender

_KINDS: Final = {
    "authorization object": "AUTHORIZATION_OBJECT",
    "badi": "BADI",
    "bapi": "FUNCTION_MODULE",
    "cds entity": "CDS_VIEW",
    "cds view": "CDS_VIEW",
    "cds view entity": "CDS_VIEW",
    "class": "CLASS",
    "data element": "DATA_ELEMENT",
    "database table": "TABLE",
    "field": "FIELD",
    "function module": "FUNCTION_MODULE",
    "idoc": "IDOC",
    "interface": "INTERFACE",
    "method": "METHOD",
    "note": "NOTE",
    "package": "PACKAGE",
    "program": "PROGRAM",
    "report": "PROGRAM",
    "role": "ROLE",
    "sap note": "NOTE",
    "structure": "STRUCTURE",
    "table": "TABLE",
    "transaction": "TRANSACTION",
    "transaction code": "TRANSACTION",
    "transparent table": "TABLE",
}
HEADER_RELATIONS: Final = tuple(f"have {kind}" for kind in sorted(_KINDS))
"""Relations of a row to a cell whose header is a kind."""

_WORDS = "|".join(sorted(_KINDS, key=len, reverse=True))
_SCOPE = r"(?:(?:abap|custom|customer|global|local|obsolete|old|new|sap|standard) )*"
_CODE = r"(?=\S*[A-Z0-9_/])(?:/\w+/)?[A-Za-z]\w*(?:[-~]\w+)?"
_CODE_SHAPE = re.compile(r"(?:/\w+/)?[A-Z][A-Z0-9_]*[A-Z0-9]|[a-z]\w*_\w+")
_MARKED = re.compile(r"[0-9_]")
_CODED = re.compile(r" .*[A-Z0-9_/]|[A-Z0-9_/].* ")
_KIND_CODE = re.compile(rf"(?i:{_SCOPE}({_WORDS})) ({_CODE})")
_CODE_KIND = re.compile(rf"({_CODE}) (?i:({_WORDS}))")

_SHAPES: Final = (
    (re.compile(r"(?:https?|ftp)://\S+|www\.\S+"), "URL"),
    (re.compile(r"(?:/\w+/)?(?:[zylZYL]?(?:cl|CL)|(?:cx|CX)|[zyZY](?:cx|CX))_\w+"), "CLASS"),
    (re.compile(r"(?:/\w+/)?[zylZYL]?(?:if|IF)_\w+"), "INTERFACE"),
    (re.compile(r"BAPI_\w+"), "FUNCTION_MODULE"),
    (re.compile(r"\w+(?:=>|->)\w+"), "COMPONENT"),
    (re.compile(r"(?:BADI|badi)_\w+"), "BADI"),
    (re.compile(r"[IC]_[A-Z][a-z]\w*"), "CDS_VIEW"),
    (re.compile(r"(?:SAP )?[Nn]otes? \d{4,}"), "NOTE"),
    (re.compile(r"SAP_(?:BR|BC|A4C|CORE)_\w+"), "ROLE"),
    (re.compile(r"(?:sy|SY)-\w+"), "FIELD"),
    (re.compile(r"(?:[Vv]ersion|[Rr]elease) v?\d[\w.]*|v\d+(?:\.\d+)*"), "VERSION"),
    (re.compile(r"(?:~|\.{1,2})?(?:/[\w.-]+){2,}/?|[\w-]+(?:/[\w.-]+)+\.[a-z]{1,5}"), "PATH"),
)
_SHAPED = re.compile(r"[\d_/.:>-]")
"""A sign that every shape has: names without one, which are most, are looked at no further."""
_SHORT_PLACES: Final = frozenset({"EU", "NYC", "UAE", "UK", "US", "USA", "USSR"})
_DOUBTED: Final = frozenset({"PERSON", "GPE"})


def type_of(
    name: str, label: str, header: str | None, is_known: Callable[[str], bool]
) -> str | None:
    """Return the entity type of a name.

    Args:
        name: A surface without noise.
        label: What the language model takes it for; empty for none.
        header: One of `HEADER_RELATIONS`, where a cell under such a header has the name.
        is_known: Whether a word in small letters is one of the language.
    """
    is_plain = name.islower() and name.replace(" ", "").isalpha()  # most are
    technical = None if is_plain else _by_shape(name) or _by_kind(name)
    if technical is None and header and _CODE_SHAPE.fullmatch(name):
        technical = _KINDS[header.removeprefix("have ")]
    return technical or (label if label and _is_credible(name, label, is_known) else None)


def _by_shape(name: str) -> str | None:
    if not _SHAPED.search(name):
        return None
    return next((type_ for shape, type_ in _SHAPES if shape.fullmatch(name)), None)


def _by_kind(name: str) -> str | None:
    """Return the kind that a name says of itself: "table VBBE", "MD04 transaction"."""
    if not _CODED.search(name) or name.isupper():  # a statement: "READ TABLE"
        return None
    if match := _KIND_CODE.fullmatch(name):
        kind, code = match.groups()
        return _KINDS[kind.lower()] if _CODE_SHAPE.fullmatch(code) else None
    if match := _CODE_KIND.fullmatch(name):
        code, kind = match.groups()
        return _KINDS[kind.lower()] if _MARKED.search(code) else None
    return None


def _is_credible(name: str, label: str, is_known: Callable[[str], bool]) -> bool:
    """Return whether a label may be right.

    Proper names begin with a capital, and what names a node is no value; abbreviations are no
    people and hardly places; people have a person's name.
    """
    if label in LITERAL_TYPES or name.split(" ")[0].islower():
        return False
    if label not in _DOUBTED:
        return True
    words = re.findall(r"[^\W\d_]+", name)
    if " " not in name and name[1:] != name[1:].lower():
        return name in _SHORT_PLACES
    return label != "PERSON" or any(
        first_name_gender(word) or not is_known(word) for word in map(str.casefold, words)
    )

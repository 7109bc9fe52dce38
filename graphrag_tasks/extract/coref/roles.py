"""Grammatical roles, as coarse as the ranking of antecedents needs them."""

from __future__ import annotations

from enum import IntEnum

from graphrag_tasks.extract.coref.parses import SUBJECTS, Parse

OBJECTS = frozenset({"dobj", "dative", "iobj"})


class Role(IntEnum):
    """What a noun phrase is in its clause; the numbers are values of a feature."""

    SUBJECT = 0
    OBJECT = 1
    POSSESSOR = 2
    OBLIQUE = 3
    AGENT = 4
    ATTRIBUTE = 5
    APPOSITION = 6
    ROOT = 7
    OTHER = 8


_ROLES = dict.fromkeys(SUBJECTS, Role.SUBJECT) | dict.fromkeys(OBJECTS, Role.OBJECT) | {
    "poss": Role.POSSESSOR, "pobj": Role.OBLIQUE, "attr": Role.ATTRIBUTE,
    "appos": Role.APPOSITION, "ROOT": Role.ROOT,
}  # fmt: skip


def role_of(parse: Parse, token: int) -> Role:
    """Return the role of the phrase that a token heads."""
    if parse.deps[token] == "pobj" and parse.deps[parse.heads[token]] == "agent":
        return Role.AGENT
    return _ROLES.get(parse.deps[token], Role.OTHER)

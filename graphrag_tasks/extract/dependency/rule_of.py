"""Which rule a frame comes from."""

from __future__ import annotations

from collections.abc import Collection

from graphrag_tasks.extract.dependency.subjects import Origin
from graphrag_tasks.extract.frames import Argument, Role, Rule

_BY_ORIGIN = {
    Origin.EXPLETIVE: Rule.EXISTENTIAL,
    Origin.RELATIVE: Rule.RELATIVE,
    Origin.ACL: Rule.ACL,
    Origin.INHERITED: Rule.INHERITED,
    Origin.IMPERATIVE: Rule.IMPERATIVE,
}


def rule_of(origin: Origin, *, lemma: str, passive: bool, arguments: Collection[Argument]) -> Rule:
    """Return the rule that a verb's frame falls under.

    Args:
        origin: Where the subject was found; anything but `DIRECT` decides alone.
        lemma: Lemma of the predicate.
        passive: Whether it is passive.
        arguments: The arguments other than the subject.
    """
    if origin is not Origin.DIRECT:
        return _BY_ORIGIN[origin]
    if passive:
        return Rule.PASSIVE
    roles = {argument.role for argument in arguments}
    if lemma.split()[0] == "be" and Role.OBJECT not in roles:
        return Rule.COPULA
    for deciding, rule in _BY_ROLE:
        if roles & deciding:
            return rule
    return Rule.ADVERBIAL


_BY_ROLE: tuple[tuple[frozenset[str], Rule], ...] = (
    (frozenset({Role.OBJECT, Role.COMPLEMENT, Role.INDIRECT_OBJECT}), Rule.SVO),
    (frozenset({Role.CLAUSE}), Rule.CLAUSAL),
    (frozenset({Role.OBLIQUE, Role.AGENT}), Rule.VERB_PREP),
)
"""First match decides."""

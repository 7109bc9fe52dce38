"""Which rule a frame comes from, and how far each rule is to be trusted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

from graphrag_tasks.extract.frames import Argument, Role, Rule
from graphrag_tasks.extract.subjects import Origin

RULES_VERSION = 1
"""Raised with every change that alters the frames of some sentence: it enters fingerprints."""

CONFIDENCE: Mapping[Rule, float] = MappingProxyType(
    {
        Rule.SVO: 0.90,  # Subject and object both stand beside the verb.
        Rule.PASSIVE: 0.90,  # As safe as its active form.
        Rule.COPULA: 0.90,  # Short distance from subject to complement.
        Rule.VERB_PREP: 0.85,  # Attachment of prepositions is the parser's weak point.
        Rule.CLAUSAL: 0.85,  # The clause is right, its extent less often.
        Rule.ADVERBIAL: 0.80,  # True, but it says little.
        Rule.RELATIVE: 0.75,  # The clause may belong to another noun.
        Rule.INHERITED: 0.70,  # The subject may be another one.
        Rule.ACL: 0.70,  # The participle may belong to another noun.
        Rule.IMPERATIVE: 0.70,  # Nouns at a sentence's start are mistaken for commands.
        Rule.APPOSITION: 0.60,  # Lists are mistaken for appositions.
        Rule.EXISTENTIAL: 0.50,  # "There" is no subject, and the complement often no fact.
        Rule.POSSESSIVE: 0.40,  # "Has" is the commonest reading of many.
    }
)
"""Set by hand, in the order of the rules' precision on the CaRB development set."""

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

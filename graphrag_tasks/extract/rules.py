"""Which rule a frame comes from, and how far each rule is to be trusted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

from graphrag_tasks.extract.frames import Argument, Role, Rule
from graphrag_tasks.extract.subjects import Origin

RULES_VERSION = 2
"""Raised with every change that alters the frames of some sentence: it enters fingerprints."""

CONFIDENCE: Mapping[Rule, float] = MappingProxyType(
    {
        Rule.PASSIVE: 0.75,  # The auxiliary marks it, so tagging errors are rare.
        Rule.CLAUSAL: 0.75,  # Few arguments, of which the clause reaches to the end.
        Rule.VERB_PREP: 0.75,  # The main argument stands right after its verb.
        Rule.SVO: 0.70,  # Further prepositions may belong to the object instead.
        Rule.INHERITED: 0.65,  # The subject may be another noun of the sentence.
        Rule.COPULA: 0.60,  # Definitions run on, and what belongs to them is often trimmed.
        Rule.RELATIVE: 0.60,  # The clause may belong to another noun.
        Rule.ADVERBIAL: 0.60,  # True, but it says little.
        Rule.IMPERATIVE: 0.60,  # Not in the benchmark; mistagged nouns look like commands.
        Rule.ACL: 0.50,  # The participle may belong to another noun, or be a mere adjective.
        Rule.APPOSITION: 0.50,  # Lists are mistaken for appositions.
        Rule.EXAMPLE: 0.60,
        Rule.EXISTENTIAL: 0.25,  # "There" is no subject, and the complement often no fact.
        Rule.POSSESSIVE: 0.20,  # "Has" is only one of the things a possessive can mean.
    }
)
"""Set by hand, near the share of right words in each rule's tuples on CaRB's development set."""

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

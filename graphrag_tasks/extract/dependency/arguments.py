"""Collect the arguments of a predicate from the children of its verbs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from graphrag_tasks.extract.dependency.nominal import clause_argument, noun_arguments
from graphrag_tasks.extract.dependency.predicates import (
    by_doing,
    chaining_adjective,
    governed,
    is_chained,
    is_instrument,
    is_predicate_adverb,
    light_noun,
    relational_adjective,
)
from graphrag_tasks.extract.dependency.subjects import Origin
from graphrag_tasks.extract.dependency.syntax import (
    ADDRESSEES,
    RELATIVE_TAGS,
    TIME_ENTITIES,
    children,
    conjunction_heads,
    denies_phrase,
    descendant,
    first_child,
    has_subject,
    is_verbal,
)
from graphrag_tasks.extract.frames import Argument, Role
from graphrag_tasks.extract.words import words
from graphrag_tasks.language.tokens import Token

_NOMINAL_ROLES = {
    "dobj": Role.OBJECT,
    "dative": Role.INDIRECT_OBJECT,
    "attr": Role.COMPLEMENT,
    "oprd": Role.COMPLEMENT,
    "acomp": Role.COMPLEMENT,
}
_SPEECH_VERBS = words("speech_verbs")
"""Verbs whose clause may come first ("It is new, SAP says"); with other verbs, a clause before the verb is a main
clause that was wrongly attached."""
_ORDERING_VERBS, _CRITERIA = words("ordering_verbs"), words("criteria")
"""Verbs and nouns whose "by" gives a criterion: "grouped by vendor", "identified by its number"."""
_COMPARISONS = frozenset({"like", "unlike"})


def collect_arguments(chain: list[Token], origin: Origin) -> list[Argument]:
    """Return the arguments of a verb chain except the subject, in order.

    In a relative clause with its own subject, the noun it modifies is an argument: the object ("the table that SAP
    replaced"), or of a preposition ("the table in which").
    """
    clause = chain[0]
    antecedent = clause.head if clause.dep_ == "relcl" and origin is Origin.DIRECT else None
    adjective = relational_adjective(chain)
    groups = [group for verb in chain for group in _groups(verb, adjective, antecedent)]
    if antecedent is not None and _lacks_object(groups, clause, antecedent):
        groups.append(noun_arguments(Role.OBJECT, antecedent, split=False, without=[clause]))
    groups += [*_shared_objects(chain[-1]), *_shared_fronted(clause)]
    groups = sorted((group for group in groups if group), key=lambda group: group[0].head_start)
    return [replace(argument, slot=slot) for slot, group in enumerate(groups, 1) for argument in group]


def _shared_objects(verb: Token) -> Iterator[list[Argument]]:
    """Yield the object that a verb shares with its conjunct: "check and [then] repair the items".

    Nothing may stand between the verb and the conjunction.
    """
    last, item = verb, first_child(verb, "dobj")
    if item is not None:
        return
    while item is None:
        conjunct = next((one for one in children(last, "conj") if one.tag_ == verb.tag_), None)
        if conjunct is None or has_subject(conjunct):
            return
        between = map(verb.doc.__getitem__, range(last.i + 1, conjunct.i))
        if any(token.dep_ not in ("cc", "punct", "advmod") for token in between):
            return
        last, item = conjunct, first_child(conjunct, "dobj")
    if item.tag_ not in RELATIVE_TAGS:
        yield noun_arguments(Role.OBJECT, item)


def _shared_fronted(verb: Token) -> Iterator[list[Argument]]:
    """Yield fronted phrases that coordinated verbs share: "In ADT, you can read and edit items"."""
    first = list(conjunction_heads(verb))[-1]
    subject = first_child(first, "nsubj")
    if first is verb or has_subject(verb) or subject is None or subject.lower_ not in ADDRESSEES:
        return
    for preposition in children(first, "prep"):
        if preposition.i < subject.i:
            yield from _prepositional(preposition, None)


def _lacks_object(groups: list[list[Argument]], clause: Token, antecedent: Token) -> bool:
    """Tell whether a relative clause still lacks its object.

    It does not if a preposition took the noun, after "where", "when" and "whose", or in the passive ("a package, in
    which case no request is needed").
    """
    if first_child(clause, "auxpass"):
        return False
    arguments = [argument for group in groups for argument in group]
    if any(a.role == Role.OBJECT or a.head_start == antecedent.idx for a in arguments):
        return False
    relative = next((token for token in clause.subtree if _is_relative(token)), None)
    return relative is None or relative.tag_ in RELATIVE_TAGS


def _is_relative(token: Token) -> bool:
    if token.dep_ in ("dobj", "pobj", "advmod"):
        return token.tag_ in RELATIVE_TAGS or token.tag_ == "WRB"
    return token.tag_ == "WP$"


def _groups(verb: Token, adjective: Token | None, antecedent: Token | None) -> Iterator[list[Argument]]:
    """Yield one list of coordinated arguments for each child of a verb."""
    chaining = chaining_adjective(verb)
    for child in verb.children:
        if child == chaining or _compares_clauses(child):
            continue
        if child == adjective:
            for preposition in children(child, "prep"):
                yield from _prepositional(preposition, antecedent)
        elif child.dep_ in ("prep", "agent") or (child.dep_ == "dative" and child.pos_ == "ADP"):
            yield from _prepositional(child, antecedent)
        elif is_instrument(child):
            item = children(child, "dobj")[0]
            yield noun_arguments(Role.OBLIQUE, item, preposition=child.lower_)
        elif child.dep_ in _NOMINAL_ROLES:
            yield from _nominal(child)
        elif child.dep_ in ("advmod", "npadvmod"):
            yield from _adverbial(child, antecedent)
        elif _is_clause(child):
            yield clause_argument(Role.CLAUSE, child)


def _compares_clauses(child: Token) -> bool:
    """Tell whether a preposition compares whole clauses: "affects views, just like GRANT"."""
    if child.dep_ != "prep" or child.lower_ not in _COMPARISONS:
        return False
    before = [child.doc[place].lower_ for place in range(max(child.left_edge.i - 2, 0), child.i)]
    return child.left_edge.i == 0 or "," in before


def _is_clause(child: Token) -> bool:
    if child.dep_ == "xcomp":
        return child.i > child.head.i and not is_chained(child)
    fronted = child.i < child.head.i
    return child.dep_ == "ccomp" and (not fronted or child.head.lemma_ in _SPEECH_VERBS)


def _nominal(noun: Token) -> Iterator[list[Argument]]:
    """Yield an object or complement, or the object of a light verb's noun.

    Includes the rejected alternative ("X rather than Y"), which spaCy parses as coordination.
    """
    light = light_noun(noun)
    if light is not None:
        yield noun_arguments(Role.OBLIQUE, light[0], preposition=light[1])
    elif noun.tag_ not in RELATIVE_TAGS:
        yield noun_arguments(_NOMINAL_ROLES[noun.dep_], noun)
        for conjunction in children(noun, "cc"):
            other, text = governed(conjunction)
            if other is not None:
                yield noun_arguments(Role.OBLIQUE, other, preposition=text)


def _adverbial(adverb: Token, antecedent: Token | None) -> Iterator[list[Argument]]:
    if adverb.lower_ == "where" and antecedent is not None and not is_verbal(antecedent):
        yield noun_arguments(
            Role.OBLIQUE, antecedent, preposition="in", split=False, without=children(antecedent, "relcl")
        )
        return
    if adverb.dep_ == "npadvmod":
        role = Role.TIME if adverb.ent_type_ in TIME_ENTITIES else Role.ADVERBIAL
        yield noun_arguments(role, adverb, split=False)
        return
    preposition, noun = first_child(adverb, "prep"), descendant(adverb, "prep", "pobj")
    if preposition is not None and noun is not None and preposition.i == adverb.i + 1:
        text = f"{adverb.lower_} {preposition.lower_}"
        yield noun_arguments(Role.OBLIQUE, noun, preposition=text)
    elif adverb.tag_ != "WRB" and not is_predicate_adverb(adverb):
        yield clause_argument(Role.ADVERBIAL, adverb)


def _is_criterion(preposition: Token, noun: Token | None) -> bool:
    """Tell whether "by" gives a criterion, not an agent: "sorted by date"."""
    by_order = preposition.head.lemma_ in _ORDERING_VERBS
    return by_order or (noun is not None and noun.lemma_ in _CRITERIA)


def _is_denied(preposition: Token) -> bool:
    """Tell whether a coordinated phrase is denied: "from the command line and not from a shell"."""
    denial = first_child(preposition, "neg")
    if denial is not None:
        return denies_phrase(denial)
    first = preposition.left_edge
    before = first.doc[first.i - 1] if first.i else first
    denial = next((one for one in (first, before) if denies_phrase(one)), None)
    return denial is not None and denial.head != preposition.head


def _prepositional(first: Token, antecedent: Token | None) -> Iterator[list[Argument]]:
    """Yield the arguments of a preposition, and of prepositions nested in it or joined to it."""
    pending = [first]
    for preposition in pending:
        if _is_denied(preposition):
            continue
        noun, text = governed(preposition)
        is_agent = first.dep_ == "agent" and preposition == first and not _is_criterion(first, noun)
        role = Role.AGENT if is_agent else Role.OBLIQUE
        if (means := by_doing(preposition)) is not None:
            text = f"{preposition.lower_} {means[0].lower_}"
            yield noun_arguments(Role.OBLIQUE, means[1], preposition=text)
            continue
        if noun is None and list(preposition.children):
            yield clause_argument(Role.ADVERBIAL, preposition)
            continue
        if noun is not None and noun.tag_ not in RELATIVE_TAGS:
            yield noun_arguments(role, noun, preposition=text)
        elif antecedent is not None:
            without = children(antecedent, "relcl")
            yield noun_arguments(role, antecedent, preposition=text, split=False, without=without)
        pending.extend(
            child
            for child in children(preposition, "prep", "conj")
            if child.pos_ == "ADP" and first_child(child, "pobj") not in (None, noun)
        )

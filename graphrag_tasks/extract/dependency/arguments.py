"""The arguments of a predicate, collected from the children of its verbs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphrag_tasks.extract.dependency.nominal import clause_argument, noun_arguments
from graphrag_tasks.extract.dependency.predicates import (
    chaining_adjective,
    is_chained,
    is_instrument,
    is_predicate_adverb,
    relational_adjective,
)
from graphrag_tasks.extract.dependency.prepositions import by_doing, governed, light_noun
from graphrag_tasks.extract.dependency.subjects import Origin
from graphrag_tasks.extract.dependency.syntax import (
    ADDRESSEES,
    RELATIVE_TAGS,
    children,
    conjunction_heads,
    first_child,
    has_subject,
)
from graphrag_tasks.extract.frames import Argument, Role

if TYPE_CHECKING:
    from graphrag_tasks.language.tokens import Token

_NOMINAL_ROLES = {
    "dobj": Role.OBJECT,
    "dative": Role.INDIRECT_OBJECT,
    "attr": Role.COMPLEMENT,
    "oprd": Role.COMPLEMENT,
    "acomp": Role.COMPLEMENT,
}
_TIME_ENTITIES = frozenset({"DATE", "TIME"})
_SPEECH_VERBS = frozenset(
    {"say", "tell", "add", "report", "note", "argue", "claim", "explain", "announce", "ask"}
    | {"think", "believe", "write", "state", "suggest", "observe", "reply", "comment", "recall"}
    | {"insist", "contend", "predict", "warn", "admit", "acknowledge", "concede", "declare"}
    | {"maintain", "estimate", "conclude", "assert", "agree", "complain", "joke", "quip", "remark"}
    | {"figure", "assume", "expect", "guess", "suppose", "know", "feel", "hope", "mean"}
    | {"indicate", "show"}
)
"""Verbs whose clause may stand before them ("It is new, SAP says"); with others, a clause
before the verb is a main clause of its own, wrongly attached."""
_RELATIVE_DEPS = frozenset({"dobj", "pobj", "advmod"})


def collect_arguments(chain: list[Token], origin: Origin) -> list[Argument]:
    """Return the arguments of a chain of verbs other than its subject, in order.

    Args:
        chain: Result of `predicates.verb_chain`.
        origin: Where the subject of its first verb was found. In a relative clause with a
            subject of its own, the noun it belongs to is an argument: the object ("the table
            that SAP replaced"), or what a preposition is for ("the table in which ...").
    """
    clause = chain[0]
    antecedent = None
    if clause.dep_ == "relcl" and origin is Origin.DIRECT:
        antecedent = clause.head
    adjective = relational_adjective(chain)
    groups = [group for verb in chain for group in _groups(verb, adjective, antecedent)]
    if antecedent is not None and _lacks_object(groups, clause, antecedent):
        groups.append(noun_arguments(Role.OBJECT, antecedent, slot=0, split=False))
    groups.extend(_shared_objects(chain[-1]))
    groups.extend(_shared_fronted(clause))
    groups = sorted((group for group in groups if group), key=lambda group: group[0].head_start)
    return [
        argument.in_slot(slot) for slot, group in enumerate(groups, start=1) for argument in group
    ]


def _shared_objects(verb: Token) -> Iterator[list[Argument]]:
    """Yield the object that a verb shares with its conjunct: "check and [then] repair the items".

    Nothing may stand between the verb and the conjunction.
    """
    following = verb
    while following is not None and first_child(following, "dobj") is None:
        conjunct = next((one for one in children(following, "conj") if one.tag_ == verb.tag_), None)
        if conjunct is None or has_subject(conjunct):
            return
        between = verb.doc
        if any(
            between[i].dep_ not in ("cc", "punct", "advmod")
            for i in range(following.i + 1, conjunct.i)
        ):
            return
        following = conjunct
    item = None if following is verb else first_child(following, "dobj")
    if item is not None and item.tag_ not in RELATIVE_TAGS:
        yield noun_arguments(Role.OBJECT, item, slot=0)


def _shared_fronted(verb: Token) -> Iterator[list[Argument]]:
    """Yield what stands before all that a reader can do: "In ADT, you can read and edit items"."""
    first = list(conjunction_heads(verb))[-1]
    subject = first_child(first, "nsubj")
    if first is verb or has_subject(verb) or subject is None or subject.lower_ not in ADDRESSEES:
        return
    for preposition in children(first, "prep"):
        if preposition.i < subject.i:
            yield from _prepositional(preposition, None)


def _lacks_object(groups: list[list[Argument]], clause: Token, antecedent: Token) -> bool:
    """Return whether a relative clause still misses its object.

    It does not when a preposition took the noun, nor after "where", "when" and "whose", nor in
    the passive ("a package, in which case no request is needed").
    """
    if first_child(clause, "auxpass"):
        return False
    arguments = [argument for group in groups for argument in group]
    if any(a.role == Role.OBJECT or a.head_start == antecedent.idx for a in arguments):
        return False
    relative = next((token for token in clause.subtree if _is_relative(token)), None)
    return relative is None or relative.tag_ in RELATIVE_TAGS


def _is_relative(token: Token) -> bool:
    if token.dep_ in _RELATIVE_DEPS:
        return token.tag_ in RELATIVE_TAGS or token.tag_ == "WRB"
    return token.tag_ == "WP$"


def _groups(
    verb: Token, adjective: Token | None, antecedent: Token | None
) -> Iterator[list[Argument]]:
    """Yield one list of coordinated arguments for each child of a verb."""
    chaining = chaining_adjective(verb)
    for child in verb.children:
        if child == chaining:
            continue
        if child == adjective:
            for preposition in children(child, "prep"):
                yield from _prepositional(preposition, antecedent)
        elif child.dep_ in ("prep", "agent") or (child.dep_ == "dative" and child.pos_ == "ADP"):
            yield from _prepositional(child, antecedent)
        elif is_instrument(child):
            yield from _instrument(child)
        elif child.dep_ in _NOMINAL_ROLES:
            yield from _nominal(child)
        elif child.dep_ in ("advmod", "npadvmod"):
            yield from _adverbial(child, antecedent)
        elif _is_clause(child):
            yield clause_argument(Role.CLAUSE, child, slot=0)


def _instrument(participle: Token) -> Iterator[list[Argument]]:
    noun = first_child(participle, "dobj")
    if noun is not None:
        yield noun_arguments(Role.OBLIQUE, noun, slot=0, preposition=participle.lower_)


def _is_clause(child: Token) -> bool:
    if child.dep_ == "xcomp":
        return child.i > child.head.i and not is_chained(child)
    fronted = child.i < child.head.i
    return child.dep_ == "ccomp" and (not fronted or child.head.lemma_ in _SPEECH_VERBS)


def _nominal(noun: Token) -> Iterator[list[Argument]]:
    """Yield an object or complement, or what its light verb is about."""
    light = light_noun(noun)
    if light is not None:
        yield noun_arguments(Role.OBLIQUE, light[0], slot=0, preposition=light[1])
    elif noun.tag_ not in RELATIVE_TAGS:
        yield noun_arguments(_NOMINAL_ROLES[noun.dep_], noun, slot=0)
        yield from _alternatives(noun)


def _alternatives(noun: Token) -> Iterator[list[Argument]]:
    """Yield what a noun is chosen over ("X rather than Y"), which spaCy parses as coordination."""
    for conjunction in children(noun, "cc"):
        other, words = governed(conjunction)
        if other is not None:
            yield noun_arguments(Role.OBLIQUE, other, slot=0, preposition=words)


def _adverbial(adverb: Token, antecedent: Token | None) -> Iterator[list[Argument]]:
    if adverb.lower_ == "where" and antecedent is not None:
        yield noun_arguments(Role.OBLIQUE, antecedent, slot=0, preposition="in", split=False)
        return
    if adverb.dep_ == "npadvmod":
        timed = adverb.ent_type_ in _TIME_ENTITIES
        yield noun_arguments(Role.TIME if timed else Role.ADVERBIAL, adverb, slot=0, split=False)
        return
    preposition = first_child(adverb, "prep")
    noun = None if preposition is None else first_child(preposition, "pobj")
    if preposition is not None and noun is not None and preposition.i == adverb.i + 1:
        words = f"{adverb.lower_} {preposition.lower_}"
        yield noun_arguments(Role.OBLIQUE, noun, slot=0, preposition=words)
    elif adverb.tag_ != "WRB" and not is_predicate_adverb(adverb):
        yield clause_argument(Role.ADVERBIAL, adverb, slot=0)


def _prepositional(first: Token, antecedent: Token | None) -> Iterator[list[Argument]]:
    """Yield the argument of a preposition, and those of the ones nested in it or joined to it."""
    pending = [first]
    for preposition in pending:
        noun, words = governed(preposition)
        role = Role.AGENT if first.dep_ == "agent" and preposition == first else Role.OBLIQUE
        means = by_doing(preposition)
        if means is not None:
            gerund, item = means
            words = f"{preposition.lower_} {gerund.lower_}"
            yield noun_arguments(Role.OBLIQUE, item, slot=0, preposition=words)
            continue
        if noun is None and list(preposition.children):
            yield clause_argument(Role.ADVERBIAL, preposition, slot=0)
            continue
        if noun is None or noun.tag_ in RELATIVE_TAGS:
            if antecedent is not None:
                yield noun_arguments(role, antecedent, slot=0, preposition=words, split=False)
        else:
            yield noun_arguments(role, noun, slot=0, preposition=words)
        pending.extend(
            child
            for child in children(preposition, "prep", "conj")
            if child.pos_ == "ADP" and first_child(child, "pobj") not in (None, noun)
        )

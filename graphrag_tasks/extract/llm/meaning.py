"""Check whether a sentence's parse contradicts a model's fact.

That the words occur is checked elsewhere. Here, the verb must govern both ends, with no other verb
between; the head must be on its subject's side and the tail on the other; and negation must match.
A relation without a verb ("is", "has", "includes") needs an apposition, genitive, brackets or list
between its ends. If the parse leaves it open, the fact stands.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum

from graphrag_tasks.extract.llm.match import Place
from graphrag_tasks.extract.llm.relation import Relation
from graphrag_tasks.extract.llm.sides import (
    ARGUMENTS,
    CLAUSES,
    RELATIVE,
    VERBS,
    Side,
    denial_of,
    governors,
    has_subject,
    is_contrasted,
    side_of,
)
from graphrag_tasks.language.tokens import Token


class Fault(StrEnum):
    """How a sentence contradicts a fact."""

    DIRECTION = "direction"  # its head is what the relation is done to
    NEGATION = "negation"  # it denies what is told, or the other way round
    OTHER_FACT = "other_fact"  # the relation is of other words of the sentence


_AUXILIARY = frozenset({"aux", "auxpass"})
_PREDICATED = _AUXILIARY | {"xcomp", "acomp", "attr", "oprd"}
"""Labels by which a word shares the negation of its head: "is not available"."""
_FUNCTION = frozenset({"ADP", "SCONJ", "CCONJ", "DET", "PART", "AUX"})
"""Parts of speech that name nothing."""
_MARKS = frozenset({"prt", "mark", "advmod"})
_PREPOSITIONS = frozenset({"ADP", "SCONJ", "PART"})
_NOMINAL = frozenset({"NOUN", "PROPN", "NUM", "SYM", "X", "INTJ"})
"""Parts of speech that end names; the small model tags odd codes as interjections and others."""
_NOT = frozenset({"not", "n't", "n’t", "never", "no", "nor", "neither", "cannot", "without"})
_HAS = frozenset({"of", "with", "in", "within", "for", "on"})
_EXAMPLES = re.compile(r"\b(?:such as|including|includ\w+|e\.g\.|for example|like|namely|i\.e\.)")
_BESIDE = re.compile(r"[\s\"'“”‘’`*_]*(?:[(:–—=/|,\[-]|\bor\b|\baka\b|\bas\b)?[\s\"'“”‘’`*_]*")
_BE = frozenset({"be", "include", "have"})


def fault(tokens: Sequence[Token], relation: Relation, head: Place, tail: Place) -> Fault | None:
    """Return how a sentence contradicts a fact, or None.

    `head` and `tail` are the told ends, before the ends of a passive are exchanged.
    """
    ends = [_root(tokens, place) for place in (head, tail)]
    if None in ends:
        return None
    first, second = (one for one in ends if one is not None)
    is_word = any(one.text.islower() and one.pos_ in _FUNCTION for one in (first, second))
    if is_word or any(is_contrasted(one, relation.text) for one in (first, second)):
        return Fault.OTHER_FACT
    if relation.implied and relation.text in _BE and not _may_be_said_of(relation, first, second):
        return Fault.OTHER_FACT
    own = {
        token for token in tokens if any(end.start <= token.idx < end.end for end in (head, tail))
    }
    faults = [
        _fault_at(verb, tokens, relation, (first, second), own) for verb in _verbs(tokens, relation)
    ]
    if None in faults:
        return None
    if relation.implied and _is_implied(tokens, relation, (head, first), (tail, second)):
        return Fault.NEGATION if relation.negated else None
    return next((fault for fault in faults if fault is not Fault.OTHER_FACT), Fault.OTHER_FACT)


def _verbs(tokens: Sequence[Token], relation: Relation) -> Iterator[Token]:
    """Yield the tokens that may be the relation's main word: all with its lemma."""
    main = next((token for token in tokens if token.idx == relation.start), None)
    if main is None:
        return
    for token in tokens:
        is_same_word = main.pos_ in _PREPOSITIONS and token.lower_ == main.lower_
        is_main = is_same_word or (token.lemma_ == main.lemma_ and token.pos_ == main.pos_)
        if is_main and not (relation.implied and token.dep_ in _AUXILIARY):
            yield token


def _fault_at(
    verb: Token,
    tokens: Sequence[Token],
    relation: Relation,
    ends: tuple[Token, Token],
    own: Collection[Token],
) -> Fault | None:
    """Return how a verb contradicts a fact; `own` are the words of the ends."""
    head, tail = ends
    said = _said(tokens, relation, verb)
    denied = _is_denied(verb, {head, tail, *said}, own)
    if verb.pos_ not in VERBS:
        return _fault_of_other(verb, tokens, ends, said) or (
            Fault.NEGATION if relation.negated != denied else None
        )
    sides = side_of(head, verb, said), side_of(tail, verb, said)
    if _is_label_of(head, verb) and sides[1] is not Side.NONE:
        sides = Side.OPEN, sides[1]
    if Side.NONE in sides:
        if _is_done_to(head, verb) and _follows_preposition(relation, (head, tail)):
            sides = Side.OBJECT, Side.OBJECT
        elif _reads_straight(tokens, (head, verb, tail), said):
            sides = Side.OPEN, Side.OPEN
        else:
            return Fault.OTHER_FACT
    if not relation.preposition and not relation.turned and _is_below_preposition(tail, verb, said):
        return Fault.OTHER_FACT
    if not _keeps_preposition(relation, verb, (head, tail), sides):
        return Fault.DIRECTION
    if relation.turned:
        sides = sides[1], sides[0]
    if not _is_in_order(sides, relation):
        return Fault.DIRECTION
    return Fault.NEGATION if relation.negated != denied else None


def _fault_of_other(
    word: Token, tokens: Sequence[Token], ends: tuple[Token, Token], said: Collection[Token]
) -> Fault | None:
    """Return the contradiction if the main word is not a verb: "with", "responsible for"."""
    head, tail = ends
    last = word
    if word.pos_ != "ADP":
        last = max(
            (token for token in said if token.pos_ == "ADP"),
            key=lambda token: token.i,
            default=word,
        )
    below = list(governors(tail))
    is_below = last in below and not any(
        token.dep_ in CLAUSES and token not in said for token in below[: below.index(last)]
    )
    if not (is_below and _is_beside(head, word)) and not _reads_straight(
        tokens, (head, word, tail), said
    ):
        return Fault.OTHER_FACT
    if tail.i < head.i and not is_below:
        return Fault.DIRECTION
    return None


def _is_beside(end: Token, word: Token) -> bool:
    """Tell whether an end governs a word, or is subject or object of its governor."""
    above = list(governors(word))
    return end in above or any(
        token.dep_ in ARGUMENTS and token.head in above for token in (end, *governors(end))
    )


def _reads_straight(
    tokens: Sequence[Token], places: tuple[Token, Token, Token], said: Collection[Token]
) -> bool:
    """Tell whether head, main word and tail follow each other without another verb between.

    So a fact can hold even if a long or odd sentence is parsed wrongly.
    """
    head, verb, tail = places
    if not head.i < verb.i < tail.i:
        return False
    between = [token for token in tokens if head.i < token.i < tail.i and token not in said]
    return not any(
        one.pos_ == "VERB" or one.text in (";", ":", "–", "—") or one.tag_ in RELATIVE
        for one in between
    )


def _said(tokens: Sequence[Token], relation: Relation, verb: Token) -> set[Token]:
    """Return the sentence's tokens that belong to the relation."""
    words = set(relation.text.split())
    near = {token for token in tokens if token.lower_ in words or token.lemma_.lower() in words}
    joined = {one.head for one in near if one.dep_ == "conj" and not has_subject(one)}
    return {verb, *near, *joined}  # "allows to view and manage"


def _is_in_order(sides: tuple[Side, Side], relation: Relation) -> bool:
    """Tell whether the first end can be the relation's subject, and the second its object."""
    first, second = sides
    if relation.preposition and first is Side.OBJECT and second is Side.OBJECT:
        return True  # "integrate A with B": what is done to A, with B
    if relation.text.startswith("be ") and not relation.turned:  # "be stored in", "be a table"
        if first in (Side.OBJECT, Side.AGENT):
            return False
        return second not in (Side.SUBJECT, Side.PASSIVE_SUBJECT)
    if first in (Side.OBJECT, Side.PASSIVE_SUBJECT):
        return False
    return second not in (Side.SUBJECT, Side.AGENT)


def _keeps_preposition(
    relation: Relation, verb: Token, ends: tuple[Token, Token], sides: tuple[Side, Side]
) -> bool:
    """Tell whether the tail, not the head, belongs to the relation's preposition.

    This distinguishes two ends on the object's side.
    """
    if not relation.preposition or relation.turned or sides[1] is not Side.OBJECT:
        return True
    around = [verb.head, *(one for one in verb.children if one.dep_ in _MARKS)]
    if any(one.lower_ == relation.preposition for one in around):
        return sides[0] is not Side.OBJECT  # "carry out B", "for creating B"
    of_head, of_tail = (
        any(
            word.lower_ == relation.preposition
            for token in _between(end, verb)
            for word in (token, *token.children)
            if word is token or word.dep_ in _MARKS
        )
        for end in ends
    )
    return of_tail and not (of_head and sides[0] is Side.OBJECT)


def _is_label_of(head: Token, verb: Token) -> bool:
    """Tell whether a colon makes an end the subject of a verb: "getTrace: Adds entries"."""
    last = next((token for token in head.doc[head.i + 1 : verb.i] if token.text == ":"), None)
    between = head.doc[head.i + 1 : verb.i]
    return last is not None and all(
        token.is_punct or token.dep_ in ("aux", "advmod") for token in between
    )


def _is_done_to(end: Token, verb: Token) -> bool:
    """Tell whether an end, or its first conjunct, is the direct object of a verb."""
    while end.dep_ == "conj":
        end = end.head
    return end.dep_ == "dobj" and end.head is verb


def _follows_preposition(relation: Relation, ends: tuple[Token, Token]) -> bool:
    """Tell whether the tail follows the head, directly below the relation's preposition.

    A small model attaches it wrongly in "convert a file that is in A to B".
    """
    head, tail = ends
    while tail.dep_ == "conj":
        tail = tail.head
    above = tail.head
    return (
        relation.preposition is not None
        and above.lower_ == relation.preposition
        and head.i < above.i < tail.i
    )


def _is_below_preposition(tail: Token, verb: Token, said: Collection[Token]) -> bool:
    """Tell whether an end has a preposition that the relation lacks: "runs in 2020"."""
    between = list(_between(tail, verb))
    return verb in governors(tail) and any(
        token.dep_ == "prep" and token not in said and token.head is verb for token in between
    )


def _between(end: Token, verb: Token) -> Iterator[Token]:
    for governor in governors(end):
        if governor is verb:
            return
        yield governor


def _may_be_said_of(relation: Relation, head: Token, tail: Token) -> bool:
    """Tell whether two words can be the ends of "is", "has" or "includes": names, not verbs."""
    if not (_is_name(head) or head.pos_ == "PRON"):
        return False
    return _is_name(tail) or (relation.text == "be" and tail.pos_ in ("ADJ", "VERB", "ADV"))


def _is_name(word: Token) -> bool:
    """Tell whether a word can end a name, even if the parser takes a code for a verb."""
    is_written_as_one = not word.text.islower() and (word.i > 0 or not word.text.istitle())
    return word.pos_ in _NOMINAL or word.tag_ == "VBG" or is_written_as_one


def _is_implied(
    tokens: Sequence[Token],
    relation: Relation,
    head: tuple[Place, Token],
    tail: tuple[Place, Token],
) -> bool:
    """Tell whether an apposition, genitive or list, not a verb, relates two ends."""
    (first, head_root), (second, tail_root) = head, tail
    is_denied = relation.negated or denial_of(head_root) or denial_of(tail_root)
    if relation.text.split()[0] not in _BE or is_denied:
        return False
    if any(_is_tied(*pair) for pair in ((head_root, tail_root), (tail_root, head_root))):
        return True
    low, high = sorted((first, second))
    between = [token for token in tokens if low.end <= token.idx < high.start]
    said = " ".join(one.text for one in between)
    if _EXAMPLES.search(said) or (said and _BESIDE.fullmatch(said)):
        return True
    return ":" in said and not any(one.pos_ in VERBS for one in between)


def _is_tied(one: Token, other: Token) -> bool:
    """Tell whether a noun is another noun's apposition, part or owner."""
    child, above = one, one.head
    while child is not above:
        if child.dep_ not in (
            "conj",
            "appos",
            "poss",
            "compound",
            "nmod",
            "pobj",
            "prep",
            "nummod",
        ):
            return False
        if child.dep_ == "prep" and child.lower_ not in _HAS:
            return False
        if above is other:
            return True
        child, above = above, above.head
    return False


def _is_denied(verb: Token, nouns: Collection[Token], own: Collection[Token]) -> bool:
    """Tell whether a verb, its governor, or one of its nouns is negated.

    A "no" that is part of an end, among its `own` words, does not count.
    """
    chain = [verb]
    while chain[-1].dep_ in _PREDICATED and chain[-1].head is not chain[-1]:
        chain.append(chain[-1].head)
    if any(_has_not(token) for token in chain):
        return True
    alone = [denial_of(noun) for noun in nouns if noun.pos_ not in VERBS]
    if any(word and word not in own for word in alone):
        return True
    return any(
        child.lower_ in ("no", "neither") and child.dep_ in ("det", "neg") and child not in own
        for noun in nouns
        for child in noun.children
    )


def _has_not(verb: Token) -> bool:
    for child in verb.children:
        if child.lower_ in _NOT and child.dep_ in ("neg", "advmod", "preconj", "cc", "aux", "mark"):
            return not _is_only(child)
        if child.dep_ == "advmod" and any(token.dep_ == "neg" for token in child.children):
            return child.lower_ not in ("only", "just")  # "no longer"
    return False


def _is_only(word: Token) -> bool:
    beside = [token for token in word.head.children if token.i == word.i + 1]
    return any(token.lower_ in ("only", "just") for token in [*beside, *word.children])


def _root(tokens: Sequence[Token], place: Place) -> Token | None:
    """Return the head token of an end; None if it covers no token."""
    own = [token for token in tokens if place.start <= token.idx < place.end and not token.is_punct]
    tops = [one for one in own if one.head is one or one.head not in own]
    kinds = ("NOUN", "PROPN", "PRON", "NUM")
    nouns = [top for top in tops if top.pos_ in kinds]
    if tops and all(top.pos_ in _FUNCTION for top in tops):  # of "It's", "it"
        nouns = [one for one in own if one.pos_ in kinds]
    return next(reversed(nouns or tops), None)

"""Whether the parse of a sentence contradicts what is told of it.

That the words stand there is checked elsewhere. Here the parse decides: the verb governs both ends,
not another one between them; the head is on the side of its subject and the tail on the other; and
what is told to be denied is denied. A relation that no verb says ("is", "has", "includes") needs an
apposition, a genitive, brackets or a list between its ends. Where the parse leaves it open, as it
does of purposes and of what a participle lacks, nothing is held against a fact.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum

from graphrag_tasks.language.tokens import Token
from graphrag_tasks.llm_extract.match import Place
from graphrag_tasks.llm_extract.relation import Relation


class Fault(StrEnum):
    """What a sentence says otherwise."""

    DIRECTION = "direction"  # its head is what the relation is done to
    NEGATION = "negation"  # it denies what is told, or the other way round
    OTHER_FACT = "other_fact"  # the relation is of other words of the sentence


class Side(StrEnum):
    """Where an end stands to a verb."""

    SUBJECT = "subject"
    PASSIVE_SUBJECT = "passive subject"
    AGENT = "agent"
    OBJECT = "object"
    OPEN = "open"
    NONE = "none"


_SUBJECTS = frozenset({"nsubj", "csubj", "expl"})
_PASSIVE_SUBJECTS = frozenset({"nsubjpass", "csubjpass"})
_ARGUMENTS = _SUBJECTS | _PASSIVE_SUBJECTS | {"dobj"}
_CLAUSES = frozenset({"relcl", "advcl", "ccomp", "acl", "parataxis", "csubj", "csubjpass"})
_SHARED = frozenset({"conj", "xcomp", "advcl", "pcomp", "prep", "acl", "ccomp", "dep", "attr"})
"""Labels by which a verb without a subject hangs on what has its subject."""

_AUXILIARY = frozenset({"aux", "auxpass"})
_PREDICATED = _AUXILIARY | {"xcomp", "acomp", "attr", "oprd"}
"""Labels by which a word shares the denial of what it hangs on: "is not available"."""
_VERBS = frozenset({"VERB", "AUX"})
_RELATIVE = frozenset({"WDT", "WP", "WP$"})
_NOT = frozenset({"not", "n't", "n’t", "never", "no", "nor", "neither", "cannot", "without"})
_HAS = frozenset({"of", "with", "in", "within", "for", "on"})
_EXAMPLES = re.compile(r"\b(?:such as|including|includ\w+|e\.g\.|for example|like|namely|i\.e\.)")
_BESIDE = re.compile(r"[\s\"'“”‘’`*_]*(?:[(:–—=/|,\[-]|\bor\b|\baka\b|\bas\b)?[\s\"'“”‘’`*_]*")
_BE = frozenset({"be", "include", "have"})


def fault(tokens: Sequence[Token], relation: Relation, head: Place, tail: Place) -> Fault | None:
    """Return what a sentence says otherwise than a fact, or None.

    Args:
        tokens: The sentence's parse.
        relation: What is told, in its canonical form.
        head: Where the told head stands, before the ends of a passive are exchanged.
        tail: Likewise the tail.
    """
    ends = [_root(tokens, place) for place in (head, tail)]
    if None in ends:
        return None
    first, second = (one for one in ends if one is not None)
    faults = [_fault_at(verb, tokens, relation, first, second) for verb in _verbs(tokens, relation)]
    if None in faults:
        return None
    if relation.implied and _is_implied(tokens, relation, (head, first), (tail, second)):
        return Fault.NEGATION if relation.negated else None
    return next((one for one in faults if one is not Fault.OTHER_FACT), Fault.OTHER_FACT)


def _verbs(tokens: Sequence[Token], relation: Relation) -> Iterator[Token]:
    """Yield the words that may be the relation's main word: each of its lemma."""
    main = next((one for one in tokens if one.idx == relation.start), None)
    if main is None:
        return
    for one in tokens:
        is_main = one is main or (one.lemma_ == main.lemma_ and one.pos_ == main.pos_)
        if is_main and not (relation.implied and one.dep_ in _AUXILIARY):
            yield one


def _fault_at(
    verb: Token, tokens: Sequence[Token], relation: Relation, head: Token, tail: Token
) -> Fault | None:
    said = _said(tokens, relation, verb)
    if verb.pos_ not in _VERBS:
        return _fault_of_other(verb, tokens, relation, (head, tail), said)
    sides = _side(head, verb, said), _side(tail, verb, said)
    if Side.NONE in sides:
        if not _reads_straight(tokens, (head, verb, tail), said):
            return Fault.OTHER_FACT
        sides = Side.OPEN, Side.OPEN
    if not _keeps_preposition(relation, verb, (head, tail), sides):
        return Fault.DIRECTION
    if relation.turned:
        sides = sides[1], sides[0]
    if not _is_in_order(sides, relation):
        return Fault.DIRECTION
    if relation.negated != _is_denied(verb, (head, tail)):
        return Fault.NEGATION
    return None


def _fault_of_other(
    word: Token,
    tokens: Sequence[Token],
    relation: Relation,
    ends: tuple[Token, Token],
    said: Collection[Token],
) -> Fault | None:
    """Return what is wrong where the relation's main word is no verb: "with", "responsible for"."""
    head, tail = ends
    last = word
    if word.pos_ != "ADP":
        last = max((one for one in said if one.pos_ == "ADP"), key=lambda one: one.i, default=word)
    below = list(_up(tail))
    is_below = last in below and not any(
        one.dep_ in _CLAUSES and one not in said for one in below[: below.index(last)]
    )
    if not (is_below and _is_beside(head, word)) and not _reads_straight(
        tokens, (head, word, tail), said
    ):
        return Fault.OTHER_FACT
    if tail.i < head.i and not is_below:
        return Fault.DIRECTION
    return Fault.NEGATION if relation.negated != _is_denied(word, ends) else None


def _is_beside(end: Token, word: Token) -> bool:
    """Tell whether an end governs a word, or is subject or object of what does."""
    above = list(_up(word))
    return end in above or any(
        one.dep_ in _ARGUMENTS and one.head in above for one in (end, *_up(end))
    )


def _reads_straight(
    tokens: Sequence[Token], places: tuple[Token, Token, Token], said: Collection[Token]
) -> bool:
    """Tell whether head, main word and tail follow each other without another verb between them.

    So a fact holds where the parse of a long or odd sentence is wrong.
    """
    head, verb, tail = places
    if not head.i < verb.i < tail.i:
        return False
    between = [one for one in tokens if head.i < one.i < tail.i and one not in said]
    return not any(
        one.pos_ == "VERB" or one.text in (";", ":", "–", "—") or one.tag_ in _RELATIVE
        for one in between
    )


def _said(tokens: Sequence[Token], relation: Relation, verb: Token) -> set[Token]:
    """Return the words of the sentence that are the relation's."""
    words = set(relation.text.split())
    near = (one for one in tokens if one.lower_ in words or one.lemma_.lower() in words)
    return {verb, *near}


def _is_in_order(sides: tuple[Side, Side], relation: Relation) -> bool:
    """Tell whether the first end can be the relation's subject, and the second what it is of."""
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
    """Tell whether the tail, and not the head, is that of the relation's preposition.

    Of two ends on the object's side, this says which is which.
    """
    if not relation.preposition or relation.turned or sides[1] is not Side.OBJECT:
        return True
    of_head, of_tail = (
        any(one.lower_ == relation.preposition for one in _between(end, verb)) for end in ends
    )
    return of_tail and not (of_head and sides[0] is Side.OBJECT)


def _between(end: Token, verb: Token) -> Iterator[Token]:
    """Yield the words from an end up to a verb that governs it, without both."""
    for one in _up(end):
        if one is verb:
            return
        yield one


def _side(end: Token, verb: Token, said: Collection[Token]) -> Side:
    if end is verb:
        return Side.NONE
    above = list(_up(end))
    if verb in above:
        return _side_below(above[: above.index(verb)], verb, said)
    return _side_above(end, above, verb)


def _side_below(path: Sequence[Token], verb: Token, said: Collection[Token]) -> Side:
    """Return the side of an end that a verb governs; `path` leads from it up to the verb."""
    if not path:
        return Side.OPEN
    for one in path:
        is_other_verb = one.dep_ == "conj" and one.pos_ in _VERBS
        if one is path[0] or one in said or not (is_other_verb or one.dep_ in _CLAUSES):
            continue
        if is_other_verb and one.head is verb and not _has_object(verb):
            continue  # "reads and updates B"
        return Side.NONE
    label = path[-1].dep_
    if label in _SUBJECTS:
        return Side.PASSIVE_SUBJECT if _is_passive(verb) else Side.SUBJECT
    if label in _PASSIVE_SUBJECTS:
        return Side.PASSIVE_SUBJECT
    return Side.AGENT if label == "agent" else Side.OBJECT


def _side_above(end: Token, above: Sequence[Token], verb: Token) -> Side:
    """Return the side of an end that stands above a verb, or beside it below another one."""
    chain = [verb, *_up(verb)]
    place = next((i for i, one in enumerate(chain) if one is end or one in above), None)
    if place is None:
        return Side.NONE
    meeting, below = chain[place], chain[place - 1]
    links = [one.dep_ for one in chain[:place]]
    if meeting.pos_ not in _VERBS:
        return _side_of_noun(below, verb, links)
    top = end if end.head is meeting else next((one for one in above if one.head is meeting), end)
    if links[-1] == "attr" and top.dep_ in _SUBJECTS and len(links) > 1:
        return _side_of_noun(chain[place - 2], verb, links[:-1])  # "A is a B that reads C"
    if any(link not in _SHARED for link in links[:-1]) or links[-1] not in _SHARED:
        return Side.NONE
    if any(_has_subject(one) for one in chain[:place]):
        return Side.NONE
    if end is meeting:
        return Side.OPEN
    if top.dep_ in _SUBJECTS | _PASSIVE_SUBJECTS:
        is_passive = _is_passive(verb) or (verb.tag_ == "VBN" and top.dep_ in _PASSIVE_SUBJECTS)
        return Side.PASSIVE_SUBJECT if is_passive else Side.SUBJECT
    is_purpose = "xcomp" in links or any(
        child.tag_ == "TO" for one in chain[:place] for child in one.children
    )
    return Side.OPEN if is_purpose else Side.NONE


def _side_of_noun(below: Token, verb: Token, links: Sequence[str]) -> Side:
    """Return the side of a noun that a clause with the verb hangs on: "tables that it reads"."""
    link = links[-1]
    if link == "relcl":
        for child in below.children:
            if child.dep_ in _SUBJECTS | _PASSIVE_SUBJECTS:
                if child.tag_ in _RELATIVE or child.lower_ in ("that", "which", "who"):
                    is_passive = child.dep_ in _PASSIVE_SUBJECTS and verb.tag_ == "VBN"
                    return Side.PASSIVE_SUBJECT if is_passive else Side.SUBJECT
                return Side.OBJECT if below is verb else Side.OPEN
        return Side.OPEN
    if link == "acl":
        if below.tag_ == "VBG":
            return Side.SUBJECT
        return Side.PASSIVE_SUBJECT if below.tag_ == "VBN" and below is verb else Side.OPEN
    return Side.OPEN if link in ("prep", "pcomp", "xcomp", "advcl", "conj", "appos") else Side.NONE


def _is_implied(
    tokens: Sequence[Token],
    relation: Relation,
    head: tuple[Place, Token],
    tail: tuple[Place, Token],
) -> bool:
    """Tell whether something other than a verb ties two ends: an apposition, a genitive, a list."""
    if relation.text.split()[0] not in _BE or relation.negated:
        return False
    (first, head_root), (second, tail_root) = head, tail
    if tail_root.pos_ in ("VERB", "ADJ") and _is_predicated(head_root, tail_root):
        return True
    if any(_is_tied(*pair) for pair in ((head_root, tail_root), (tail_root, head_root))):
        return True
    low, high = sorted((first, second))
    between = [one for one in tokens if low.end <= one.idx < high.start]
    said = " ".join(one.text for one in between)
    if _EXAMPLES.search(said) or (said and _BESIDE.fullmatch(said)):
        return True
    return ":" in said and not any(one.pos_ in _VERBS for one in between)


def _is_predicated(head: Token, tail: Token) -> bool:
    """Tell whether a word is said of a noun: "are simplified and non-semantic"."""
    above = [tail, *_up(tail)]
    links = [one.dep_ for one in above]
    depth = next((place for place, link in enumerate(links) if link != "conj"), len(above) - 1)
    verbs = above[depth : depth + 2]
    return any(head.head is verb and head.dep_ in _SUBJECTS | _PASSIVE_SUBJECTS for verb in verbs)


def _is_tied(one: Token, other: Token) -> bool:
    """Tell whether a noun hangs on another as its apposition, part or owner."""
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


def _is_denied(verb: Token, ends: Sequence[Token]) -> bool:
    """Tell whether a verb is denied, or what it depends on is, or one of its ends is none."""
    chain = [verb]
    while chain[-1].dep_ in _PREDICATED and chain[-1].head is not chain[-1]:
        chain.append(chain[-1].head)
    if any(_has_not(one) for one in chain):
        return True
    return any(
        child.lower_ in ("no", "neither") and child.dep_ in ("det", "neg")
        for end in ends
        for child in end.children
    )


def _has_not(verb: Token) -> bool:
    for child in verb.children:
        if child.lower_ in _NOT and child.dep_ in ("neg", "advmod", "preconj", "cc", "aux", "mark"):
            return not _is_only(child)
        if child.dep_ == "advmod" and any(one.dep_ == "neg" for one in child.children):
            return child.lower_ not in ("only", "just")  # "no longer"
    return False


def _is_only(word: Token) -> bool:
    """Tell whether "not" is that of "not only"."""
    beside = [one for one in word.head.children if one.i == word.i + 1]
    return any(one.lower_ in ("only", "just") for one in [*beside, *word.children])


def _is_passive(verb: Token) -> bool:
    return verb.tag_ == "VBN" and any(one.dep_ == "auxpass" for one in verb.children)


def _has_subject(verb: Token) -> bool:
    return any(one.dep_ in _SUBJECTS | _PASSIVE_SUBJECTS for one in verb.children)


def _has_object(verb: Token) -> bool:
    return any(
        one.dep_ in ("dobj", "attr", "oprd", "acomp", "prep", "agent") for one in verb.children
    )


def _root(tokens: Sequence[Token], place: Place) -> Token | None:
    """Return the word of an end that the others hang on; None where it covers none."""
    own = [one for one in tokens if place.start <= one.idx < place.end and not one.is_punct]
    tops = [one for one in own if one.head is one or one.head not in own]
    nouns = [one for one in tops if one.pos_ in ("NOUN", "PROPN", "PRON", "NUM")]
    return next(reversed(nouns or tops), None)


def _up(token: Token) -> Iterator[Token]:
    while token.head is not token:
        token = token.head
        yield token

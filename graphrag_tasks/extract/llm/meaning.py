"""Check whether the rules' frames of a sentence carry a model's fact.

That the words occur is checked elsewhere. A fact holds if a frame with its relation has both ends in fitting roles, and
the same denial; it does not if frames have them only in other roles, or with the other denial. A fact that no frame is
about holds if head, relation and tail follow each other without another verb between, or if brackets or a list tie ends
of "is", "has" or "includes".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum

from graphrag_tasks.extract.frames import Argument, Frame, Role
from graphrag_tasks.extract.llm.match import Place
from graphrag_tasks.extract.llm.relation import IMPLIED, PREPOSITIONS, Relation
from graphrag_tasks.language.tokens import Doc, Token


class Fault(StrEnum):
    """How a sentence contradicts a fact."""

    DIRECTION = "direction"  # its head is what the relation is done to
    NEGATION = "negation"  # it denies what is told, or the other way round
    OTHER_FACT = "other_fact"  # the relation is of other words of the sentence


_VERBS = frozenset({"VERB", "AUX"})
_FUNCTION = PREPOSITIONS | {"CCONJ", "DET", "AUX"}  # Parts of speech that name nothing.
_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM", "X", "INTJ"})
"""Parts of speech that end names; the small model tags odd codes as interjections and others."""
_RELATIVE = frozenset({"WDT", "WP", "WP$"})
_OWNING = {"have": frozenset({"of", "with", "in", "within", "for", "on"}), "include": {"of"}}
"""Prepositions by which one noun has, or includes, another."""
_LINKS = _VERBS | {"ADP", "SCONJ"}
_BREAKS = frozenset({";", ":", "–", "—"})
_EXAMPLES = re.compile(r"\b(?:such as|includ\w+|e\.g\.|for example|like|namely|i\.e\.)")
_BESIDE = re.compile(r"[\s\"'“”‘’`*_]*(?:[(:–—=/|,\[-]|\bor\b|\baka\b|\bas\b)?[\s\"'“”‘’`*_]*")
_NOT = r"(?:\b(?:not|never|no|nor|neither|cannot|without)|n['’]t)\b(?! (?:only|just|merely)\b)"
_DENIES = re.compile(_NOT, re.IGNORECASE)
_DENIES_NEXT = re.compile(rf"{_NOT} (?:\w+ ){{0,2}}$", re.IGNORECASE)
_CONTRASTS_NEXT = re.compile(
    r"\b(?:instead of|rather than|(?:contrast|opposed|contrary) to|unlike) (?:\w+ ){0,3}$", re.IGNORECASE
)


def fault(sentence: Doc, frames: Sequence[Frame], relation: Relation, head: Place, tail: Place) -> Fault | None:
    """Return how a sentence contradicts a fact, or None; `frames` are those of the sentence.

    `head` and `tail` are the told ends, before the ends of a passive are exchanged.
    """
    main = next((token for token in sentence if token.idx == relation.start), None)
    faults = [
        one
        for frame in frames
        for first in frame.arguments
        for second in frame.arguments
        if first is not second and _overlap(first, head) and _overlap(second, tail)
        if _says(frame, second, relation, main)
        for one in _faults_of(frame, first, second, relation, main)
    ]
    if None in faults:
        return None
    if faults:
        return next((one for one in faults if one is not Fault.OTHER_FACT), Fault.OTHER_FACT)
    return _fault_beside_frames(sentence, frames, relation, (head, tail), main)


def _overlap(argument: Argument, place: Place) -> bool:
    return argument.start < place.end and place.start < argument.end


def _says(frame: Frame, second: Argument, relation: Relation, main: Token | None) -> bool:
    """Tell whether a frame with this argument has the main word of a relation."""
    lemma, preposition = frame.predicate_lemma.split(), (second.preposition or "").split()
    words = {*lemma, *frame.predicate.lower().split(), *preposition}
    first, *rest = relation.text.split()
    if not relation.implied or first not in IMPLIED:
        return main is not None and bool(words & {main.lemma_.lower(), main.lower_})
    if first == "be":
        return lemma[0] == "be" and (words.issuperset(rest) if rest else not preposition)
    is_owning = lemma == ["be"] and not _OWNING[first].isdisjoint(preposition)
    return lemma[0] == first or is_owning


def _faults_of(
    frame: Frame, first: Argument, second: Argument, relation: Relation, main: Token | None
) -> Iterator[Fault | None]:
    """Yield how a frame contradicts a fact, or None if it states it; nothing if that is open."""
    stated = None if frame.negated == relation.negated else Fault.NEGATION
    is_verb = relation.implied or main is None or main.pos_ in _VERBS
    said = (second.preposition or "").split()
    match first.role == Role.SUBJECT, second.role == Role.SUBJECT:
        case True, False if relation.implied or not is_verb:
            yield stated
        case True, False if relation.preposition and not relation.turned:
            if relation.preposition in (*said, *frame.predicate_lemma.split()):
                yield stated
        case True, False if second.role == Role.OBLIQUE and not relation.turned:
            yield Fault.OTHER_FACT  # "runs in 2020"
        case True, False:
            is_turned = frame.passive != relation.passive and not _is_copula(frame)
            yield Fault.DIRECTION if is_turned else stated
        case False, True if is_verb and (frame.passive == relation.passive or relation.implied):
            yield Fault.DIRECTION
        case False, True if is_verb:
            if first.role == (Role.AGENT if frame.passive else Role.OBJECT):
                yield stated
        case False, False if first.role != Role.OBLIQUE and relation.preposition in said:
            yield stated  # "integrate A with B"


def _is_copula(frame: Frame) -> bool:
    return frame.predicate_lemma.split()[0] == "be"


def _fault_beside_frames(
    sentence: Doc, frames: Sequence[Frame], relation: Relation, ends: tuple[Place, Place], main: Token | None
) -> Fault | None:
    """Return how a sentence contradicts a fact that no frame is about, or None."""
    first, second = (_root(sentence, place) for place in ends)
    if first is None or second is None:
        return None
    if any(one.text.islower() and one.pos_ in _FUNCTION for one in (first, second)):
        return Fault.OTHER_FACT
    if any(_CONTRASTS_NEXT.search(sentence.text[: place.start]) for place in ends):
        return Fault.OTHER_FACT
    is_implied = relation.implied and relation.text.split()[0] in IMPLIED
    if is_implied and not (_is_name(first) and (_is_name(second) or relation.text == "be")):
        return Fault.OTHER_FACT
    low, high = sorted(ends)
    denied = bool(
        _DENIES.search(sentence.text[low.end : high.start]) or _DENIES_NEXT.search(sentence.text[: low.start])
    )
    is_part = relation.text == "be" and second.dep_ == "compound" and second.head is first
    if is_implied and not denied and (is_part or _are_tied(sentence, low, high)):
        return Fault.NEGATION if relation.negated else None
    if main is None or relation.turned:
        return Fault.OTHER_FACT
    words = set(relation.text.split())
    said = {main, *(one for one in sentence if words & {one.lower_, one.lemma_.lower()})}
    for verb in sentence:
        is_main = verb.lower_ == main.lower_ or (verb.lemma_, verb.pos_) == (main.lemma_, main.pos_)
        if not is_main or _has_other_subject(frames, verb, ends):
            continue
        if _reads_straight(sentence, (first, verb, second), said):
            return None if relation.negated == denied else Fault.NEGATION
    return Fault.OTHER_FACT


def _is_name(word: Token) -> bool:
    """Tell whether a word can end a name, even if the parser takes a code for a verb."""
    is_written_as_one = not word.text.islower() and (word.i > 0 or not word.text.istitle())
    return word.pos_ in _NOMINAL or word.tag_ == "VBG" or is_written_as_one


def _are_tied(sentence: Doc, first: Place, second: Place) -> bool:
    """Tell whether brackets, a colon or words of a list stand between two ends."""
    between = [token for token in sentence if first.end <= token.idx < second.start]
    said = " ".join(token.text for token in between)
    if _EXAMPLES.search(said) or (said and _BESIDE.fullmatch(said)):
        return True
    return ":" in said and not any(token.pos_ in _VERBS for token in between)


def _reads_straight(sentence: Doc, places: tuple[Token, Token, Token], said: Collection[Token]) -> bool:
    """Tell whether head, main word and tail follow each other without another verb between.

    So a fact can hold even if a long or odd sentence is parsed wrongly. The head may be what its verb does: "use A to
    read B", where another of the `said` words stands between.
    """
    head, verb, tail = places
    between = sentence[head.i + 1 : tail.i]
    above = tail.head
    if above.pos_ == "ADP" and above.head is verb and verb.pos_ in _VERBS and above not in said:
        return False  # "runs in 2020"
    if verb.i < head.i:
        is_done_to = head.dep_ == "dobj" and head.head is verb
        if not is_done_to or not any(one in said and one.pos_ in _LINKS for one in between):
            return False
        if above in between and above in said and above.pos_ == "ADP":
            return True  # "convert a file that is in A to B"
    elif verb not in between:
        return False
    is_label = all(one.is_punct or one.dep_ == "advmod" for one in sentence[head.i + 1 : verb.i])
    return not any(
        one.pos_ == "VERB" or one.tag_ in _RELATIVE
        or (one.text in _BREAKS and not (one.text == ":" and is_label))
        for one in between if one not in said
    )  # fmt: skip


def _has_other_subject(frames: Sequence[Frame], verb: Token, ends: tuple[Place, Place]) -> bool:
    """Tell whether a verb does to the tail what another subject, behind the head, does."""
    head, tail = ends
    return any(
        any(_overlap(one, tail) for one in frame.arguments if one.role != Role.SUBJECT)
        and any(head.end <= one.head_start < verb.idx for one in frame.having(Role.SUBJECT))
        for frame in frames
        if frame.start == verb.idx
    )


def _root(sentence: Doc, place: Place) -> Token | None:
    """Return the head token of an end; None if it covers no token."""
    own = [one for one in sentence if place.start <= one.idx < place.end and not one.is_punct]
    tops = [one for one in own if one.head is one or one.head not in own]
    if tops and all(top.pos_ in _FUNCTION for top in tops):  # of "It's", "it"
        tops = [one for one in own if one.pos_ in _NOMINAL] or tops
    return next(reversed([top for top in tops if top.pos_ in _NOMINAL] or tops), None)

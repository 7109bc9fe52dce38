"""Frames of verbs and of noun phrases: the rules put together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag_tasks.extract.dependency.arguments import collect_arguments
from graphrag_tasks.extract.dependency.confidence import confidence_of, load_weights
from graphrag_tasks.extract.dependency.nominal import is_denied, noun_arguments
from graphrag_tasks.extract.dependency.predicates import (
    build_predicate,
    is_chained,
    is_instrument,
    verb_chain,
)
from graphrag_tasks.extract.dependency.qualifiers import qualifiers
from graphrag_tasks.extract.dependency.repair import repaired
from graphrag_tasks.extract.dependency.rule_of import rule_of
from graphrag_tasks.extract.dependency.subjects import Origin, Subject, find_subject
from graphrag_tasks.extract.dependency.syntax import (
    NOMINAL_POS,
    children,
    first_child,
    is_close_apposition,
    is_verbal,
)
from graphrag_tasks.extract.frames import Argument, Frame, Role, Rule

if TYPE_CHECKING:
    from graphrag_tasks.language.tokens import Doc, Token

EXTRACTOR_NAME = "dependency"

_NOT_PREDICATES = frozenset({"aux", "auxpass", "amod", "compound"})
_OWN_CLAUSES = frozenset({Origin.RELATIVE, Origin.ACL})
_SPLIT_SUBJECTS = frozenset({Origin.DIRECT, Origin.INHERITED})
_NOT_YET_KNOWN = 0.0
"""Confidence of a frame under construction: it depends on all frames of the sentence."""
_EXAMPLE_WORDS = frozenset({"including", "as", "like"})
_DENIABLE_DEPS = ("dobj", "attr", "nsubj", "nsubjpass")


def frames_of(doc: Doc) -> list[Frame]:
    """Return all frames of a parsed sentence, in the order of their predicates.

    Args:
        doc: One sentence with part-of-speech tags, dependencies and lemmas; entity labels are
            used where there are any. It may be built by hand, without any model.
    """
    doc = repaired(doc)
    frames = []
    for token in doc:
        if token.dep_ == "prep" and token.lower_ in _EXAMPLE_WORDS:
            frames.append(_examples(token))
        elif _is_predicate(token):
            frames.append(_verb_frame(token))
        elif token.dep_ == "appos":
            frames.append(_apposition(token))
        elif token.dep_ == "poss":
            frames.append(_possessive(token))
    found = [frame for frame in frames if frame is not None]
    return [*_with_confidence(found, words=len(doc)), *qualifiers(doc)]


def _with_confidence(frames: list[Frame], *, words: int) -> list[Frame]:
    weights = load_weights()
    return [
        replace(
            frame,
            confidence=confidence_of(frame, words=words, frames=len(frames), weights=weights),
        )
        for frame in frames
    ]


def _is_predicate(token: Token) -> bool:
    if not is_verbal(token) or token.dep_ in _NOT_PREDICATES or is_chained(token):
        return False
    if is_instrument(token) and first_child(token.head, "auxpass"):
        return False
    return any(map(str.isalpha, token.text))


def _verb_frame(verb: Token) -> Frame | None:
    subject = find_subject(verb)
    if subject is None:
        return None
    chain = verb_chain(verb)
    arguments = collect_arguments(chain, subject.origin)
    if not arguments:
        return None
    predicate = build_predicate(chain, subject.origin)
    rule = rule_of(
        subject.origin, lemma=predicate.lemma, passive=predicate.passive, arguments=arguments
    )
    return Frame(
        predicate=predicate.text,
        predicate_lemma=predicate.lemma,
        start=verb.idx,
        end=verb.idx + len(verb),
        arguments=(*_subject_arguments(subject, verb), *arguments),
        negated=predicate.negated or _has_denied_argument(chain),
        modality=predicate.modality,
        passive=predicate.passive,
        rule=rule.value,
        extractor=EXTRACTOR_NAME,
        confidence=_NOT_YET_KNOWN,
    )


def _subject_arguments(subject: Subject, verb: Token) -> list[Argument]:
    if subject.head is None:
        return []
    without = [verb] if subject.origin in _OWN_CLAUSES else []
    split = subject.origin in _SPLIT_SUBJECTS
    return noun_arguments(Role.SUBJECT, subject.head, slot=0, split=split, without=without)


def _has_denied_argument(chain: list[Token]) -> bool:
    nouns = (child for verb in chain for child in children(verb, *_DENIABLE_DEPS))
    return any(is_denied(noun) for noun in nouns)


def _apposition(noun: Token) -> Frame | None:
    if not {noun.pos_, noun.head.pos_} <= NOMINAL_POS or is_close_apposition(noun):
        return None
    subjects = noun_arguments(Role.SUBJECT, noun.head, slot=0, split=False)
    complements = noun_arguments(Role.COMPLEMENT, noun, slot=1)
    denied = any(noun.head.i < mark.i < noun.i for mark in children(noun.head, "neg"))
    return _noun_frame(Rule.APPOSITION, "is", "be", noun, subjects, complements, denied=denied)


def _possessive(owner: Token) -> Frame | None:
    if owner.pos_ not in NOMINAL_POS:
        return None
    mark = first_child(owner, "case")
    without = [] if mark is None else [mark]
    subjects = noun_arguments(Role.SUBJECT, owner, slot=0, split=False, without=without)
    owned = noun_arguments(Role.OBJECT, owner.head, slot=1, split=False, without=[owner])
    return _noun_frame(Rule.POSSESSIVE, "has", "have", owner, subjects, owned)


def _examples(preposition: Token) -> Frame | None:
    """Return the frame of "X such as A and B" or "X including A and B"."""
    such = first_child(preposition, "amod")
    if preposition.lower_ == "as" and (such is None or such.lower_ != "such"):
        return None
    kind, example = preposition.head, first_child(preposition, "pobj")
    if kind.pos_ not in NOMINAL_POS or example is None:
        return None
    kinds = noun_arguments(Role.SUBJECT, kind, slot=0, split=False, without=[preposition])
    examples = noun_arguments(Role.OBJECT, example, slot=1)
    return _noun_frame(Rule.EXAMPLE, "include", "include", preposition, kinds, examples)


def _noun_frame(
    rule: Rule,
    predicate: str,
    lemma: str,
    anchor: Token,
    subjects: list[Argument],
    others: list[Argument],
    *,
    denied: bool = False,
) -> Frame | None:
    if not subjects or not others:
        return None
    return Frame(
        predicate=predicate,
        predicate_lemma=lemma,
        start=anchor.idx,
        end=anchor.idx + len(anchor),
        arguments=(*subjects, *others),
        negated=denied,
        modality=None,
        passive=False,
        rule=rule.value,
        extractor=EXTRACTOR_NAME,
        confidence=_NOT_YET_KNOWN,
    )

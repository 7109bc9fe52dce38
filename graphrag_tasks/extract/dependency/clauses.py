"""Build the frames of verbs and noun phrases."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from graphrag_tasks.extract.dependency.arguments import collect_arguments
from graphrag_tasks.extract.dependency.confidence import confidence_of, load_weights
from graphrag_tasks.extract.dependency.nominal import (
    EXTRACTOR_NAME,
    QUANTIFIERS,
    is_denied,
    is_restricting,
    noun_arguments,
    noun_frame,
)
from graphrag_tasks.extract.dependency.predicates import (
    Predicate,
    build_predicate,
    is_chained,
    is_instrument,
    verb_chain,
)
from graphrag_tasks.extract.dependency.qualifiers import qualifiers
from graphrag_tasks.extract.dependency.repair import repaired
from graphrag_tasks.extract.dependency.standing import Standing, condition_of, standing_of
from graphrag_tasks.extract.dependency.subjects import Origin, Subject, find_subject
from graphrag_tasks.extract.dependency.syntax import (
    EXAMPLE_WORDS,
    MODIFIER_DEPS,
    NOMINAL_POS,
    PLURAL_TAGS,
    children,
    first_child,
    has_subject,
    is_close_apposition,
    is_reference,
    is_verbal,
    token_end,
)
from graphrag_tasks.extract.frames import Argument, Frame, Role, Rule
from graphrag_tasks.language.tokens import Doc, Token

_NOTHING = frozenset({"nobody", "none", "nothing"})
_LIST_MARKS = frozenset({"(", ":", "-LRB-"})
_RULE_BY_ORIGIN = {
    Origin.EXPLETIVE: Rule.EXISTENTIAL,
    Origin.RELATIVE: Rule.RELATIVE,
    Origin.ACL: Rule.ACL,
    Origin.INHERITED: Rule.INHERITED,
    Origin.IMPERATIVE: Rule.IMPERATIVE,
}
_RULE_BY_ROLE: tuple[tuple[frozenset[str], Rule], ...] = (
    (frozenset({Role.OBJECT, Role.COMPLEMENT, Role.INDIRECT_OBJECT}), Rule.SVO),
    (frozenset({Role.CLAUSE}), Rule.CLAUSAL),
    (frozenset({Role.OBLIQUE, Role.AGENT}), Rule.VERB_PREP),
)
"""First match decides."""


def frames_of(doc: Doc) -> list[Frame]:
    """Return all frames of a parsed sentence, ordered by predicate.

    `doc` has part-of-speech tags, dependencies and lemmas, and optionally entity labels. It may be built by hand,
    without a model.
    """
    doc = repaired(doc)
    found = [frame for token in doc if (frame := _frame_at(token)) is not None]
    weights, judged = load_weights(), []
    for frame in found:
        confidence = confidence_of(frame, words=len(doc), frames=len(found), weights=weights)
        judged.append(replace(frame, confidence=confidence))
    return [*judged, *qualifiers(doc)]


def _frame_at(token: Token) -> Frame | None:
    """Return the frame of a token; its confidence, which depends on the sentence, is still 0."""
    if token.dep_ == "prep" and token.lower_ in EXAMPLE_WORDS:
        return _examples(token)
    if _is_predicate(token):
        return _verb_frame(token)
    if token.dep_ == "appos":
        return _apposition(token)
    return None


def _is_predicate(token: Token) -> bool:
    if not is_verbal(token) or token.dep_ in MODIFIER_DEPS or is_chained(token):
        return False
    if not has_subject(token) and _is_behind_as(token):
        return False  # "as set forth in", "as will become clear"
    if token.lower_ == "missing" and first_child(token, "aux") is None:
        return False  # "errors: missing field" is about a field that is not there
    if is_instrument(token) and first_child(token.head, "auxpass"):
        return False
    return any(map(str.isalpha, token.text))


def _is_behind_as(verb: Token) -> bool:
    marks = [*children(verb, "mark", "advmod")]
    if verb.dep_ == "pcomp" and verb.tag_ == "VBN":
        marks.append(verb.head)
    return any(mark.lower_ == "as" and mark.i < verb.i for mark in marks)


def _verb_frame(verb: Token) -> Frame | None:
    subject = find_subject(verb)
    if subject is None:
        return None
    chain = verb_chain(verb)
    arguments = collect_arguments(chain, subject.origin)
    if not arguments:
        return None
    standing = standing_of(verb)
    if standing is Standing.OPEN:
        return None
    predicate = build_predicate(chain, subject.origin)
    is_denied_above = standing is Standing.DENIED
    negated = predicate.negated or _has_denied_argument(chain) or is_denied_above or _follows_nor(verb)
    return Frame(
        predicate=predicate.text, predicate_lemma=predicate.lemma, negated=negated,
        modality=predicate.modality, passive=predicate.passive,
        condition=condition_of(verb), is_believed=standing is Standing.BELIEVED,
        start=verb.idx, end=token_end(verb),
        arguments=(*_subject_arguments(subject, verb), *arguments),
        rule=_rule_of(subject.origin, predicate, arguments).value,
        extractor=EXTRACTOR_NAME, confidence=0.0,
    )  # fmt: skip


def _subject_arguments(subject: Subject, verb: Token) -> list[Argument]:
    if subject.head is None:
        return []
    without = [verb] if subject.origin in (Origin.RELATIVE, Origin.ACL) else []
    split = subject.origin in (Origin.DIRECT, Origin.INHERITED)
    arguments = noun_arguments(Role.SUBJECT, subject.head, split=split, without=without)
    if not without or not is_restricting(verb):
        return arguments
    return [replace(argument, is_restricted=True) for argument in arguments]


def _follows_nor(verb: Token) -> bool:
    """Tell whether "nor" denies a verb: "nor do they seek disorder"."""
    marks = [*children(verb, "cc", "preconj", "advmod", "mark")]
    if verb.dep_ == "conj":
        marks += children(verb.head, "cc")
    return any(mark.lower_ == "nor" and mark.i < verb.i for mark in marks)


def _has_denied_argument(chain: list[Token]) -> bool:
    deps = ("dobj", "attr", "nsubj", "nsubjpass")
    return any(is_denied(noun) or noun.lower_ in _NOTHING for verb in chain for noun in children(verb, *deps))


def _rule_of(origin: Origin, predicate: Predicate, arguments: Collection[Argument]) -> Rule:
    """Return the rule name of a verb's frame, from its arguments except the subject."""
    if origin is not Origin.DIRECT:
        return _RULE_BY_ORIGIN[origin]
    if predicate.passive:
        return Rule.PASSIVE
    roles = {argument.role for argument in arguments}
    if predicate.lemma.split()[0] == "be" and Role.OBJECT not in roles:
        return Rule.COPULA
    return next((rule for deciding, rule in _RULE_BY_ROLE if roles & deciding), Rule.ADVERBIAL)


def _apposition(noun: Token) -> Frame | None:
    if not {noun.pos_, noun.head.pos_} <= NOMINAL_POS or is_close_apposition(noun):
        return None
    if is_reference(noun):
        return None
    subjects = noun_arguments(Role.SUBJECT, noun.head, split=False)
    complements = noun_arguments(Role.COMPLEMENT, noun, slot=1)
    if not subjects or not complements:
        return None
    if _is_listed(noun):
        examples = [replace(complement, role=Role.OBJECT.value) for complement in complements]
        return noun_frame(Rule.EXAMPLE, "include", "include", noun, (*subjects, *examples))
    denied = any(noun.head.i < mark.i < noun.i for mark in children(noun.head, "neg"))
    arguments = (*subjects, *complements)
    return noun_frame(Rule.APPOSITION, "is", "be", noun, arguments, negated=denied)


def _is_listed(noun: Token) -> bool:
    """Tell whether a noun begins the list of counted items: "3 accounts (A, B, C)"."""
    counted, first = noun.head, noun.left_edge.i
    marked = first > 0 and noun.doc[first - 1].text in _LIST_MARKS
    is_many = counted.tag_ in PLURAL_TAGS or counted.lower_ in QUANTIFIERS
    return marked and is_many and first_child(noun, "conj") is not None


def _examples(preposition: Token) -> Frame | None:
    """Return the frame of "X such as A and B" or "X including A and B"."""
    such = first_child(preposition, "amod")
    if preposition.lower_ == "as" and (such is None or such.lower_ != "such"):
        return None
    kind, example = preposition.head, first_child(preposition, "pobj")
    if kind.pos_ not in NOMINAL_POS or example is None:
        return None
    if preposition.lower_ != "as" and kind.tag_ not in PLURAL_TAGS:
        return None  # what "including" belongs to is not sure: "the source of any software"
    kinds = noun_arguments(Role.SUBJECT, kind, split=False, without=[preposition])
    examples = noun_arguments(Role.OBJECT, example, slot=1)
    if not kinds or not examples:
        return None
    return noun_frame(Rule.EXAMPLE, "include", "include", preposition, (*kinds, *examples))

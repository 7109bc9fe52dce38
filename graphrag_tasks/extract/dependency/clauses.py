"""Build the frames of verbs, and of noun phrases that a preposition links."""

from __future__ import annotations

from collections.abc import Collection, Iterator
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
    Standing,
    build_predicate,
    condition_of,
    governed,
    is_chained,
    is_instrument,
    is_linking,
    light_noun,
    standing_of,
    verb_chain,
)
from graphrag_tasks.extract.dependency.repair import repaired
from graphrag_tasks.extract.dependency.subjects import Origin, Subject, find_subject, is_imperative
from graphrag_tasks.extract.dependency.syntax import (
    EXAMPLE_WORDS,
    MODIFIER_DEPS,
    NOMINAL_POS,
    PLURAL_TAGS,
    RELATIVE_TAGS,
    TAKEN_NOUNS,
    children,
    conjuncts,
    denies_phrase,
    first_child,
    has_subject,
    is_close_apposition,
    is_reference,
    is_verbal,
    is_within_name,
    token_end,
)
from graphrag_tasks.extract.frames import Argument, Frame, Role, Rule
from graphrag_tasks.extract.words import words
from graphrag_tasks.language.tokens import Doc, Token

CONFIDENCE = 0.6  # Set by hand, near the share of right triples on the development sentences.

_VAGUE_HEADS = QUANTIFIERS | words("vague_nouns")
"""Nouns that mean little without their complement: "one of the components"."""
_EXCEPTING = frozenset({"but", "except", "excluding", "save"})
"""Prepositions of what a noun does not mean: "all users except guests"."""
_OF_RANGES = frozenset({"to", "through", "until"})
_VAGUE_TAILS = frozenset({"example", "case", "addition", "general", "particular", "order", "terms", "default"})
_NOMINAL = frozenset({"of", "to", "about", "between", "among", "without", "over", "per", "than", "for"})
"""Prepositions that attach to an object, not to its verb."""
_BEARING_ON = words("nouns_bearing_on")  # Nouns that take "on" themselves: "the limit on the number".
_DIRECTED = words("directed_verbs")  # Verbs that take a "to" phrase.
_PURPOSEFUL = frozenset({"recommend", "reserve", "use"})
"""Verbs that take a "for" phrase: "use the option for data types"."""
_STATIVE = frozenset({"be", "contain", "have", "include", "need", "require", "support", "want"})
"""Verbs that do not act on their object."""


def qualifiers(doc: Doc) -> Iterator[Frame]:
    """Yield the frames of phrases that qualify a noun.

    After an object, most prepositions also qualify what is done to it: in "store the data in a table" the data are in a
    table because they are stored there, however the parse attaches the preposition. Then the frame is that of the
    passive verb.
    """
    for token in doc:
        if token.dep_ == "prep" and token.head.pos_ in NOMINAL_POS:
            yield from _of_preposition(token)
        elif token.dep_ == "amod" and token.i > token.head.i:
            yield from _of_adjective(token)


def _of_preposition(preposition: Token) -> Iterator[Frame]:
    head = preposition.head
    if (
        preposition.lower_ in EXAMPLE_WORDS
        or preposition.lower_ in _EXCEPTING
        or (head.lower_ in TAKEN_NOUNS and head.head.lemma_ == "take")
        or is_within_name(preposition)
        or preposition.lower_ == "by"
        or _is_vague(head, preposition)
        or light_noun(head) is not None
        or is_linking(head)
        or is_denied(head)
        or _is_denied_phrase(head)
    ):
        return
    shared = conjuncts(head)[-1].i < preposition.i
    subjects = noun_arguments(Role.SUBJECT, head, split=shared, without=[preposition])
    (noun, text), gerund = governed(preposition), first_child(preposition, "pcomp")
    if noun is not None and text in _OF_RANGES and _has_digit(head) and _has_digit(noun):
        return
    if noun is not None and is_denied(noun):
        return
    if noun is not None and _is_name(noun):
        tails = noun_arguments(Role.OBLIQUE, noun, slot=1, preposition=text)
        yield _frame("be", preposition, [*subjects, *tails], _acting_verb(preposition))
    elif gerund is not None and gerund.tag_ == "VBG" and preposition.lower_ == "for":
        for verb in (gerund, *children(gerund, "conj")):
            arguments = collect_arguments(verb_chain(verb), Origin.INHERITED)
            tails = [argument for argument in arguments if argument.role in (Role.OBJECT, Role.OBLIQUE)]
            yield _frame(f"be for {verb.lower_}", preposition, [*subjects, *tails])


def _is_denied_phrase(noun: Token) -> bool:
    """Tell whether a noun stands in a phrase that is denied: "not because of any problems"."""
    preposition = noun.head
    if noun.dep_ != "pobj":
        return False
    while preposition.head.dep_ == "prep" and preposition.head.i == preposition.i - 1:
        preposition = preposition.head
    first = preposition.left_edge
    before = preposition.doc[max(first.i - 1, 0)]
    return denies_phrase(first) or denies_phrase(before)


def _has_digit(noun: Token) -> bool:
    return any(map(str.isdigit, noun.text)) or first_child(noun, "nummod") is not None


def _is_vague(head: Token, preposition: Token) -> bool:
    plural = preposition.lower_ == "of" and first_child(head, "compound") is None
    return head.lower_ in _VAGUE_HEADS or (plural and head.lemma_ in _VAGUE_HEADS)


def _of_adjective(adjective: Token) -> Iterator[Frame]:
    """Yield the frames of an adjective after its noun: "details specific to the plan"."""
    for preposition in children(adjective, "prep"):
        noun = first_child(preposition, "pobj")
        if noun is not None and _is_name(noun) and adjective.head.pos_ in NOMINAL_POS:
            subjects = noun_arguments(Role.SUBJECT, adjective.head, split=False, without=[adjective])
            tails = noun_arguments(Role.OBLIQUE, noun, slot=1, preposition=preposition.lower_)
            yield _frame(f"be {adjective.lower_}", adjective, [*subjects, *tails])


def _is_name(noun: Token) -> bool:
    if noun.tag_ in RELATIVE_TAGS or noun.pos_ == "PRON":
        return False
    return noun.lower_ not in _VAGUE_TAILS or len(list(noun.children)) > 0


def _acting_verb(preposition: Token) -> Token | None:
    head = preposition.head
    while head.dep_ == "conj" and head.head.pos_ in NOMINAL_POS:
        head = head.head
    verb = head.head
    directed = verb.lemma_ in {"to": _DIRECTED, "for": _PURPOSEFUL}.get(preposition.lower_, ())
    if (preposition.lower_ in _NOMINAL and not directed) or head.dep_ != "dobj":
        return None
    if preposition.lower_ == "on" and preposition.head.lemma_ in _BEARING_ON:
        return None
    return verb if is_verbal(verb) and verb.lemma_ not in _STATIVE else None


def _frame(lemma: str, anchor: Token, arguments: list[Argument], verb: Token | None = None) -> Frame:
    text = lemma if verb is None else verb.lemma_
    denied = verb is not None and first_child(verb, "neg") is not None
    passive = verb is not None and not is_imperative(verb)
    return noun_frame(
        Rule.QUALIFIER, text, text, anchor, (*arguments,),
        negated=denied, passive=passive, confidence=CONFIDENCE,
    )  # fmt: skip


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

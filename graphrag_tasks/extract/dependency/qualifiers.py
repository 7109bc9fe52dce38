"""Frames without a verb: noun phrases linked by a preposition or an adjective.

"Authentication for requests", "a location for defining types", "details specific to the plan". Open information
extraction, and CaRB, keep such phrases inside arguments; the graph needs them, as a node is no longer than the core of
a noun phrase.
"""

from __future__ import annotations

from collections.abc import Iterator

from graphrag_tasks.extract.dependency.arguments import collect_arguments
from graphrag_tasks.extract.dependency.nominal import QUANTIFIERS, is_denied, noun_arguments, noun_frame
from graphrag_tasks.extract.dependency.predicates import verb_chain
from graphrag_tasks.extract.dependency.prepositions import governed, is_linking, light_noun
from graphrag_tasks.extract.dependency.subjects import Origin, is_imperative
from graphrag_tasks.extract.dependency.syntax import (
    EXAMPLE_WORDS,
    NOMINAL_POS,
    RELATIVE_TAGS,
    TAKEN_NOUNS,
    children,
    conjuncts,
    denies_phrase,
    first_child,
    is_verbal,
    is_within_name,
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

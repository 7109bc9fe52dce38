"""Check whether a sentence supports a model's fact, and make it a frame.

A fact refers to its sentence. Both ends must occur in it, or one of them must be the antecedent of a mention in it: by
the rules' coreference, or as a name in the headings or another sentence of the window if the sentence has a pronoun.
The relation's main word must occur, too. The head may also be the row key, or occur in the text before the list.
Questions support nothing, nor do sentences that instruct a model.

If both ends occur in the sentence, the rules' frames of it must not contradict the fact (`meaning`). Whether a fact is
true is never asked, and no document is read that the request did not show.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from graphrag_tasks.extract.dependency.clauses import frames_of
from graphrag_tasks.extract.frames import PRONOUN, Argument, Frame, Role
from graphrag_tasks.extract.llm.meaning import Fault, Place, Relation, Sentence, Words, fault, name_forms
from graphrag_tasks.extract.llm.requests import EntityType, ToldFact
from graphrag_tasks.language.tokens import Doc

EXTRACTOR_NAME = "llm"
MOST_FACTS = 20  # Facts considered per sentence.
_MAX_WORDS = 8  # Longer names are clauses.

_STATED, _IMPLIED, _ELSEWHERE = 0.8, 0.6, 0.8
"""Confidence of a stated relation, of an implied one, and the factor for an end outside the sentence. Assumed: there
are no labelled answers of a model to learn from."""
_LEAST_WEIGHT = 0.1  # Least factor from a model's own weight, so that no fact has a confidence of 0.

_PRONOUNS = frozenset(
    {"it", "they", "them", "he", "him", "she", "her", "we", "us", "you", "i", "this", "that"}
    | {"these", "those", "which", "who", "whom", "what", "here", "there", "itself", "themselves"}
)
_STAND_IN = re.compile(r"\b(?:it|its|they|their|them|he|his|him|she|her|this|these|that|those)\b", re.IGNORECASE)
_NAME = re.compile(r"[\d_/]|[^\W\d_a-z][^\W\d_a-z]|(?:^|\s)[^\W\d_a-z].*\s[^\W\d_a-z]")
"""A code, an abbreviation, or two capitalized words: a single capitalized word may be any word."""
_LABELS: Mapping[EntityType, str | None] = {
    EntityType.PERSON: "PERSON",
    EntityType.ORGANIZATION: "ORG",
    EntityType.PLACE: "GPE",
    EntityType.PRODUCT: "PRODUCT",
    EntityType.EVENT: "EVENT",
    EntityType.DATE: "DATE",
    EntityType.NUMBER: "CARDINAL",
    EntityType.CONCEPT: None,
}
"""The parser's entity labels."""


class Reason(StrEnum):
    """Why a model's fact is declined."""

    NO_SENTENCE = "no_sentence"  # it names none that it was shown
    QUESTION = "question"  # its sentence asks
    TOO_MANY = "too_many"  # its sentence has `MOST_FACTS` already
    HEAD = "head"  # the head does not stand in the sentence, and is no name near it
    TAIL = "tail"
    BOTH_ELSEWHERE = "both_elsewhere"  # neither end stands in the sentence
    SAME = "same"  # the ends are one, or overlap
    LONG = "long"  # an end is a clause
    RELATION = "relation"  # no word of the sentence says it
    DIRECTION = "direction"  # the sentence says it the other way round
    NEGATION = "negation"  # the sentence denies it, or does not
    OTHER_FACT = "other_fact"  # the relation is of other words of the sentence


@dataclass(frozen=True)
class Setting:
    """A sentence with a model's fact, and its context.

    Attributes:
        text: The sentence.
        tokens: Its parse.
        key: Key of its table row, or "".
        lead: Text before its list, or "".
        around: The headings above it, and the other sentences of its windows.
        coreferences: Rows of the antecedents of its mentions.
    """

    text: str
    tokens: Doc
    key: str
    lead: str
    around: Sequence[str]
    coreferences: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class _Ends:
    """Positions of both ends of a fact; `are_here` if the sentence contains both."""

    head: Place
    tail: Place
    are_here: bool = False
    fault: Fault | None = None


class FactCheck:
    """Judges a model's facts about one sentence.

    `is_known` tells whether the rules found a fact too; such a fact is not checked against the frames.
    """

    def __init__(self, setting: Setting, is_known: Callable[[Frame], bool] = lambda _: False) -> None:
        self._setting, self._is_known = setting, is_known
        self._words = Words(setting.text)
        self._around = [Words(text) for text in setting.around]
        self._sentence = Sentence(setting.tokens)
        self._told = 0

    def frame(self, fact: ToldFact, types: Mapping[str, EntityType]) -> Frame | Reason:
        """Return a fact as a frame of two arguments, or the reason why it is declined."""
        self._told += 1
        if self._setting.text.rstrip().endswith("?"):
            return Reason.QUESTION
        if self._told > MOST_FACTS:
            return Reason.TOO_MANY
        relation = self._sentence.relation(fact.relation)
        if relation is None:
            return Reason.RELATION
        ends = self._ends(fact, relation)
        if isinstance(ends, Reason):
            return ends
        head, tail = ends.head, ends.tail
        confidence = _IMPLIED if relation.implied else _STATED
        if not ends.are_here:
            confidence *= _ELSEWHERE
        confidence *= min(max(fact.weight, _LEAST_WEIGHT), 1.0)
        head_type, tail_type = (_label(one, types) for one in (fact.head, fact.tail))
        if relation.turned:
            (head, head_type), (tail, tail_type) = (tail, tail_type), (head, head_type)
        made = _frame(fact, relation, head, tail, (head_type, tail_type), confidence)
        if ends.fault is not None and not self._is_known(made):
            return Reason(ends.fault)
        return made

    def _ends(self, fact: ToldFact, relation: Relation) -> _Ends | Reason:
        """Return the positions of both ends, or the reason why one is missing."""
        here = [self._words.places(one) for one in (fact.head, fact.tail)]
        for name, reason in ((fact.head, Reason.HEAD), (fact.tail, Reason.TAIL)):
            forms = name_forms(name)
            if not forms:
                return reason
            if len(forms) > _MAX_WORDS:
                return Reason.LONG
        heads, tails = here
        if heads and tails:
            shown = self._setting.tokens, self._frames, relation
            pairs = _nearest_first(heads, tails)
            found = [_Ends(*pair, are_here=True, fault=fault(*shown, *pair)) for pair in pairs]
            sound = (ends for ends in found if ends.fault is None)
            return next(sound, found[0]) if found else Reason.SAME
        if not heads and not tails:
            return Reason.BOTH_ELSEWHERE
        missing, known = (fact.head, tails[0]) if tails else (fact.tail, heads[0])
        place = self._beside(missing) if tails else None
        place = place or self._elsewhere(missing, known)
        if place is None:
            return Reason.HEAD if tails else Reason.TAIL
        return _Ends(place, known) if tails else _Ends(known, place)

    @cached_property
    def _frames(self) -> list[Frame]:
        return frames_of(self._setting.tokens)

    def _beside(self, name: str) -> Place | None:
        """Return the position of a head that is the row key, or in the text before the list."""
        found = [
            *Words(self._setting.key).places(name), *Words(self._setting.lead).places(name)
        ]  # fmt: skip
        return Place(0, 0, found[0].text) if found else None

    def _elsewhere(self, name: str, other: Place) -> Place | None:
        """Return the position of an end that the sentence does not contain, or None.

        An antecedent has the position of its mention. A name from the context has an empty span, and needs a pronoun in
        the sentence that may refer to it.
        """
        forms = name_forms(name)
        for row in self._setting.coreferences:
            if name_forms(row["antecedent"]) == forms and not _overlap(row, other):
                return Place(row["start"], row["end"], row["surface"])
        stand_ins = [match for match in _STAND_IN.finditer(self._setting.text)]
        apart = [match.start() for match in stand_ins if not other.start <= match.start() < other.end]
        for near in self._around if apart else ():
            for place in near.places(name):
                if _NAME.search(place.text):
                    return Place(apart[0], apart[0], place.text)
        return None


def _label(name: str, types: Mapping[str, EntityType]) -> str | None:
    """Return the entity label of an end; pronouns are resolved or dropped, as the rules'."""
    if " ".join(name_forms(name)) in _PRONOUNS:
        return PRONOUN
    return _LABELS[types.get(name, EntityType.CONCEPT)]


def _nearest_first(heads: Sequence[Place], tails: Sequence[Place]) -> list[tuple[Place, Place]]:
    """Return the pairs of positions that do not overlap, the nearest first."""
    pairs = [(max(head.start, tail.start) - min(head.end, tail.end), head, tail) for head in heads for tail in tails]
    return [(head, tail) for gap, head, tail in sorted(pairs) if gap >= 0]


def _overlap(row: Mapping[str, Any], place: Place) -> bool:
    return bool(row["start"] < place.end and place.start < row["end"])


def _frame(
    fact: ToldFact,
    relation: Relation,
    head: Place,
    tail: Place,
    types: tuple[str | None, str | None],
    confidence: float,
) -> Frame:
    subject = _argument(Role.SUBJECT, head, types[0])
    role = Role.OBLIQUE if relation.preposition else Role.OBJECT
    other = replace(_argument(role, tail, types[1]), preposition=relation.preposition)
    lemma = relation.text
    if relation.preposition:
        lemma = lemma.removesuffix(f" {relation.preposition}")
    at = head.end if relation.start is None else relation.start
    return Frame(
        predicate=" ".join(fact.relation.split()), predicate_lemma=lemma,
        start=at, end=at if relation.end is None else relation.end,
        arguments=(subject, other), negated=relation.negated,
        rule=EXTRACTOR_NAME, extractor=EXTRACTOR_NAME, confidence=round(confidence, 4),
    )  # fmt: skip


def _argument(role: Role, place: Place, label: str | None) -> Argument:
    return Argument(
        role=role, text=place.text, start=place.start, end=place.end, entity_type=label,
        head_start=place.start, head_end=place.end,
        core_text=place.text, core_start=place.start, core_end=place.end,
    )  # fmt: skip
